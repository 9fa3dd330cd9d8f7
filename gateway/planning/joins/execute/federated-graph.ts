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
  /** The API schema: without federation directives and `@inaccessible` elements. */
  readonly publicSchema: GraphQLSchema;
  readonly services: Services<Context>;
}

/** A query or a mutation that is ready to run, as often as wanted. */
export interface PreparedJoin<Context> {
  readonly kind: 'query' | 'mutation';
  /**
   * The text of an operation of its own with the root fields `__schema` and `__type` of this one, where it has any. It
   * is for the caller to run against the schema that its client may see; `run` takes what it gives.
   */
  readonly introspection: string | undefined;
  /**
   * Its plan for what `@skip` and `@include` leave with these variables. It is made once. Only where it takes long, it is a
   * promise: other work of the process has its turns meanwhile.
   * @param variables as the client sent them, found valid
   * @throws UnplannableOperation when no plan is found, also by the promise
   */
  plan(variables: Variables): PlannedJoin<Context> | Promise<PlannedJoin<Context>>;
  /** Runs it by its plan, as that does. */
  run(variables: Variables, context: Context, introspected?: Readonly<Record<string, unknown>>): Promise<JoinResult>;
}

/** A query or a mutation that is planned for the values of the variables that `@skip` and `@include` depend on. */
export interface PlannedJoin<Context> {
  /**
   * The request to the only subgraph that is needed, whose response is passed on unchanged if it holds nothing but data;
   * undefined where more than that is needed.
   */
  readonly relay: RelayedFetch<Context> | undefined;
  /** The fetches that it makes. */
  readonly fetches: readonly FetchDescription[];
  /**
   * Runs it. Failures of subgraphs are errors of the result.
   * @param introspected the data that running `introspection` gave
   */
  run(variables: Variables, context: Context, introspected?: Readonly<Record<string, unknown>>): Promise<JoinResult>;
}

/** A subscription that is ready to run: one subgraph sends the events, and fields of others are joined to each. */
export interface PreparedSubscription<Context> {
  /** As that of a query. */
  plan(variables: Variables): PlannedSubscription<Context> | Promise<PlannedSubscription<Context>>;
}

export interface PlannedSubscription<Context> {
  /** The service to subscribe to, and the operation for it, of which it is given the client's variables. */
  readonly source: { readonly service: string; readonly operation: OperationDefinitionNode };
  /** Completes an event: a GraphQL result of the service, parsed. It is changed. */
  join(event: unknown, variables: Variables, context: Context): Promise<JoinResult>;
}

/** The fields of an operation that its caller is refused. They are null, with an error each, and are not fetched. */
export interface Refusal {
  readonly fields: ReadonlySet<FieldNode>;
  /** What is left of the operation; undefined where that is nothing. */
  readonly rest: { readonly operation: OperationDefinitionNode; readonly document: DocumentNode } | undefined;
}

/** One graph of federated subgraphs. It is immutable. */
export class FederatedGraph<Context> {
  /** The API schema: without federation directives and `@inaccessible` elements. */
  readonly publicSchema: GraphQLSchema;
  readonly #scope: GraphScope<Context>;

  constructor({ types, publicSchema, services }: FederatedGraphOptions<Context>) {
    this.publicSchema = publicSchema;
    this.#scope = { types, objects: new ServiceObjects(types), publicSchema, services };
  }

  /**
   * Prepares a query or a mutation. Planning begins at once where no variable decides about `@skip` or `@include`, else
   * at the first use of each set of their values.
   * @param document valid against `publicSchema`
   * @param refusal what its caller may not have
   * @throws UnplannableOperation when it turns out at once that it cannot be planned
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
      run: async (variables, context, introspected) =>
        (await variants.of(variables)).run(variables, context, introspected),
    };
  }

  #read(document: string | DocumentNode, operationName: string | undefined, refusal: Refusal | undefined) {
    return readClientOperation(parsed(document), operationName, this.#scope.types.hiddenFields, refusal?.fields);
  }

  /**
   * Prepares a subscription.
   * @throws UnplannableOperation as `prepare` does
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

/** The result of a run that nobody waits for. */
const UNNEEDED: JoinResult = { data: 'null', errors: [], extensions: [] };

function* planJoin<Context>(...given: Parameters<typeof compileVariant<Context>>): Sliced<PlannedJoin<Context>> {
  const [, , , { services }] = given;
  const variant = yield* compileVariant<Context>(...given);
  return {
    relay: variant.relay,
    fetches: variant.fetches ?? [],
    run: (variables, context, introspected) =>
      new Promise((resolve, reject) => {
        const run = startRun(variables, context, reject);
        perform(variant.step, run, () => {
          if (services.isUnneeded?.(context)) {
            resolve(UNNEEDED);
            return;
          }
          if (introspected) Object.assign(run.data, introspected);
          resolve(finishRun(run, variant));
        });
      }),
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

function perform<Context>(step: FetchStep<Context> | undefined, run: PlanRun<Context>, done: () => void): void {
  if (step) step(run, done);
  else done();
}

/** The whole GraphQL response as an object. */
export function responseObject({ data, errors }: JoinResult): {
  data: JsonObject | null;
  errors?: JoinResult['errors'];
} {
  const parsed: JsonObject | null = JSON.parse(data);
  return errors.length === 0 ? { data: parsed } : { data: parsed, errors };
}
