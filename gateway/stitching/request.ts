import { isAsyncIterable } from '@graphql-tools/utils';
import {
  type ArgumentNode,
  type DocumentNode,
  type ExecutionResult,
  execute,
  type FieldNode,
  type FragmentDefinitionNode,
  GraphQLError,
  type GraphQLInputType,
  getNullableType,
  isInputObjectType,
  isListType,
  Kind,
  type OperationDefinitionNode,
  type OperationTypeNode,
  parseType,
  type SelectionNode,
  type SelectionSetNode,
  type VariableDefinitionNode,
  visit,
} from 'graphql';
import type { Variables } from '../syntax/index.ts';
import { ErrorTree } from './answer.ts';
import type { StitchedSubschema } from './subschema.ts';

/** What a subschema answered to one request. */
export interface SubschemaAnswer {
  /** Undefined where it answered nothing at all. */
  readonly data: Readonly<Record<string, unknown>> | undefined;
  /** Those with paths, by these. */
  readonly errors: ErrorTree;
}

/** One operation for a subschema, built root field by root field. */
export class SubschemaRequest {
  readonly subschema: StitchedSubschema;
  readonly #type: OperationTypeNode;
  readonly #client: OperationDefinitionNode;
  readonly #clientVariables: Variables;
  readonly #typesOfSets: WeakMap<SelectionSetNode, string>;
  readonly #fields: FieldNode[] = [];
  readonly #definitions: VariableDefinitionNode[] = [];
  readonly #variables: Record<string, unknown> = {};

  constructor(
    subschema: StitchedSubschema,
    type: OperationTypeNode,
    client: { readonly operation: OperationDefinitionNode; readonly variables: Variables },
    typesOfSets: WeakMap<SelectionSetNode, string>,
  ) {
    this.subschema = subschema;
    this.#type = type;
    this.#client = client.operation;
    this.#clientVariables = client.variables;
    this.#typesOfSets = typesOfSets;
  }

  /** A key that no other root field has. */
  get nextKey(): string {
    return `portico_${this.#fields.length}`;
  }

  add(field: FieldNode): void {
    this.#fields.push(field);
  }

  /** An argument whose value is a variable of our own. */
  argument(name: string, type: GraphQLInputType, value: unknown): ArgumentNode {
    const variable = this.#nameFor(`portico_${this.#definitions.length}_${name}`);
    const node = { kind: Kind.VARIABLE, name: { kind: Kind.NAME, value: variable } } as const;
    this.#definitions.push({ kind: Kind.VARIABLE_DEFINITION, variable: node, type: parseType(String(type)) });
    this.#variables[variable] = fitting(value, type);
    return { kind: Kind.ARGUMENT, name: { kind: Kind.NAME, value: name }, value: node };
  }

  /** @throws what the executor throws */
  async send(context: unknown): Promise<SubschemaAnswer> {
    const { document, variables } = this.toRun();
    const { executor, schema } = this.subschema;
    const result = executor
      ? await executor({ document, variables, operationType: this.#type, context })
      : await execute({ schema, document, variableValues: variables, contextValue: context });
    if (isAsyncIterable(result)) throw new TypeError('an answer in parts to an operation without such');
    return readSubschemaAnswer(result as ExecutionResult);
  }

  toRun(): { readonly document: DocumentNode; readonly variables: Record<string, unknown> } {
    const { selections, fragments } = withSharedFragments(this.#fields, this.#typesOfSets);
    const used = new Set<string>();
    for (const node of [...selections, ...fragments])
      visit(node, { Variable: ({ name }) => void used.add(name.value) });
    const ofClient = (this.#client.variableDefinitions ?? []).filter(({ variable }) => used.has(variable.name.value));
    // A variable may be called `__proto__`.
    const variables: Record<string, unknown> = Object.assign(Object.create(null), this.#variables);
    for (const { variable } of ofClient) {
      const name = variable.name.value;
      if (Object.hasOwn(this.#clientVariables, name)) variables[name] = this.#clientVariables[name];
    }
    const operation: OperationDefinitionNode = {
      kind: Kind.OPERATION_DEFINITION,
      operation: this.#type,
      variableDefinitions: [...ofClient, ...this.#definitions],
      selectionSet: { kind: Kind.SELECTION_SET, selections },
    };
    return { document: { kind: Kind.DOCUMENT, definitions: [operation, ...fragments] }, variables };
  }

  #nameFor(name: string): string {
    const isTaken = this.#client.variableDefinitions?.some(({ variable }) => variable.name.value === name);
    return isTaken ? this.#nameFor(`_${name}`) : name;
  }
}

export function readSubschemaAnswer({ data, errors = [] }: ExecutionResult): SubschemaAnswer {
  const tree = new ErrorTree();
  for (const error of errors) tree.add(error, error.path ?? []);
  return { data: data ?? undefined, errors: tree };
}

/** What is written several times becomes a fragment. */
function withSharedFragments(
  fields: readonly FieldNode[],
  typesOfSets: WeakMap<SelectionSetNode, string>,
): { readonly selections: readonly SelectionNode[]; readonly fragments: readonly FragmentDefinitionNode[] } {
  const counts = new Map<SelectionSetNode, number>();
  const count = (set: SelectionSetNode): void => {
    const seen = counts.get(set) ?? 0;
    counts.set(set, seen + 1);
    if (seen > 0) return;
    for (const node of set.selections)
      if (node.kind !== Kind.FRAGMENT_SPREAD && node.selectionSet) count(node.selectionSet);
  };
  for (const { selectionSet } of fields) if (selectionSet) count(selectionSet);
  const fragments: FragmentDefinitionNode[] = [];
  const rewritten = new Map<SelectionSetNode, SelectionSetNode>();
  const rewrite = (set: SelectionSetNode): SelectionSetNode => {
    const known = rewritten.get(set);
    if (known) return known;
    const selections = set.selections.map((node) =>
      node.kind !== Kind.FRAGMENT_SPREAD && node.selectionSet
        ? ({ ...node, selectionSet: rewrite(node.selectionSet) } as SelectionNode)
        : node,
    );
    const inner: SelectionSetNode = { kind: Kind.SELECTION_SET, selections };
    const type = typesOfSets.get(set);
    const isShort = set.selections.length < 2 && !set.selections.some((node) => 'selectionSet' in node);
    if (type === undefined || isShort || (counts.get(set) ?? 0) < 2) {
      rewritten.set(set, inner);
      return inner;
    }
    const name = { kind: Kind.NAME, value: `portico_${fragments.length}` } as const;
    const typeCondition = { kind: Kind.NAMED_TYPE, name: { kind: Kind.NAME, value: type } } as const;
    fragments.push({ kind: Kind.FRAGMENT_DEFINITION, name, typeCondition, selectionSet: inner });
    const spread: SelectionSetNode = {
      kind: Kind.SELECTION_SET,
      selections: [{ kind: Kind.FRAGMENT_SPREAD, name }],
    };
    rewritten.set(set, spread);
    return spread;
  };
  const selections = fields.map((field) =>
    field.selectionSet ? { ...field, selectionSet: rewrite(field.selectionSet) } : field,
  );
  return { selections, fragments };
}

/** A value as an argument of a type takes it: what one service answers as a number another may take as a text. */
function fitting(value: unknown, type: GraphQLInputType): unknown {
  if (value === null || value === undefined) return value;
  const inner = getNullableType(type);
  if (isListType(inner)) return [value].flat().map((item) => fitting(item, inner.ofType));
  if (isInputObjectType(inner)) {
    if (typeof value !== 'object') return value;
    return Object.fromEntries(
      Object.values(inner.getFields()).flatMap((field) => {
        const given = (value as Readonly<Record<string, unknown>>)[field.name];
        return given === undefined ? [] : [[field.name, fitting(given, field.type)]];
      }),
    );
  }
  if (inner.name === 'String' && typeof value !== 'object') return String(value);
  if ((inner.name === 'Int' || inner.name === 'Float') && typeof value === 'string') return Number(value);
  return value;
}

/** The response of a request that failed as a whole. */
export function failedRequest(error: unknown): SubschemaAnswer {
  const originalError = error instanceof Error ? error : new Error(String(error));
  const located = error instanceof GraphQLError ? error : new GraphQLError(originalError.message, { originalError });
  return readSubschemaAnswer({ data: null, errors: [located] });
}
