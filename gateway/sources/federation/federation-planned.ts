import type { Done } from '../../../platform/index.ts';
import type { Supergraph } from '../../planning/composition/index.ts';
import { FederatedGraph, subgraphServices } from '../../planning/joins/index.ts';
import type { OperationContext } from '../operation-context.ts';
import { compileJoin, compileJoinedEvents, type RunOtherwise, undefinedIfUnplannable } from '../planned-operations.ts';
import { compileRemoteSubscription, type RemoteTarget, remoteRequest, takeCookies } from '../remote-schema/index.ts';
import type { FederationEngine, SubgraphTargets } from './engine.ts';
import { notReached, relayAnswer } from './federation-relay.ts';

/** Opens the engine that plans whole operations with as few requests to each subgraph as possible. */
export function openPlannedEngine(supergraph: Supergraph, targets: SubgraphTargets): FederationEngine {
  const graph = new FederatedGraph<OperationContext>({
    types: supergraph.types,
    publicSchema: supergraph.schema,
    services: {
      ...subgraphServices((subgraph, body, context, { kind }, done) =>
        sendToSubgraph(targets.get(subgraph), body, context, kind === 'query', done),
      ),
      isUnneeded: ({ cancellation }) => cancellation.isCancelled,
    },
  });
  /** Relays an operation that a single subgraph can resolve. */
  const relayed: RunOtherwise = (join, variables, context, done) => {
    const { relay } = join;
    const target = relay && targets.get(relay.subgraph);
    if (relay && target) relayAnswer(relay, target, variables, context, done);
    return target !== undefined;
  };
  return {
    // Introspection is answered from the schema of the whole graph.
    compile: (operation, refusal) => compileJoin(graph, operation, undefined, { runOtherwise: relayed, refusal }),
    compileSubscription: (operation, refusal) =>
      undefinedIfUnplannable(() =>
        compileJoinedEvents(
          graph,
          operation,
          (service, own) => {
            const target = targets.get(service);
            return target && compileRemoteSubscription(target, own);
          },
          refusal,
        ),
      ),
  };
}

function sendToSubgraph(
  target: RemoteTarget | undefined,
  body: string,
  context: OperationContext,
  isQuery: boolean,
  done: Done<readonly Buffer[] | Error>,
): void {
  if (!target) {
    done(new TypeError('unknown subgraph'));
    return;
  }
  target.http.dispatch(remoteRequest(target, body, context, isQuery), {
    onResponse: (response) => {
      takeCookies(response, context);
      response.beginReading?.();
      done(response.chunks);
    },
    onError: (error) => done(notReached(target, error, context)),
  });
}
