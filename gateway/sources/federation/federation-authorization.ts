import {
  type ExecutionRequest,
  type ExecutionResult,
  type Executor,
  isAsyncIterable,
  type MaybeAsyncIterable,
} from '@graphql-tools/utils';
import {
  BREAK,
  type DocumentNode,
  type FieldNode,
  type GraphQLError,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  isAbstractType,
  isInterfaceType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  type SelectionNode,
  type SelectionSetNode,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import { accessibleTo, type CallerGrants, type Requirements } from '../../composition/index.ts';
import type { Session } from '../../session/index.ts';
import { ADMIN_ROLE } from '../../session/index.ts';
import { type Fragments, fragmentsOf, nameNode } from '../../syntax/index.ts';
import { unauthorizedField } from '../errors.ts';
import type { OperationContext } from '../operation-context.ts';
import { failedEvents, mapEvents } from '../source-events.ts';

/** The response key of an added `__typename` that decides whether a field was unauthorized. */
const TYPE_KEY = 'portico__typename';

/**
 * Takes the fields out of each operation that its caller is not authorized for, as `@authenticated`, `@requiresScopes`
 * and `@policy` say. They are null in the result, with an error each, and are not fetched.
 */
export function withAuthorization(
  executor: Executor<OperationContext>,
  requirements: Requirements,
  schema: GraphQLSchema,
  publicRole: string,
): Executor<OperationContext> {
  if (requirements.size === 0) return executor;
  return async (request: ExecutionRequest): Promise<MaybeAsyncIterable<ExecutionResult>> => {
    const { session } = request.context as OperationContext;
    if (session.role === ADMIN_ROLE) return executor(request);
    const filter = new SelectionFilter(request.document, schema, requirements, callerOfSession(session, publicRole));
    const { document, denied, isEmpty } = filter.filtered(request.operationName);
    if (denied.length === 0) return executor(request);
    if (isEmpty && request.operationType === 'subscription')
      return failedEvents(withRefusals({ data: {} }, denied, schema).errors ?? []);
    const result: MaybeAsyncIterable<ExecutionResult> = isEmpty
      ? { data: {} }
      : await executor({ ...request, document, variables: used(request, document) });
    if (!isAsyncIterable(result)) return withRefusals(result, denied, schema);
    return mapEvents(result[Symbol.asyncIterator](), (event) => withRefusals(event, denied, schema));
  };
}

/** Whether an operation selects anything that not every caller may have. */
export function touches(document: DocumentNode, requirements: Requirements, schema: GraphQLSchema): boolean {
  if (requirements.size === 0) return false;
  const types = new TypeInfo(schema);
  let found = false;
  visit(
    document,
    visitWithTypeInfo(types, {
      Field({ name }) {
        found ||= requirements.has(`${types.getParentType()?.name}.${name.value}`);
        return found ? BREAK : undefined;
      },
    }),
  );
  return found;
}

/**
 * The caller's rights, for the directives. Scopes are the token's `scope` claim and the session variable
 * `x-hasura-scopes`; policies are the role and `x-hasura-policies`.
 */
function callerOfSession({ role, scopes, variables }: Session, publicRole: string): CallerGrants {
  return {
    isAuthenticated: role !== publicRole,
    scopes: new Set([...scopes, ...listedWords(variables['x-hasura-scopes'])]),
    policies: new Set([role, ...listedWords(variables['x-hasura-policies'])]),
  };
}

/** A list in a session variable: words between spaces or commas, or an array as PostgreSQL writes it. */
function listedWords(text = ''): readonly string[] {
  const list = text.startsWith('{') && text.endsWith('}') ? text.slice(1, -1).replaceAll('"', '') : text;
  return list.split(/[\s,]+/).filter(Boolean);
}

/** A field that was taken out, on all objects at a path that are of a type. */
interface Denied {
  readonly path: readonly string[];
  readonly key: string;
  /** Types that an object on the way has to be of, by the number of steps that lead to it. */
  readonly conditions: readonly { readonly depth: number; readonly type: string }[];
}

interface SelectionPlace {
  readonly path: readonly string[];
  readonly conditions: Denied['conditions'];
}

class SelectionFilter {
  readonly #document: DocumentNode;
  readonly #schema: GraphQLSchema;
  readonly #requirements: Requirements;
  readonly #caller: CallerGrants;
  readonly #fragments: Fragments;
  readonly #denied: Denied[] = [];

  constructor(document: DocumentNode, schema: GraphQLSchema, requirements: Requirements, caller: CallerGrants) {
    this.#document = document;
    this.#schema = schema;
    this.#requirements = requirements;
    this.#caller = caller;
    this.#fragments = fragmentsOf(document);
  }

  filtered(name: string | undefined): { document: DocumentNode; denied: readonly Denied[]; isEmpty: boolean } {
    const operation = this.#document.definitions.find(
      (one): one is OperationDefinitionNode =>
        one.kind === Kind.OPERATION_DEFINITION && (name === undefined || one.name?.value === name),
    );
    const root = operation && this.#schema.getRootType(operation.operation);
    if (!operation || !root) return { document: this.#document, denied: [], isEmpty: false };
    const selections = this.#selections(operation.selectionSet, root, { path: [], conditions: [] });
    const document: DocumentNode = {
      kind: Kind.DOCUMENT,
      definitions: [withoutUnusedVariables({ ...operation, selectionSet: { kind: Kind.SELECTION_SET, selections } })],
    };
    return { document, denied: this.#denied, isEmpty: selections.length === 0 };
  }

  #selections(set: SelectionSetNode, parent: GraphQLNamedType, place: SelectionPlace): readonly SelectionNode[] {
    return set.selections.flatMap((selection) => this.#selection(selection, parent, place));
  }

  #selection(selection: SelectionNode, parent: GraphQLNamedType, place: SelectionPlace): readonly SelectionNode[] {
    if (selection.kind === Kind.FIELD) return this.#field(selection, parent, place);
    const fragment = selection.kind === Kind.INLINE_FRAGMENT ? selection : this.#fragments.get(selection.name.value);
    if (!fragment) return [];
    const condition = fragment.typeCondition?.name.value;
    // An object stays of its own type, whatever it is also called.
    const narrows = condition !== undefined && condition !== parent.name && isAbstractType(parent);
    const type = narrows ? this.#schema.getType(condition) : parent;
    if (!type) return [selection];
    const conditions = narrows
      ? [...place.conditions, { depth: place.path.length, type: type.name }]
      : place.conditions;
    const before = this.#denied.length;
    const inner = this.#selections(fragment.selectionSet, type, { ...place, conditions });
    const asked = narrows && this.#denied.length > before ? [typeQuestion()] : [];
    if (inner.length === 0) return asked;
    return [
      ...asked,
      {
        kind: Kind.INLINE_FRAGMENT,
        ...(fragment.typeCondition && { typeCondition: fragment.typeCondition }),
        directives: selection.directives ?? [],
        selectionSet: { kind: Kind.SELECTION_SET, selections: inner },
      },
    ];
  }

  #field(field: FieldNode, parent: GraphQLNamedType, place: SelectionPlace): readonly SelectionNode[] {
    const key = field.alias?.value ?? field.name.value;
    const demanded = this.#requirements.get(`${parent.name}.${field.name.value}`);
    if (demanded && !accessibleTo(this.#caller, demanded)) {
      this.#denied.push({ ...place, key });
      return [];
    }
    const definition =
      isObjectType(parent) || isInterfaceType(parent) ? parent.getFields()[field.name.value] : undefined;
    if (!field.selectionSet || !definition) return [field];
    const inner = this.#selections(field.selectionSet, getNamedType(definition.type), {
      ...place,
      path: [...place.path, key],
    });
    // The object itself is not refused: its source decides whether it exists or is null.
    const selections = inner.length > 0 ? inner : [typeQuestion()];
    return [{ ...field, selectionSet: { kind: Kind.SELECTION_SET, selections } }];
  }
}

function typeQuestion(): FieldNode {
  return { kind: Kind.FIELD, alias: nameNode(TYPE_KEY), name: nameNode('__typename') };
}

function withoutUnusedVariables(operation: OperationDefinitionNode): OperationDefinitionNode {
  const names = new Set<string>();
  visit({ ...operation, variableDefinitions: [] }, { Variable: ({ name }) => void names.add(name.value) });
  const kept = (operation.variableDefinitions ?? []).filter(({ variable }) => names.has(variable.name.value));
  return { ...operation, variableDefinitions: kept };
}

/** Removes the definitions of variables that only removed fields used. */
function used(
  { variables = {} }: ExecutionRequest,
  { definitions: [operation] }: DocumentNode,
): Record<string, unknown> {
  const declared = operation?.kind === Kind.OPERATION_DEFINITION ? (operation.variableDefinitions ?? []) : [];
  const names = new Set(declared.map(({ variable }) => variable.name.value));
  return Object.fromEntries(Object.entries(variables).filter(([name]) => names.has(name)));
}

function withRefusals(result: ExecutionResult, denied: readonly Denied[], schema: GraphQLSchema): ExecutionResult {
  const errors: GraphQLError[] = [...(result.errors ?? [])];
  const reportedPlaces = new Set<string>();
  const refuse = (value: unknown, at: readonly (string | number)[], step: number, one: Denied): void => {
    if (Array.isArray(value)) {
      for (const [index, item] of value.entries()) refuse(item, [...at, index], step, one);
      return;
    }
    if (typeof value !== 'object' || value === null) return;
    const object = value as Record<string, unknown>;
    const isOther = ({ depth, type }: Denied['conditions'][number]) => depth === step && !isOf(object, type, schema);
    if (one.conditions.some(isOther)) return;
    const next = one.path[step];
    if (next !== undefined) {
      refuse(object[next], [...at, next], step + 1, one);
      return;
    }
    // Selected in another place of the operation too, by a type that does not refuse it.
    if (object[one.key] !== undefined && object[one.key] !== null) return;
    object[one.key] = null;
    const path = [...at, one.key];
    const place = JSON.stringify(path);
    if (reportedPlaces.has(place)) return;
    reportedPlaces.add(place);
    errors.push(unauthorizedField(path));
  };
  for (const one of denied) refuse(result.data, [], 0, one);
  return { ...result, errors };
}

function isOf(object: Readonly<Record<string, unknown>>, condition: string, schema: GraphQLSchema): boolean {
  const type = schema.getType(condition);
  const actual = schema.getType(String(object[TYPE_KEY]));
  if (type === actual) return true;
  return isAbstractType(type) && (isObjectType(actual) || isInterfaceType(actual)) && schema.isSubType(type, actual);
}
