import type { ExecutionRequest, ExecutionResult, Executor, MaybeAsyncIterable } from '@graphql-tools/utils';
import { GraphQLError, print, stripIgnoredCharacters } from 'graphql';
import type { Done } from '../../../platform/index.ts';
import { type CacheBounds, SecondChanceCache } from '../../../platform/index.ts';
import type { Supergraph } from '../../composition/index.ts';
import {
  FederatedGraph,
  PlannerStopped,
  type Planners,
  type PlanQuery,
  type PreparedJoin,
  type PreparedSubscription,
  type RelayedFetch,
  UnplannableOperation,
} from '../../federation/index.ts';
import type { Variables } from '../../syntax/index.ts';
import type { CompiledOperation, OperationDocument } from '../compiled-operation.ts';
import { unplannableOperation } from '../errors.ts';
import { contextOfOneEvent, type OperationContext } from '../operation-context.ts';
import {
  type EventsRequest,
  openRemoteEvents,
  type RemoteTarget,
  remoteRequest,
  takeCookies,
} from '../remote-schema/index.ts';
import { failedEvents, mapEvents } from '../source-events.ts';
import type { FederationEngine, SubgraphTargets } from './engine.ts';
import { notReached, toExecutionResult, toOperationAnswer } from './federation-answer.ts';
import { relayAnswer } from './federation-relay.ts';

/** Operations of the stitched graph whose plans are kept. */
const KEPT_JOINS: CacheBounds = { entries: 500, weights: [] };

export type EnginePlanners = Pick<Planners, 'plan' | 'withoutBlocking' | 'setActive'> & {
  /** Undefined where the engine is to open it of its supergraph's document when it is needed. */
  readonly planEntities: PlanQuery | undefined;
};

/**
 * Plans operations as a whole: with as few requests to each subgraph as possible.
 *
 * @param planners of the supergraph.
 * @param standIn runs operations that the planner fails at by its own fault.
 */
export function openPlannedEngine(
  supergraph: Supergraph,
  targets: SubgraphTargets,
  planners: EnginePlanners,
  standIn: () => FederationEngine,
): FederationEngine {
  const graph = new FederatedGraph<OperationContext>({
    supergraphSdl: supergraph.sdl,
    read: { document: supergraph.document, types: supergraph.types, publicSchema: supergraph.schema },
    plan: planners.plan,
    planEntities: planners.planEntities,
    send: (subgraph, body, context, { kind }, done) =>
      sendToSubgraph(targets.get(subgraph), body, context, kind === 'query', done),
  });
  const kept = new SecondChanceCache<PreparedJoin<OperationContext>>(KEPT_JOINS);
  const prepared = (text: string, name: string | undefined): PreparedJoin<OperationContext> => {
    const key = `${name ?? ''} ${text}`;
    const known = kept.get(key);
    if (known) return known;
    const made = graph.prepare(text, name);
    kept.keep(key, made);
    return made;
  };
  const run = async (request: ExecutionRequest): Promise<MaybeAsyncIterable<ExecutionResult>> => {
    const context = request.context as OperationContext;
    if (request.operationType === 'subscription') {
      try {
        const prepare = () => graph.prepareSubscription(print(request.document), request.operationName);
        const join = await planners.withoutBlocking(prepare);
        return openJoinedEvents(join, targets, request.variables ?? {}, context);
      } catch (error) {
        if (!(error instanceof UnplannableOperation)) throw error;
        return failedEvents([unplannableOperation(error, context)]);
      }
    }
    try {
      const join = await planners.withoutBlocking(() => prepared(print(request.document), request.operationName));
      await planners.withoutBlocking(() => join.relay(request.variables ?? {}));
      return toExecutionResult(await join.run(request.variables ?? {}, context), context);
    } catch (error) {
      return isPlannersFault(error) ? standIn().execute(request) : unplannableResult(error, context);
    }
  };
  return {
    kind: 'planned',
    execute: run as Executor<OperationContext>,
    compile: (operation) => compileJoin(graph, operation, targets, planners, standIn),
    compileSubscription: ({ document, operation }) => {
      const text = stripIgnoredCharacters(print(document));
      const join = undefinedIfUnplannable(() => graph.prepareSubscription(text, operation.name?.value));
      return join && { open: (variables, context) => openJoinedEvents(join, targets, variables, context) };
    },
    setActive: (isActive) => planners.setActive(isActive),
  };
}

function compileJoin(
  graph: FederatedGraph<OperationContext>,
  { document, operation }: OperationDocument,
  targets: SubgraphTargets,
  planners: EnginePlanners,
  standIn: () => FederationEngine,
): CompiledOperation | undefined {
  const failed: Failed = async (error, variables, context) => {
    if (!isPlannersFault(error)) return rejectedResult(error, context);
    const request: ExecutionRequest = { document, variables, context, operationType: operation.operation };
    return (await standIn().execute(
      operation.name ? { ...request, operationName: operation.name.value } : request,
    )) as ExecutionResult;
  };
  const text = stripIgnoredCharacters(print(document));
  const name = operation.name?.value;
  const fail = (error: unknown, ...[variables, context, done]: RunArguments) =>
    void failed(error, variables, context).then(done, (unforeseen: unknown) =>
      done(unplannableResult(unforeseen, context)),
    );
  const runJoin = (join: PreparedJoin<OperationContext>, ...given: RunArguments) => {
    const [variables, context, done] = given;
    const goOn = (relay: RelayedFetch<OperationContext> | undefined) => {
      const target = relay && targets.get(relay.subgraph);
      if (relay && target) relayAnswer(relay, target, variables, context, done);
      else
        join
          .run(variables, context)
          .then((result) => done(toOperationAnswer(result, context)))
          .catch((error: unknown) => fail(error, ...given));
    };
    try {
      const relay = planners.withoutBlocking(() => join.relay(variables));
      if (relay instanceof Promise) relay.then(goOn, (error: unknown) => fail(error, ...given));
      else goOn(relay);
    } catch (error) {
      fail(error, ...given);
    }
  };
  let join: PreparedJoin<OperationContext> | undefined;
  let failure: unknown;
  let arriving: Promise<void> | undefined;
  const prepare = () => {
    try {
      const made = planners.withoutBlocking(() => graph.prepare(text, name));
      if (!(made instanceof Promise)) {
        join = made;
        return;
      }
      arriving = made
        .then(
          (one) => {
            join = one;
          },
          (error: unknown) => {
            failure = error;
          },
        )
        .finally(() => {
          arriving = undefined;
        });
    } catch (error) {
      failure = error;
    }
  };
  prepare();
  // Introspection is answered from the schema of the whole graph.
  if (arriving ? graph.asksAboutSchema(text, name) : join?.introspection !== undefined) return undefined;
  const finish = (...given: RunArguments) => {
    if (join && join.introspection === undefined) runJoin(join, ...given);
    else fail(failure, ...given);
  };
  return {
    kind: 'join',
    arrival: arriving,
    // It is called after a run, so that the plan exists.
    describe: (variables) => undefinedIfUnplannable(() => join?.describe(variables)),
    run: (...given) => {
      // A stopped planner is opened again, so this failure must not be cached.
      if (!join && !arriving && failure instanceof PlannerStopped) prepare();
      if (arriving) void afterPlanning(arriving, given[1], () => failure !== undefined).then(() => finish(...given));
      else finish(...given);
    },
  };
}

type RunArguments = Parameters<CompiledOperation['run']>;

/** Waits for a plan that another thread makes, within a span of the request that waits. */
async function afterPlanning(
  arriving: Promise<void>,
  { span }: OperationContext,
  hasFailed: () => boolean,
): Promise<void> {
  const planning = span?.isRecording ? span.startChild('plan') : undefined;
  await arriving;
  if (hasFailed()) planning?.fail('unplannable');
  planning?.end();
}

type Failed = (error: unknown, variables: Variables, context: OperationContext) => Promise<ExecutionResult>;

function isPlannersFault(error: unknown): boolean {
  return error instanceof UnplannableOperation && error.isPlannersFault;
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
  const { subgraph, body } = join.source(variables);
  const target = targets.get(subgraph);
  if (!target) throw new TypeError('unknown subgraph');
  const events = openRemoteEvents(target, JSON.parse(body) as EventsRequest, context);
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
