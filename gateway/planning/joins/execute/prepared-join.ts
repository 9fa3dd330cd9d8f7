import { type FieldNode, type GraphQLSchema, Kind, type OperationDefinitionNode, print } from 'graphql';
import { atOnce, type Sliced } from '../../../../platform/index.ts';
import { isIntrospectionField } from '../../../graphql/syntax/index.ts';
import type { SupergraphTypes } from '../../supergraph/index.ts';
import type { JoinError, SubgraphFailure } from '../errors.ts';
import type { ReplyBytes } from '../json.ts';
import {
  type ClientOperation,
  type Conditions,
  OperationPlanner,
  rootFieldsOf,
  type ServiceObjects,
} from '../plan/index.ts';
import {
  completeValues,
  type ErrorPlace,
  errorPlace,
  type ObjectShape,
  responseShapeOf,
  writeResponse,
} from '../response/index.ts';
import { RepeatedObjects } from '../sharing/index.ts';
import { compilePlan, compileSubscription } from './compile-plan.ts';
import { atDependents, type DependentFields, dependentFields } from './dependent-fields.ts';
import { describeFetches, type FetchDescription } from './describe-fetches.ts';
import { inTurn, planMutation } from './mutation-order.ts';
import { relayedRequest } from './relay.ts';
import { type CompiledRootFetch, takeAnswer } from './root-fetch.ts';
import { type FetchStep, isFull, type PlanRun, reportError, type SubgraphExtensions } from './run.ts';
import type { Services, SubgraphAnswer } from './services.ts';
import { failure, readReply } from './subgraph-request.ts';

/** The result of an operation. */
export interface JoinResult {
  /** The JSON text of the `data` member, in parts. `null` if nothing is left. */
  readonly data: readonly string[];
  readonly errors: readonly JoinError[];
  /** The extensions of the subgraphs' responses. */
  readonly extensions: readonly SubgraphExtensions[];
}

/** The objects that all operations of a graph share. */
export interface GraphScope<Context> {
  readonly types: SupergraphTypes;
  readonly objects: ServiceObjects;
  readonly publicSchema: GraphQLSchema;
  readonly services: Services<Context>;
}

/** An operation with one set of values for its `@skip` and `@include` variables. */
export interface Variant<Context> {
  readonly step: FetchStep<Context> | undefined;
  readonly shape: ObjectShape;
  readonly dependents: () => DependentFields;
  /** The fetch that provides the events of a subscription. */
  readonly primary: CompiledRootFetch<Context> | undefined;
  readonly relay?: RelayedFetch<Context> | undefined;
  /** The fetches of a query or mutation. */
  readonly fetches?: readonly FetchDescription[];
}

/** A request whose response can be passed to the client unchanged. */
export interface RelayedFetch<Context> {
  readonly subgraph: string;
  readonly kind: 'query' | 'mutation';
  /** The request. `body` returns its text. */
  readonly operation: OperationDefinitionNode;
  body(variables: Readonly<Record<string, unknown>>): string;
  /** The result for a response that has been parsed. */
  complete(answer: SubgraphAnswer, variables: Readonly<Record<string, unknown>>, context: Context): JoinResult;
  /** The result for a response that contains more than data. */
  read(reply: ReplyBytes, variables: Readonly<Record<string, unknown>>, context: Context): JoinResult;
  /** The result if the subgraph did not respond. */
  fail(why: SubgraphFailure, variables: Readonly<Record<string, unknown>>, context: Context): JoinResult;
}

/**
 * Plans and compiles an operation under given conditions, in slices.
 * @param allowed the part of the operation that the client may access
 */
export function* compileVariant<Context>(
  operation: ClientOperation,
  allowed: ClientOperation | undefined,
  conditions: Conditions,
  { types, objects, publicSchema, services }: GraphScope<Context>,
): Sliced<Variant<Context>> {
  const all = allowed ? rootFieldsOf(allowed, conditions) : [];
  const fields = all.filter(({ name }) => !name.value.startsWith('__'));
  const { operation: kind, variableDefinitions: clientVariables = [] } = operation.definition;
  const planner = new OperationPlanner(allowed ?? operation, conditions, objects);
  const { steps } = planner;
  const scope = { types, clientVariables, services, steps };
  const planOf = (some: readonly FieldNode[]) => planner.plan(some);
  const takesSeveral = (service: string) => services.takesMutations?.(service) ?? true;
  const parts =
    fields.length === 0
      ? []
      : kind === 'mutation'
        ? yield* planMutation(fields, planOf, takesSeveral)
        : [{ fields, plan: yield* planOf(fields) }];
  const plans = parts.map((part) => part.plan);
  steps.spend(fields.length);
  if (steps.endSlice()) yield;
  const shape = responseShapeOf(operation, conditions, publicSchema, types);
  const about = { shape, dependents: dependentFields(plans, types) };
  const [first] = plans;
  if (!first) return { ...about, step: undefined, primary: undefined };
  if (kind === 'subscription') return { ...about, ...(yield* compileSubscription(first, scope)) };
  const isWhole =
    operation.hasClientKeys && operation === allowed && !shape.fields.some(({ name }) => name.startsWith('__'));
  const relayed = isWhole ? relayedRequest(operation, plans, publicSchema, types) : undefined;
  if (relayed)
    return {
      ...about,
      step: compiledAtFirstRun(() => atOnce(compilePlan(first, scope))),
      primary: undefined,
      relay: relayOf<Context>(relayed, shape),
      fetches: describeFetches(first.waves, 0),
    };
  const compiled: { readonly step: FetchStep<Context>; readonly keys: ReadonlySet<string> }[] = [];
  const fetches: FetchDescription[] = [];
  let waves = 0;
  for (const { plan, fields: own } of parts) {
    compiled.push({ step: yield* compilePlan(plan, scope), keys: new Set(own.map(operation.responseKey)) });
    fetches.push(...describeFetches(plan.waves, waves));
    waves += plan.waves.length;
  }
  const step = compiled.length === 1 ? compiled[0]?.step : inTurn(compiled, shape);
  return { ...about, step, primary: undefined, fetches };
}

/** Compiles a step at its first run, since a response that can be relayed rarely has to be parsed and written. */
function compiledAtFirstRun<Context>(compile: () => FetchStep<Context>): FetchStep<Context> {
  let compiled: FetchStep<Context> | undefined;
  return (run, done) => {
    compiled ??= compile();
    compiled(run, done);
  };
}

/** Creates a run that has not started yet. */
export function startRun<Context>(
  variables: Readonly<Record<string, unknown>>,
  context: Context,
  fail: (error: unknown) => void,
): PlanRun<Context> {
  return { data: {}, variables, context, errors: [], extensions: [], repeated: new RepeatedObjects(), fail };
}

/** Writes the result of a run. */
export function finishRun<Context>(
  run: PlanRun<Context>,
  { shape, dependents }: Pick<Variant<Context>, 'shape' | 'dependents'>,
): JoinResult {
  const { data, errors: found, extensions, repeated } = run;
  const errors: JoinError[] = [];
  for (const error of found) {
    if (isFull({ errors })) break;
    for (const one of atDependents(error, dependents(), shape, data)) reportError({ errors }, one);
  }
  if (errors.length === 0) {
    const parts = writeResponse(shape, data, repeated.isEmpty ? undefined : repeated);
    if (parts !== undefined) return { data: parts, errors, extensions };
  }
  const places = errors.map(({ path }) => path && errorPlace(shape, data, path));
  const placed = errors.map((error, index) => withPlace(error, places[index]));
  const reached = places.flatMap((place) => (place && place.path.length > 0 ? [place.reach] : []));
  const complete = completeValues(shape, data, placed, reached);
  for (const error of complete.errors) reportError({ errors: placed }, error);
  return { data: [complete.text], errors: placed, extensions };
}

function withPlace(error: JoinError, place: ErrorPlace | undefined): JoinError {
  if (!place) return error;
  const { path: _, ...rest } = error;
  return place.path.length > 0 ? { ...rest, path: place.path } : rest;
}

/** The text of an operation with only the introspection fields. Undefined if there are none. */
export function introspectionFieldsOf(operation: ClientOperation): string | undefined {
  const asked = rootFieldsOf(operation).filter(({ name }) => isIntrospectionField(name.value));
  if (asked.length === 0) return undefined;
  const selections = [...new Set(asked)];
  const definition = { ...operation.definition, selectionSet: { kind: Kind.SELECTION_SET, selections } } as const;
  return print({ kind: Kind.DOCUMENT, definitions: [definition, ...operation.fragments.values()] });
}

/** An operation that one subgraph resolves has no dependent fields. */
const NO_DEPENDENTS = (): DependentFields => new Map();

/** Throws the error, because the reader of a relayed response waits for the result. */
function raise(error: unknown): never {
  throw error;
}

function relayOf<Context>(
  { operation, request }: NonNullable<ReturnType<typeof relayedRequest>>,
  shape: ObjectShape,
): RelayedFetch<Context> {
  const { service, kind } = request;
  const result = (
    answer: (run: PlanRun<Context>) => SubgraphAnswer,
    variables: PlanRun<Context>['variables'],
    context: Context,
  ) => {
    const run = startRun(variables, context, raise);
    takeAnswer(request.rootKeys, answer(run), run);
    return finishRun(run, { shape, dependents: NO_DEPENDENTS });
  };
  return {
    subgraph: service,
    kind,
    operation,
    body: request.body,
    complete: (answer, variables, context) => result(() => answer, variables, context),
    read: (reply, variables, context) => result((run) => readReply(service, reply, run), variables, context),
    fail: ({ message, extensions }, variables, context) =>
      result(() => failure(service, message, extensions), variables, context),
  };
}
