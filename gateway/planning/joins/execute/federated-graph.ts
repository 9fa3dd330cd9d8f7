import { type DocumentNode, type FieldNode, type GraphQLSchema, type OperationDefinitionNode, parse } from 'graphql';
import type { Sliced } from '../../../../platform/index.ts';
import type { Variables } from '../../../graphql/syntax/index.ts';
import { fragmentsOf } from '../../../graphql/syntax/index.ts';
import type { SupergraphTypes } from '../../supergraph/index.ts';
import { UnplannableOperation } from '../errors.ts';
import type { JsonObject } from '../json.ts';
import { type ClientOperation, readClientOperation, ServiceObjects } from '../plan/index.ts';
import type { FetchDescription } from './describe-fetches.ts';
import {
  compileVariant,
  finishRun,
  type GraphScope,
  introspectionFieldsOf,
  type JoinResult,
  type RelayedFetch,
  startRun,
} from './prepared-join.ts';
import type { FetchStep, PlanRun } from './run.ts';
import type { Services } from './services.ts';
import { Variants } from './variants.ts';

export interface FederatedGraphOptions<Context> {
  readonly types: SupergraphTypes;
  /** The API schema, without federation directives and `@inaccessible` elements. */
  readonly publicSchema: GraphQLSchema;
  readonly services: Services<Context>;
}

/** A query or mutation that can run any number of times. */
export interface PreparedJoin<Context> {
  readonly kind: 'query' | 'mutation';
  /**
   * The text of a separate operation with the root fields `__schema` and `__type`, if there are any. The caller runs it
   * against the schema that its client may see, and passes the result to `run`.
   */
  readonly introspection: string | undefined;
  /**
   * Returns the plan for the fields that `@skip` and `@include` leave with these variables. Each plan is created once.
   * If planning takes long, a promise is returned, so that other work of the process can run in the meantime.
   * @param variables the client's valid variables
   * @throws UnplannableOperation if no plan is found; the promise may reject with it too
   */
  plan(variables: Variables): PlannedJoin<Context> | Promise<PlannedJoin<Context>>;
  /** Plans the operation and runs the plan. */
  run(variables: Variables, context: Context, introspected?: Readonly<Record<string, unknown>>): Promise<JoinResult>;
}

/** A query or a mutation that is planned for the values of the variables that `@skip` and `@include` depend on. */
export interface PlannedJoin<Context> {
  /**
   * The request to the only subgraph that is needed. Its response is passed on unchanged if it contains only data.
   * Undefined if more is needed.
   */
  readonly relay: RelayedFetch<Context> | undefined;
  /** The fetches of the plan. */
  readonly fetches: readonly FetchDescription[];
  /**
   * Runs the plan. Failures of subgraphs become errors of the result. A promise would keep the result in memory until
   * the next full garbage collection.
   * @param introspected the data that `introspection` returned
   * @param done called once with the result, or with an unexpected error
   */
  run(
    variables: Variables,
    context: Context,
    introspected: Readonly<Record<string, unknown>> | undefined,
    done: (result: JoinResult | Error) => void,
  ): void;
}

/** A subscription that can run. One subgraph sends the events, and fields of others are joined to each event. */
export interface PreparedSubscription<Context> {
  /** Returns the plan of the subscription. Behaves like `PreparedJoin.plan`. */
  plan(variables: Variables): PlannedSubscription<Context> | Promise<PlannedSubscription<Context>>;
}

export interface PlannedSubscription<Context> {
  /** The service to subscribe to and the operation for it. The service gets the client's variables. */
  readonly source: { readonly service: string; readonly operation: OperationDefinitionNode };
  /** Completes an event, which is a parsed GraphQL result of the service. The event is modified. */
  join(event: unknown, variables: Variables, context: Context): Promise<JoinResult>;
}

/**
 * The fields that a client is not permitted to access. Such fields are not fetched. Each is null in the result and has
 * an error.
 */
export interface Refusal {
  readonly fields: ReadonlySet<FieldNode>;
  /** The rest of the operation. Undefined if nothing is left. */
  readonly rest: { readonly operation: OperationDefinitionNode; readonly document: DocumentNode } | undefined;
}

/** An immutable graph of federated subgraphs. */
export class FederatedGraph<Context> {
  /** The API schema, without federation directives and `@inaccessible` elements. */
  readonly publicSchema: GraphQLSchema;
  readonly #scope: GraphScope<Context>;

  constructor({ types, publicSchema, services }: FederatedGraphOptions<Context>) {
    this.publicSchema = publicSchema;
    this.#scope = { types, objects: new ServiceObjects(types), publicSchema, services };
  }

  /**
   * Prepares a query or mutation. If no variable decides about `@skip` or `@include`, planning begins immediately.
   * Otherwise it begins at the first use of each set of their values.
   * @param document valid for `publicSchema`
   * @param refusal the fields that the client may not access
   * @throws UnplannableOperation if planning fails immediately
   */
  prepare(document: string | DocumentNode, operationName?: string, refusal?: Refusal): PreparedJoin<Context> {
    const operation = this.#read(document, operationName, refusal);
    const kind = operation.definition.operation;
    if (kind === 'subscription') throw new UnplannableOperation('a subscription does not have a single response');
    const allowed = allowedPart(operation, refusal);
    const scope = this.#scope;
    const variants = new Variants(operation.conditions, (conditions) =>
      planJoin(operation, allowed, conditions, scope),
    );
    return {
      kind,
      introspection: introspectionFieldsOf(operation),
      plan: (variables) => variants.of(variables),
      run: async (variables, context, introspected) => {
        const planned = await variants.of(variables);
        return new Promise((resolve, reject) =>
          planned.run(variables, context, introspected, (result) =>
            result instanceof Error ? reject(result) : resolve(result),
          ),
        );
      },
    };
  }

  #read(document: string | DocumentNode, operationName: string | undefined, refusal: Refusal | undefined) {
    return readClientOperation(parsed(document), operationName, this.#scope.types.hiddenFields, refusal?.fields);
  }

  /**
   * Prepares a subscription.
   * @throws UnplannableOperation like `prepare`
   */
  prepareSubscription(
    document: string | DocumentNode,
    operationName?: string,
    refusal?: Refusal,
  ): PreparedSubscription<Context> {
    const operation = this.#read(document, operationName, refusal);
    if (operation.definition.operation !== 'subscription') throw new UnplannableOperation('it is not a subscription');
    const allowed = allowedPart(operation, refusal);
    const scope = this.#scope;
    const variants = new Variants(operation.conditions, (conditions) =>
      planSubscription(operation, allowed, conditions, scope),
    );
    return { plan: (variables) => variants.of(variables) };
  }
}

/** The result of a run that is no longer needed. */
const UNNEEDED: JoinResult = { data: ['null'], errors: [], extensions: [] };

function* planJoin<Context>(...given: Parameters<typeof compileVariant<Context>>): Sliced<PlannedJoin<Context>> {
  const [, , , { services }] = given;
  const variant = yield* compileVariant<Context>(...given);
  return {
    relay: variant.relay,
    fetches: variant.fetches ?? [],
    run: (variables, context, introspected, done) => {
      const end = atMostOnce(done);
      const run = startRun(variables, context, (error) =>
        end(error instanceof Error ? error : new TypeError(`${error}`)),
      );
      try {
        perform(variant.step, run, () => {
          if (services.isUnneeded?.(context)) {
            end(UNNEEDED);
            return;
          }
          if (introspected) Object.assign(run.data, introspected);
          end(finishRun(run, variant));
        });
      } catch (error) {
        run.fail(error);
      }
    },
  };
}

function* planSubscription<Context>(
  ...given: Parameters<typeof compileVariant<Context>>
): Sliced<PlannedSubscription<Context>> {
  const [, , , { services }] = given;
  const variant = yield* compileVariant<Context>(...given);
  const { primary, step } = variant;
  if (!primary) throw new UnplannableOperation('the subscription has no field to subscribe to');
  return {
    source: { service: primary.service, operation: primary.operation },
    join: (event, variables, context) =>
      new Promise((resolve, reject) => {
        const run = startRun(variables, context, reject);
        primary.take(services.readEvent(primary.service, event, run), run);
        perform(step, run, () => resolve(finishRun(run, variant)));
      }),
  };
}

function allowedPart(operation: ClientOperation, refusal: Refusal | undefined): ClientOperation | undefined {
  if (!refusal) return operation;
  const { rest } = refusal;
  return rest && { ...operation, definition: rest.operation, fragments: fragmentsOf(rest.document) };
}

function parsed(document: string | DocumentNode): DocumentNode {
  return typeof document === 'string' ? parse(document, { noLocation: true }) : document;
}

/** Calls `done` with the first result, after the work that led to it. Errors of `done` are thus not errors of a run. */
function atMostOnce(done: (result: JoinResult | Error) => void): (result: JoinResult | Error) => void {
  let isOver = false;
  return (result) => {
    if (isOver) return;
    isOver = true;
    queueMicrotask(() => done(result));
  };
}

function perform<Context>(step: FetchStep<Context> | undefined, run: PlanRun<Context>, done: () => void): void {
  if (step) step(run, done);
  else done();
}

/** The whole GraphQL response as an object. */
export function responseObject({ data, errors }: JoinResult): {
  data: JsonObject | null;
  errors?: JoinResult['errors'];
} {
  const parsed: JsonObject | null = JSON.parse(data.join(''));
  return errors.length === 0 ? { data: parsed } : { data: parsed, errors };
}
