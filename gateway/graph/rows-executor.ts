import { type ExecutionRequest, type ExecutionResult, type Executor, isAsyncIterable } from '@graphql-tools/utils';
import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  GraphQLError,
  Kind,
  type NameNode,
  type OperationDefinitionNode,
  type SelectionNode,
  type VariableDefinitionNode,
} from 'graphql';
import type { Call, Subschema } from '../sources/index.ts';

/** A root field that is asked for once for each row, with other values for some of its variables. */
export interface AskedRows {
  /** The variables that rows have values of their own for. */
  readonly variables: readonly string[];
  /** The values of one row each, in the order of the variables. */
  readonly values: readonly (readonly unknown[])[];
  /** How many fields lead to what is asked for; they alone have arguments that are a row's own. */
  readonly depth: number;
  /** The type of what is asked for. */
  readonly type: string;
}

/** Where a request says what rows it is for: one entry for each of the requests that it was put together of. */
const ROWS = 'portico_rows';

type Entries = readonly (AskedRows | undefined)[];

/** A request whose one root field answers with a list, an item for each row. Errors say the row after the field. */
export function askedForRows(request: ExecutionRequest, rows: AskedRows): ExecutionRequest {
  return { ...request, extensions: { ...request.extensions, [ROWS]: [rows] satisfies Entries } };
}

/**
 * A part of a source that can be asked for many rows by a request that was made for one: what delegation makes of a
 * request, and what puts requests of the same time together, is done once, whatever the number of rows.
 */
export function withRows(subschema: Subschema): Subschema {
  const { executor } = subschema;
  if (!executor) return subschema;
  return { ...subschema, executor: rowsExecutor(executor), batch: true, batchingOptions: { extensionsReducer } };
}

function extensionsReducer(merged: Record<string, unknown>, { extensions }: ExecutionRequest): Record<string, unknown> {
  const entries = (merged[ROWS] ?? []) as Entries;
  const own = (extensions?.[ROWS] ?? [undefined]) as Entries;
  return { ...merged, ...extensions, [ROWS]: [...entries, ...own] };
}

function rowsExecutor(executor: Executor<Call>): Executor<Call> {
  return async (request: ExecutionRequest) => {
    const entries = request.extensions?.[ROWS] as Entries | undefined;
    if (!entries?.some((entry) => entry)) return executor(request);
    const expansion = new Expansion(request, entries);
    const result = await executor(expansion.request);
    return isAsyncIterable(result) ? result : expansion.gathered(result as ExecutionResult);
  };
}

/** One request with a root field for every row, and the way back from its answer. */
class Expansion {
  readonly request: ExecutionRequest;
  readonly #entries: Entries;
  readonly #document: DocumentNode;
  readonly #fragments: FragmentDefinitionNode[] = [];
  /** The rows' root fields: what key they were asked for with, and which row they are. */
  readonly #places = new Map<string, { readonly key: string; readonly row: number }>();
  readonly #counts = new Map<string, number>();

  constructor(request: ExecutionRequest, entries: Entries) {
    this.#entries = entries;
    this.#document = request.document;
    const variables: Record<string, unknown> = { ...request.variables };
    const definitions = request.document.definitions.map((definition) =>
      definition.kind === Kind.OPERATION_DEFINITION ? this.#operation(definition, variables) : definition,
    );
    const document: DocumentNode = { kind: Kind.DOCUMENT, definitions: [...definitions, ...this.#fragments] };
    this.request = { ...request, document, variables };
  }

  gathered({ data, errors, ...rest }: ExecutionResult): ExecutionResult {
    return { ...rest, ...(data !== undefined && { data: data && this.#lists(data) }), ...this.#located(errors) };
  }

  #lists(data: Readonly<Record<string, unknown>>): Record<string, unknown> {
    const gathered: Record<string, unknown> = Object.create(null);
    for (const [key, count] of this.#counts) gathered[key] = new Array(count).fill(null);
    for (const [alias, value] of Object.entries(data)) {
      const place = this.#places.get(alias);
      if (place) (gathered[place.key] as unknown[])[place.row] = value;
      else gathered[alias] = value;
    }
    return gathered;
  }

  #located(errors: ExecutionResult['errors']): { errors?: readonly GraphQLError[] } {
    if (!errors) return {};
    const located = errors.map((error) => {
      const [first, ...rest] = error.path ?? [];
      const place = typeof first === 'string' ? this.#places.get(first) : undefined;
      if (!place) return error;
      return new GraphQLError(error.message, {
        path: [place.key, place.row, ...rest],
        extensions: error.extensions,
        originalError: error.originalError,
      });
    });
    return { errors: located };
  }

  #operation(operation: OperationDefinitionNode, variables: Record<string, unknown>): OperationDefinitionNode {
    const definitions = new Map<string, VariableDefinitionNode>();
    for (const definition of operation.variableDefinitions ?? [])
      definitions.set(definition.variable.name.value, definition);
    const selections = operation.selectionSet.selections.flatMap((node): SelectionNode[] => {
      if (node.kind !== Kind.FIELD || node.name.value === '__typename') return [node];
      const key = (node.alias ?? node.name).value;
      // Requests that were put together have prefixes that number them.
      const [prefix, number] = this.#entries.length > 1 ? (/^_v(\d+)_/.exec(key) ?? []) : ['', '0'];
      const rows = this.#entries[Number(number)];
      return rows ? this.#rows(node, { rows, key, prefix: prefix ?? '', definitions, variables }) : [node];
    });
    return {
      ...operation,
      variableDefinitions: [...definitions.values()],
      selectionSet: { kind: Kind.SELECTION_SET, selections },
    };
  }

  #rows(node: FieldNode, { rows, key, prefix, definitions, variables }: RowsOfField): FieldNode[] {
    const own = rows.variables.map((variable) => prefix + variable);
    const kinds = own.map((variable) => definitions.get(variable)?.type);
    for (const variable of own) definitions.delete(variable);
    const shared = rows.values.length > 1 ? this.#withFragment(node, rows, key) : node;
    this.#counts.set(key, rows.values.length);
    return rows.values.map((values, row) => {
      const alias = `${key}_${row}`;
      this.#places.set(alias, { key, row });
      for (const [index, variable] of own.entries()) {
        const type = kinds[index];
        if (!type) continue;
        const name = `${variable}_${row}`;
        definitions.set(name, { kind: Kind.VARIABLE_DEFINITION, variable: variableNode(name), type });
        variables[name] = values[index];
      }
      return { ...inRow(shared, rows.depth, own, row), alias: nameNode(alias) };
    });
  }

  #fragmentName(name: string): string {
    const { definitions } = this.#document;
    const isTaken = definitions.some((one) => one.kind === Kind.FRAGMENT_DEFINITION && one.name.value === name);
    return isTaken ? this.#fragmentName(`${name}_`) : name;
  }

  /** What is selected of each row is written down once. */
  #withFragment(node: FieldNode, { depth, type }: AskedRows, key: string): FieldNode {
    const name = nameNode(this.#fragmentName(`portico_${key}`));
    const within = (field: FieldNode, left: number): FieldNode => {
      if (!field.selectionSet) return field;
      const selections =
        left > 1
          ? field.selectionSet.selections.map((one) => (one.kind === Kind.FIELD ? within(one, left - 1) : one))
          : [{ kind: Kind.FRAGMENT_SPREAD, name } as const];
      if (left <= 1)
        this.#fragments.push({
          kind: Kind.FRAGMENT_DEFINITION,
          name,
          typeCondition: { kind: Kind.NAMED_TYPE, name: nameNode(type) },
          selectionSet: field.selectionSet,
        });
      return { ...field, selectionSet: { kind: Kind.SELECTION_SET, selections } };
    };
    return within(node, depth);
  }
}

interface RowsOfField {
  readonly rows: AskedRows;
  /** The key that the field was asked for with. */
  readonly key: string;
  readonly prefix: string;
  readonly definitions: Map<string, VariableDefinitionNode>;
  readonly variables: Record<string, unknown>;
}

/** A field, and those that lead further, with a row's own variables. */
function inRow(field: FieldNode, left: number, own: readonly string[], row: number): FieldNode {
  const withOwn = field.arguments?.map((argument) => {
    const { value } = argument;
    const isOwn = value.kind === Kind.VARIABLE && own.includes(value.name.value);
    return isOwn ? { ...argument, value: variableNode(`${value.name.value}_${row}`) } : argument;
  });
  const deeper =
    left > 1 && field.selectionSet
      ? field.selectionSet.selections.map((node) => (node.kind === Kind.FIELD ? inRow(node, left - 1, own, row) : node))
      : undefined;
  return {
    ...field,
    ...(withOwn && { arguments: withOwn }),
    ...(deeper && { selectionSet: { kind: Kind.SELECTION_SET, selections: deeper } }),
  };
}

function nameNode(value: string): NameNode {
  return { kind: Kind.NAME, value };
}

function variableNode(name: string) {
  return { kind: Kind.VARIABLE, name: nameNode(name) } as const;
}
