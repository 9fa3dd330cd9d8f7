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
  UnplannableOperation,
} from '../federation/index.ts';
import { type Call, callOfOneEvent } from './call.ts';
import { answerOf, notReached, resultOf } from './federation-answer.ts';
import type { FederationEngine } from './federation-engine.ts';
import { relayAnswer } from './federation-relay.ts';
import type { OperationAnswer, OperationToPrepare, PreparedOperation } from './prepared-operation.ts';
import { type EventsRequest, openRemoteEvents } from './remote-events.ts';
import { type RemoteTarget, remoteRequest } from './remote-request.ts';
import { takeCookies } from './remote-response.ts';
import { failedEvents, mapEvents } from './source-events.ts';

const UNPLANNABLE = 'the operation cannot be planned over the federated services';

/** Operations of the stitched graph whose plans are kept. */
const KEPT = 500;

export type EnginePlanners = Pick<Planners, 'plan' | 'setInForce'> & {
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
      const join = attempt(() => graph.prepareSubscription(print(request.document), request.operationName));
      return join ? openJoinedEvents(join, targets, request.variables ?? {}, call) : failedEvents([cannotBePlanned()]);
    }
    try {
      const join = prepared(print(request.document), request.operationName);
      return resultOf(await join.run(request.variables ?? {}, call), call);
    } catch (error) {
      return isPlannersFault(error) ? standIn().execute(request) : unplannable(error);
    }
  };
  return {
    kind: 'planned',
    execute: run as Executor<Call>,
    prepare: (operation) => prepareJoin(graph, operation, targets, standIn),
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
  standIn: () => FederationEngine,
): PreparedOperation | undefined {
  const failed: Failed = async (error, variables, call) => {
    if (!isPlannersFault(error)) return refused(error);
    const request: ExecutionRequest = { document, variables, context: call, operationType: operation.operation };
    return (await standIn().execute(
      operation.name ? { ...request, operationName: operation.name.value } : request,
    )) as ExecutionResult;
  };
  const prepare = () => graph.prepare(stripIgnoredCharacters(print(document)), operation.name?.value);
  const runJoin = (join: PreparedJoin<Call>, ...[variables, call, done]: Parameters<PreparedOperation['run']>) => {
    if (forwardAlone(join, targets, variables, call, done)) return;
    join
      .run(variables, call)
      .then(
        (result) => answerOf(result, call),
        (error: unknown) => failed(error, variables, call),
      )
      .then(done, (unforeseen: unknown) => done(unplannable(unforeseen)));
  };
  try {
    const join = prepare();
    // Whoever asks for the schema gets the whole graph's.
    if (join.introspection !== undefined) return undefined;
    return { kind: 'join', run: (...given) => runJoin(join, ...given) };
  } catch (error) {
    let later: PreparedJoin<Call> | undefined;
    return {
      kind: 'join',
      run: (variables, call, done) => {
        // A planner that has stopped comes back, so that this failure must not be kept.
        if (error instanceof PlannerStopped) later ??= attempt(prepare);
        if (later && later.introspection === undefined) runJoin(later, variables, call, done);
        else failed(error, variables, call).then(done, (unforeseen: unknown) => done(unplannable(unforeseen)));
      },
    };
  }
}

/** Sends the operation on when one service answers it alone. @returns false when it takes more than that. */
function forwardAlone(
  join: PreparedJoin<Call>,
  targets: ReadonlyMap<string, RemoteTarget>,
  variables: Readonly<Record<string, unknown>>,
  call: Call,
  done: (answer: OperationAnswer) => void,
): boolean {
  const relay = attempt(() => join.relay(variables));
  const target = relay && targets.get(relay.subgraph);
  if (!target) return false;
  relayAnswer(relay, target, variables, call, done);
  return true;
}

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
