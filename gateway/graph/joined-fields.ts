import { delegateToSchema, type StitchingInfo, type Transform } from '@graphql-tools/delegate';
import type { ExecutionRequest, ExecutionResult, IResolvers } from '@graphql-tools/utils';
import {
  type ArgumentNode,
  astFromValue,
  type DocumentNode,
  GraphQLError,
  type GraphQLResolveInfo,
  Kind,
  type OperationDefinitionNode,
  OperationTypeNode,
  parse,
  parseType,
  print,
  type SelectionSetNode,
  type VariableDefinitionNode,
} from 'graphql';
import type { Call, Subschema } from '../sources/index.ts';
import { filledIn } from './relationship-arguments.ts';
import type { Relationship, Step } from './relationships.ts';
import { sharedRequest } from './shared-requests.ts';

/** What stitching is told of relationships. */
export interface JoinedFields {
  readonly typeDefs: DocumentNode[];
  readonly resolvers: IResolvers;
}

/**
 * Relationships as fields of the graph: each fetches what it needs beside what the client asks for, and asks its target.
 *
 * @param targetOf the subschema that is stitched for a part of a source.
 */
export function joinedFields(
  relationships: readonly Relationship[],
  targetOf: (subschema: Subschema) => Subschema,
): JoinedFields {
  const resolvers: Record<string, Record<string, object>> = {};
  for (const relationship of relationships) {
    const { type, name, keys } = relationship;
    const fetched = [...keys].map(([key, field]) => `${keyOf(key)}: ${field}`);
    resolvers[type] = {
      ...resolvers[type],
      [name]: {
        ...(fetched.length > 0 && { selectionSet: `{ ${fetched.join(' ')} }` }),
        resolve: resolverOf(relationship, targetOf(relationship.target)),
      },
    };
  }
  return { typeDefs: relationships.map(extension), resolvers: resolvers as IResolvers };
}

/** A response key that no client has for something else. */
function keyOf(field: string): string {
  return `portico_${field}`;
}

function extension({ type, name, answer, clientArguments, description }: Relationship): DocumentNode {
  const inputs = clientArguments.map((argument) => {
    const fallback = astFromValue(argument.defaultValue, argument.type);
    return `${argument.name}: ${String(argument.type)}${fallback ? ` = ${print(fallback)}` : ''}`;
  });
  const given = inputs.length > 0 ? `(${inputs.join(', ')})` : '';
  const told = description ? print({ kind: Kind.STRING, value: description }) : '';
  return parse(`extend type ${type} { ${told} ${name}${given}: ${String(answer)} }`);
}

type Given = Readonly<Record<string, unknown>>;

function resolverOf(relationship: Relationship, schema: Subschema) {
  const { keys, steps } = relationship;
  return (parent: Given, client: Given, context: Call, info: GraphQLResolveInfo): unknown => {
    const values = new Map([...keys.keys()].map((field) => [field, parent[keyOf(field)]]));
    for (const value of values.values()) {
      // It says where it is, which is no place that the client asked for.
      if (value instanceof Error)
        throw new GraphQLError(value.message, value instanceof GraphQLError ? { extensions: value.extensions } : {});
      if (value === null || value === undefined) return null;
    }
    const [first] = steps;
    if (!first) return null;
    return delegateToSchema({
      schema: stitchedPart(schema, info),
      operation: OperationTypeNode.QUERY,
      fieldName: first.field,
      ...nested(steps, info),
      context,
      info,
      transforms: [new Way(relationship, (field) => values.get(field), client)],
    });
  };
}

/** Types that are joined by stitching are joined for what comes of the part as stitching itself knows it. */
function stitchedPart(subschema: Subschema, { schema }: GraphQLResolveInfo): Subschema {
  const { subschemaMap } = schema.extensions.stitchingInfo as StitchingInfo<Call>;
  return (subschemaMap.get(subschema) as Subschema | undefined) ?? subschema;
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

/** Gives the fields on the way their arguments, and takes what they lead to out of the answer. */
class Way implements Transform<unknown, Call> {
  readonly #relationship: Relationship;
  readonly #read: (field: string) => unknown;
  readonly #client: Given;

  constructor(relationship: Relationship, read: (field: string) => unknown, client: Given) {
    this.#relationship = relationship;
    this.#read = read;
    this.#client = client;
  }

  transformRequest(request: ExecutionRequest): ExecutionRequest {
    const variables: Record<string, unknown> = { ...request.variables };
    const definitions: VariableDefinitionNode[] = [];
    const argument = (step: number, { name, type, value }: Argument): ArgumentNode => {
      const variable = `portico_${step}_${name}`;
      variables[variable] = value;
      const named = { kind: Kind.VARIABLE, name: { kind: Kind.NAME, value: variable } } as const;
      definitions.push({ kind: Kind.VARIABLE_DEFINITION, variable: named, type: parseType(String(type)) });
      return { kind: Kind.ARGUMENT, name: { kind: Kind.NAME, value: name }, value: named };
    };
    const { steps } = this.#relationship;
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
    return sharedRequest({ ...request, document, variables });
  }

  transformResult({ data, errors, ...rest }: ExecutionResult): ExecutionResult {
    const { steps } = this.#relationship;
    const [first] = steps;
    const root = first?.field ?? '';
    let found: unknown = data;
    for (const { field } of steps) found = (found as Record<string, unknown> | null | undefined)?.[field];
    return {
      ...rest,
      // Others get the same answer, and what is made of it has a place.
      data: { [root]: copied(found) },
      ...(errors && {
        errors: errors.map(({ message, path, extensions }) =>
          path
            ? new GraphQLError(message, { path: [root, ...path.slice(steps.length)], extensions })
            : new GraphQLError(message, { extensions }),
        ),
      }),
    };
  }

  #arguments(index: number): readonly Argument[] {
    const { steps, clientArguments } = this.#relationship;
    const own = (steps[index]?.arguments ?? []).map((one) => ({ ...one, value: filledIn(one.value, this.#read) }));
    if (index < steps.length - 1) return own;
    const given = clientArguments.filter(({ name }) => Object.hasOwn(this.#client, name));
    return [...own, ...given.map(({ name, type }) => ({ name, type, value: this.#client[name] }))];
  }
}

type Argument = Step['arguments'][number];

function copied(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(copied);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, copied(inner)]));
}
