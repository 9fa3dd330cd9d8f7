import type { ExecutionRequest, ExecutionResult, Executor, MaybeAsyncIterable } from '@graphql-tools/utils';
import { GraphQLError, print, stripIgnoredCharacters } from 'graphql';
import type { Supergraph } from '../composition/index.ts';
import {
  FederatedGraph,
  type Plan,
  PlannerStopped,
  type Planners,
  type PreparedJoin,
  type PreparedSubscription,
  type Relay,
  UnplannableOperation,
} from '../federation/index.ts';
import { type Call, callOfOneEvent } from './call.ts';
import { answerOf, notReached, resultOf } from './federation-answer.ts';
import type { FederationEngine } from './federation-engine.ts';
import { relayAnswer } from './federation-relay.ts';
import type { OperationToPrepare, PreparedOperation } from './prepared-operation.ts';
import { type EventsRequest, openRemoteEvents } from './remote-events.ts';
import { type RemoteTarget, remoteRequest } from './remote-request.ts';
import { takeCookies } from './remote-response.ts';
import { failedEvents, mapEvents } from './source-events.ts';

const UNPLANNABLE = 'the operation cannot be planned over the federated services';

/** Operations of the stitched graph whose plans are kept. */
const KEPT = 500;

export type EnginePlanners = Pick<Planners, 'plan' | 'withoutBlocking' | 'setInForce'> & {
  /** Undefined where the engine is to open it of its supergraph's document when it is needed. */
  readonly planEntities: Plan | undefined;
};

/**
 * Plans operations as a whole: each subgraph is asked as seldom as can be.
 *
 * @param planners of the supergraph.
 * @param standIn what runs those that the planner fails at by its own fault.
 */
export function openPlannedEngine(
  supergraph: Supergraph,
  targets: ReadonlyMap<string, RemoteTarget>,
  planners: EnginePlanners,
  standIn: () => FederationEngine,
): FederationEngine {
  const graph = new FederatedGraph<Call>({
    supergraphSdl: supergraph.sdl,
    read: { document: supergraph.document, types: supergraph.types, publicSchema: supergraph.schema },
    plan: planners.plan,
    planEntities: planners.planEntities,
    send: (subgraph, body, call, { kind }, done) => send(targets.get(subgraph), body, call, kind === 'query', done),
  });
  const kept = new Map<string, PreparedJoin<Call>>();
  const prepared = (text: string, name: string | undefined): PreparedJoin<Call> => {
    const key = `${name ?? ''} ${text}`;
    const known = kept.get(key);
    if (known) return known;
    const made = graph.prepare(text, name);
    const [oldest] = kept.keys();
    if (oldest !== undefined && kept.size >= KEPT) kept.delete(oldest);
    kept.set(key, made);
    return made;
  };
  const run = async (request: ExecutionRequest): Promise<MaybeAsyncIterable<ExecutionResult>> => {
    const call = request.context as Call;
    if (request.operationType === 'subscription') {
      const prepare = () => attempt(() => graph.prepareSubscription(print(request.document), request.operationName));
      const join = await planners.withoutBlocking(prepare);
      return join ? openJoinedEvents(join, targets, request.variables ?? {}, call) : failedEvents([cannotBePlanned()]);
    }
    try {
      const join = await planners.withoutBlocking(() => prepared(print(request.document), request.operationName));
      await planners.withoutBlocking(() => join.relay(request.variables ?? {}));
      return resultOf(await join.run(request.variables ?? {}, call), call);
    } catch (error) {
      return isPlannersFault(error) ? standIn().execute(request) : unplannable(error);
    }
  };
  return {
    kind: 'planned',
    execute: run as Executor<Call>,
    prepare: (operation) => prepareJoin(graph, operation, targets, planners, standIn),
    prepareSubscription: ({ document, operation }) => {
      const text = stripIgnoredCharacters(print(document));
      const join = attempt(() => graph.prepareSubscription(text, operation.name?.value));
      return join && { open: (variables, call) => openJoinedEvents(join, targets, variables, call) };
    },
    setInForce: (isInForce) => planners.setInForce(isInForce),
  };
}

function prepareJoin(
  graph: FederatedGraph<Call>,
  { document, operation }: OperationToPrepare,
  targets: ReadonlyMap<string, RemoteTarget>,
  planners: EnginePlanners,
  standIn: () => FederationEngine,
): PreparedOperation | undefined {
  const failed: Failed = async (error, variables, call) => {
    if (!isPlannersFault(error)) return refused(error);
    const request: ExecutionRequest = { document, variables, context: call, operationType: operation.operation };
    return (await standIn().execute(
      operation.name ? { ...request, operationName: operation.name.value } : request,
    )) as ExecutionResult;
  };
  const text = stripIgnoredCharacters(print(document));
  const name = operation.name?.value;
  const fail = (error: unknown, ...[variables, call, done]: RunArguments) =>
    void failed(error, variables, call).then(done, (unforeseen: unknown) => done(unplannable(unforeseen)));
  const runJoin = (join: PreparedJoin<Call>, ...given: RunArguments) => {
    const [variables, call, done] = given;
    const goOn = (relay: Relay<Call> | undefined) => {
      const target = relay && targets.get(relay.subgraph);
      if (relay && target) relayAnswer(relay, target, variables, call, done);
      else
        join
          .run(variables, call)
          .then((result) => done(answerOf(result, call)))
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
  let join: PreparedJoin<Call> | undefined;
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
  // Whoever asks for the schema gets the whole graph's.
  if (arriving ? graph.asksAboutSchema(text, name) : join?.introspection !== undefined) return undefined;
  const finish = (...given: RunArguments) => {
    if (join && join.introspection === undefined) runJoin(join, ...given);
    else fail(failure, ...given);
  };
  return {
    kind: 'join',
    run: (...given) => {
      // A planner that has stopped comes back, so that this failure must not be kept.
      if (!join && !arriving && failure instanceof PlannerStopped) prepare();
      if (arriving) void arriving.then(() => finish(...given));
      else finish(...given);
    },
  };
}

type RunArguments = Parameters<PreparedOperation['run']>;

type Failed = (error: unknown, variables: Readonly<Record<string, unknown>>, call: Call) => Promise<ExecutionResult>;

function isPlannersFault(error: unknown): boolean {
  return error instanceof UnplannableOperation && error.isPlannersFault;
}

function attempt<T>(prepare: () => T): T | undefined {
  try {
    return prepare();
  } catch (error) {
    if (error instanceof UnplannableOperation) return undefined;
    throw error;
  }
}

/** Subscribes to the subgraph that tells the events, and has the others complete each. */
function openJoinedEvents(
  join: PreparedSubscription<Call>,
  targets: ReadonlyMap<string, RemoteTarget>,
  variables: Readonly<Record<string, unknown>>,
  call: Call,
): AsyncIterableIterator<ExecutionResult> {
  const { subgraph, body } = join.source(variables);
  const target = targets.get(subgraph);
  if (!target) throw new TypeError('a subgraph that nobody knows');
  const events = openRemoteEvents(target, JSON.parse(body) as EventsRequest, call);
  return mapEvents(events, async (event) => {
    const own = callOfOneEvent(call);
    return resultOf(await join.join(event, variables, own), own);
  });
}

function send(
  target: RemoteTarget | undefined,
  body: string,
  call: Call,
  isQuery: boolean,
  done: (reply: Buffer | Error) => void,
): void {
  if (!target) {
    done(new TypeError('a subgraph that nobody knows'));
    return;
  }
  target.http.dispatch(remoteRequest(target, body, call, isQuery), {
    onResponse: (response) => {
      takeCookies(response, call);
      done(response.bytes);
    },
    onError: (error) => done(notReached(target, error, call)),
  });
}

function unplannable(error: unknown): ExecutionResult {
  const told =
    error instanceof UnplannableOperation
      ? cannotBePlanned(error)
      : new GraphQLError('internal error', { originalError: error as Error });
  return { data: null, errors: [told] };
}

/** What cannot be planned is not run at all. */
function refused(error: unknown): ExecutionResult {
  const told = unplannable(error);
  return error instanceof UnplannableOperation && told.errors ? { errors: told.errors } : told;
}

function cannotBePlanned({ message, code } = new UnplannableOperation(UNPLANNABLE)): GraphQLError {
  return new GraphQLError(message, { extensions: { path: '$', code } });
}
