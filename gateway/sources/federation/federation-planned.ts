import type { ExecutionRequest, ExecutionResult, Executor, MaybeAsyncIterable } from '@graphql-tools/utils';
import { type DocumentNode, GraphQLError, Kind, print } from 'graphql';
import type { Done } from '../../../platform/index.ts';
import { type CacheBounds, SecondChanceCache } from '../../../platform/index.ts';
import type { Supergraph } from '../../composition/index.ts';
import {
  FederatedGraph,
  type PreparedJoin,
  type PreparedSubscription,
  subgraphServices,
  UnplannableOperation,
} from '../../federation/index.ts';
import type { Variables } from '../../syntax/index.ts';
import type { CompiledOperation, OperationDocument } from '../compiled-operation.ts';
import { unplannableOperation } from '../errors.ts';
import { contextOfOneEvent, type OperationContext } from '../operation-context.ts';
import { compileRemoteSubscription, type RemoteTarget, remoteRequest, takeCookies } from '../remote-schema/index.ts';
import { failedEvents, mapEvents } from '../source-events.ts';
import type { FederationEngine, SubgraphTargets } from './engine.ts';
import { notReached, toExecutionResult, toOperationAnswer } from './federation-answer.ts';
import { relayAnswer } from './federation-relay.ts';

/** Operations of several sources whose plans are kept. */
const KEPT_JOINS: CacheBounds = { entries: 500, weights: [8_000_000] };

/** Plans operations as a whole: with as few requests to each subgraph as possible. */
export function openPlannedEngine(supergraph: Supergraph, targets: SubgraphTargets): FederationEngine {
  const graph = new FederatedGraph<OperationContext>({
    types: supergraph.types,
    publicSchema: supergraph.schema,
    services: subgraphServices((subgraph, body, context, { kind }, done) =>
      sendToSubgraph(targets.get(subgraph), body, context, kind === 'query', done),
    ),
  });
  const kept = new SecondChanceCache<PreparedJoin<OperationContext>>(KEPT_JOINS);
  const prepared = (text: string, name: string | undefined): PreparedJoin<OperationContext> => {
    const key = `${name ?? ''} ${text}`;
    const known = kept.get(key);
    if (known) return known;
    const made = graph.prepare(text, name);
    kept.keep(key, made, [key.length]);
    return made;
  };
  const run = async (request: ExecutionRequest): Promise<MaybeAsyncIterable<ExecutionResult>> => {
    const context = request.context as OperationContext;
    const { document, operationName, variables = {} } = request;
    if (request.operationType === 'subscription') {
      try {
        return openJoinedEvents(graph.prepareSubscription(document, operationName), targets, variables, context);
      } catch (error) {
        if (!(error instanceof UnplannableOperation)) throw error;
        return failedEvents([unplannableOperation(error, context)]);
      }
    }
    try {
      const join = prepared(print(document), operationName);
      return toExecutionResult(await join.run(variables, context), context);
    } catch (error) {
      return unplannableResult(error, context);
    }
  };
  return {
    execute: run as Executor<OperationContext>,
    compile: (operation) => compileJoin(graph, operation, targets),
    compileSubscription: ({ document, operation }) => {
      const join = undefinedIfUnplannable(() => graph.prepareSubscription(document, operation.name?.value));
      if (!join) return undefined;
      return {
        open: (variables, context) => {
          try {
            return openJoinedEvents(join, targets, variables, context);
          } catch (error) {
            // What `@skip` and `@include` leave may not be plannable.
            if (!(error instanceof UnplannableOperation)) throw error;
            return failedEvents([unplannableOperation(error, context)]);
          }
        },
      };
    },
  };
}

/** An operation that cannot be planned is compiled to its rejection. */
function compileJoin(
  graph: FederatedGraph<OperationContext>,
  { document, operation }: OperationDocument,
  targets: SubgraphTargets,
): CompiledOperation | undefined {
  let join: PreparedJoin<OperationContext>;
  try {
    join = graph.prepare(document, operation.name?.value);
  } catch (error) {
    return { kind: 'join', run: (_variables, context, done) => done(rejectedResult(error, context)) };
  }
  // Introspection is answered from the schema of the whole graph.
  if (join.introspection !== undefined) return undefined;
  return {
    kind: 'join',
    // It is called after a run, so that the plan exists.
    describe: (variables) => undefinedIfUnplannable(() => join.describe(variables)),
    run: (variables, context, done) => {
      try {
        const relay = join.relay(variables);
        const target = relay && targets.get(relay.subgraph);
        if (relay && target) relayAnswer(relay, target, variables, context, done);
        else
          join.run(variables, context).then(
            (result) => done(toOperationAnswer(result, context)),
            (error: unknown) => done(rejectedResult(error, context)),
          );
      } catch (error) {
        done(rejectedResult(error, context));
      }
    },
  };
}

function undefinedIfUnplannable<T>(prepare: () => T): T | undefined {
  try {
    return prepare();
  } catch (error) {
    if (error instanceof UnplannableOperation) return undefined;
    throw error;
  }
}

/** Subscribes to the subgraph of the source stream, and completes each event from the other subgraphs. */
function openJoinedEvents(
  join: PreparedSubscription<OperationContext>,
  targets: SubgraphTargets,
  variables: Variables,
  context: OperationContext,
): AsyncIterableIterator<ExecutionResult> {
  const { service, operation } = join.source(variables);
  const target = targets.get(service);
  if (!target) throw new TypeError('unknown subgraph');
  const document: DocumentNode = { kind: Kind.DOCUMENT, definitions: [operation] };
  const events = compileRemoteSubscription(target, { document, operation }).open(variables, context);
  return mapEvents(events, async (event) => {
    const own = contextOfOneEvent(context);
    return toExecutionResult(await join.join(event, variables, own), own);
  });
}

function sendToSubgraph(
  target: RemoteTarget | undefined,
  body: string,
  context: OperationContext,
  isQuery: boolean,
  done: Done<Buffer | Error>,
): void {
  if (!target) {
    done(new TypeError('unknown subgraph'));
    return;
  }
  target.http.dispatch(remoteRequest(target, body, context, isQuery), {
    onResponse: (response) => {
      takeCookies(response, context);
      done(response.bytes);
    },
    onError: (error) => done(notReached(target, error, context)),
  });
}

function unplannableResult(error: unknown, context: OperationContext): ExecutionResult {
  const failure =
    error instanceof UnplannableOperation
      ? unplannableOperation(error, context)
      : new GraphQLError('internal error', { originalError: error as Error });
  return { data: null, errors: [failure] };
}

/** An operation that cannot be planned is rejected: the result has no `data`. */
function rejectedResult(error: unknown, context: OperationContext): ExecutionResult {
  const failure = unplannableResult(error, context);
  return error instanceof UnplannableOperation && failure.errors ? { errors: failure.errors } : failure;
}
