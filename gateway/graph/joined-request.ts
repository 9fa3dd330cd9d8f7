import { delegateToSchema, type StitchingInfo, type Transform, Transformer } from '@graphql-tools/delegate';
import type { ExecutionRequest, ExecutionResult } from '@graphql-tools/utils';
import {
  type ArgumentNode,
  type DocumentNode,
  GraphQLError,
  type GraphQLResolveInfo,
  GraphQLScalarType,
  getNamedType,
  isLeafType,
  Kind,
  type OperationDefinitionNode,
  OperationTypeNode,
  parseType,
  type SelectionSetNode,
  type VariableDefinitionNode,
} from 'graphql';
import type { Call, Subschema } from '../sources/index.ts';
import type { Relationship, Step } from './relationships.ts';
import { askedForRows } from './rows-executor.ts';

/** What a client asks for in one place of a relationship. */
export interface JoinedRequest {
  readonly relationship: Relationship;
  /** The target as it is stitched. */
  readonly target: Subschema;
  /** Arguments that are left to the client, as it gives them. */
  readonly client: Readonly<Record<string, unknown>>;
  readonly context: Call;
  readonly info: GraphQLResolveInfo;
}

/** What the target answers for one row. Paths of errors begin with its root field, and what follows is within the value. */
export interface JoinedAnswer {
  readonly value: unknown;
  readonly errors: readonly GraphQLError[];
}

type Argument = Step['arguments'][number];

/** Asks for many rows by one operation, a root field for each. @param rows the values of `rowArguments` of each. */
export async function askForRows(
  request: JoinedRequest,
  rowArguments: ReadonlySet<Argument>,
  rows: readonly (readonly unknown[])[],
): Promise<readonly JoinedAnswer[]> {
  const { relationship, context, info } = request;
  const { answer, steps } = relationship;
  const way = new Way(request, rowArguments, rows);
  const raw: unknown = await delegateToSchema({
    schema: stitchedPart(request),
    operation: OperationTypeNode.QUERY,
    fieldName: rootOf(relationship),
    ...nested(steps, info),
    context,
    info,
    returnType: isLeafType(getNamedType(answer)) ? AS_IT_IS : answer,
    // The answer is that of all rows, and is made something of row by row.
    skipTypeMerging: true,
    transforms: [way],
  });
  if (raw instanceof Error) throw raw;
  const values = (raw as { [ALL]: readonly unknown[] })[ALL];
  return rows.map((_, row) => ({ value: values[row], errors: way.errors[row] ?? [] }));
}

/** What the graph has for an answer: its errors in their places, and what stitching joins to it. */
export function joinedValue(request: JoinedRequest, { value, errors }: JoinedAnswer): unknown {
  const { relationship, context, info } = request;
  const subschema = stitchedPart(request);
  const root = rootOf(relationship);
  const transformer = new Transformer<Call>({
    subschema,
    targetSchema: subschema.schema,
    transformedSchema: subschema.schema,
    operation: OperationTypeNode.QUERY,
    fieldName: root,
    returnType: info.returnType,
    transforms: [],
    skipTypeMerging: false,
    context,
    info,
  });
  // Others get the same answer, and what is made of it has a place.
  return transformer.transformResult({ data: { [root]: copied(value) }, errors: errors.map((error) => copyOf(error)) });
}

/** Where the values of all rows are, in what stitching takes for one object. */
const ALL = 'portico_all';

const AS_IT_IS = new GraphQLScalarType({ name: 'portico_AsItIs' });

function rootOf({ steps }: Relationship): string {
  return steps[0]?.field ?? '';
}

/** Types that are joined by stitching are joined for what comes of the part as stitching itself knows it. */
function stitchedPart({ target, info }: JoinedRequest): Subschema {
  const { subschemaMap } = info.schema.extensions.stitchingInfo as StitchingInfo<Call>;
  return (subschemaMap.get(target) as Subschema | undefined) ?? target;
}

/** The client's selections in the fields that lead to what it selects of. */
function nested([, ...inner]: readonly Step[], { fieldNodes }: GraphQLResolveInfo) {
  if (inner.length === 0) return {};
  const selections = fieldNodes.flatMap(({ selectionSet }) => selectionSet?.selections ?? []);
  const wanted: SelectionSetNode | undefined =
    selections.length > 0 ? { kind: Kind.SELECTION_SET, selections } : undefined;
  return { selectionSet: inner.reduceRight((within, { field }) => only(field, within), wanted) as SelectionSetNode };
}

function only(field: string, selectionSet: SelectionSetNode | undefined): SelectionSetNode {
  const name = { kind: Kind.NAME, value: field } as const;
  return { kind: Kind.SELECTION_SET, selections: [{ kind: Kind.FIELD, name, ...(selectionSet && { selectionSet }) }] };
}

/** Gives the fields on the way their arguments, and takes what they lead to out of the answer, for each row. */
class Way implements Transform<unknown, Call> {
  readonly #request: JoinedRequest;
  readonly #rowArguments: ReadonlySet<Argument>;
  readonly #rows: readonly (readonly unknown[])[];
  /** By the rows. */
  errors: readonly (readonly GraphQLError[])[] = [];

  constructor(request: JoinedRequest, rowArguments: ReadonlySet<Argument>, rows: readonly (readonly unknown[])[]) {
    this.#request = request;
    this.#rowArguments = rowArguments;
    this.#rows = rows;
  }

  transformRequest(request: ExecutionRequest): ExecutionRequest {
    const { steps, answer } = this.#request.relationship;
    const variables: Record<string, unknown> = { ...request.variables };
    const definitions: VariableDefinitionNode[] = [];
    const rowVariables: string[] = [];
    const prefix = unused('portico_', request.document);
    const argument = (step: number, given: Argument): ArgumentNode => {
      const variable = `${prefix}${step}_${given.name}`;
      if (this.#rowArguments.has(given)) rowVariables.push(variable);
      else variables[variable] = given.value;
      const named = { kind: Kind.VARIABLE, name: { kind: Kind.NAME, value: variable } } as const;
      definitions.push({ kind: Kind.VARIABLE_DEFINITION, variable: named, type: parseType(String(given.type)) });
      return { kind: Kind.ARGUMENT, name: { kind: Kind.NAME, value: given.name }, value: named };
    };
    const inStep = (set: SelectionSetNode, index: number): SelectionSetNode => ({
      ...set,
      selections: set.selections.map((node) => {
        if (node.kind !== Kind.FIELD || node.name.value !== steps[index]?.field) return node;
        const isLast = index === steps.length - 1;
        return {
          ...node,
          arguments: this.#arguments(index).map((one) => argument(index, one)),
          ...(node.selectionSet && !isLast && { selectionSet: inStep(node.selectionSet, index + 1) }),
        };
      }),
    });
    const withArguments = (operation: OperationDefinitionNode): OperationDefinitionNode => {
      const selectionSet = inStep(operation.selectionSet, 0);
      return {
        ...operation,
        selectionSet,
        variableDefinitions: [...(operation.variableDefinitions ?? []), ...definitions],
      };
    };
    const document: DocumentNode = {
      ...request.document,
      definitions: request.document.definitions.map((definition) =>
        definition.kind === Kind.OPERATION_DEFINITION ? withArguments(definition) : definition,
      ),
    };
    return askedForRows(
      { ...request, document, variables },
      { variables: rowVariables, values: this.#rows, depth: steps.length, type: getNamedType(answer).name },
    );
  }

  transformResult({ data, errors = [] }: ExecutionResult): ExecutionResult {
    const { relationship } = this.#request;
    const root = rootOf(relationship);
    const found = (data as Readonly<Record<string, unknown>> | null | undefined)?.[root];
    const ofRows = Array.isArray(found) ? found : [];
    const [, ...inner] = relationship.steps;
    const ofEach = this.#byRow(errors);
    // An error of one row may leave no answer at all: the others are told why they have none.
    const [lost] = Array.isArray(found) ? [] : errors;
    this.errors = ofEach.map((own) => (own.length > 0 || !lost ? own : [copyOf(lost, null)]));
    return { data: { [root]: { [ALL]: this.#rows.map((_, row) => within(ofRows[row], inner)) } } };
  }

  #byRow(errors: readonly GraphQLError[]): readonly (readonly GraphQLError[])[] {
    const { steps } = this.#request.relationship;
    const ofRows: GraphQLError[][] = this.#rows.map(() => []);
    for (const error of errors) {
      const [root, row, ...path] = error.path ?? [];
      if (typeof root === 'string' && typeof row === 'number')
        ofRows[row]?.push(copyOf(error, [root, ...path.slice(steps.length - 1)]));
      else for (const own of ofRows) own.push(copyOf(error, null));
    }
    return ofRows;
  }

  #arguments(index: number): readonly Argument[] {
    const { steps, clientArguments } = this.#request.relationship;
    const own = steps[index]?.arguments ?? [];
    if (index < steps.length - 1) return own;
    const { client } = this.#request;
    const given = clientArguments.filter(({ name }) => Object.hasOwn(client, name));
    return [...own, ...given.map(({ name, type }) => ({ name, type, value: client[name] }))];
  }
}

/** A beginning that no variable of a document's operation has. */
function unused(prefix: string, document: DocumentNode): string {
  const isTaken = document.definitions.some(
    (one) =>
      one.kind === Kind.OPERATION_DEFINITION &&
      one.variableDefinitions?.some(({ variable }) => variable.name.value.startsWith(prefix)),
  );
  return isTaken ? unused(`_${prefix}`, document) : prefix;
}

function within(value: unknown, steps: readonly Step[]): unknown {
  let found = value;
  for (const { field } of steps) found = (found as Record<string, unknown> | null | undefined)?.[field];
  return found;
}

/** @param path where it is then; the same if left out, nowhere if null. */
function copyOf({ message, path: before, extensions }: GraphQLError, path = before ?? null): GraphQLError {
  return path ? new GraphQLError(message, { path, extensions }) : new GraphQLError(message, { extensions });
}

function copied(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(copied);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, copied(inner)]));
}
