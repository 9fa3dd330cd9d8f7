import { MapperKind, mapSchema } from '@graphql-tools/utils';
import {
  type DocumentNode,
  type ExecutionResult,
  execute,
  type GraphQLAbstractType,
  GraphQLError,
  type GraphQLFieldConfig,
  GraphQLInterfaceType,
  type GraphQLLeafType,
  GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  GraphQLUnionType,
  getNamedType,
  getNullableType,
  isInterfaceType,
  isLeafType,
  isListType,
} from 'graphql';
import { AnsweredObject, FieldFailure } from './answer.ts';
import { unfitLeaf } from './errors.ts';

/** The root fields of one run, by response key. */
export class RootValues {
  readonly read: (key: string) => unknown;

  constructor(read: (key: string) => unknown) {
    this.read = read;
  }
}

/** A schema whose fields are read of what has been fetched. */
export function completionSchema(schema: GraphQLSchema): GraphQLSchema {
  const abstract = { resolveType: (value: unknown) => (value as AnsweredObject).__typename };
  return mapSchema(schema, {
    [MapperKind.OBJECT_FIELD]: (field) => ({ ...(field as GraphQLFieldConfig<unknown, unknown>), resolve: fieldValue }),
    [MapperKind.OBJECT_TYPE]: (type) => {
      // The source has returned the object's type.
      const { isTypeOf: _, ...config } = type.toConfig();
      return new GraphQLObjectType(config);
    },
    [MapperKind.ABSTRACT_TYPE]: (type: GraphQLAbstractType) =>
      isInterfaceType(type)
        ? new GraphQLInterfaceType({ ...type.toConfig(), ...abstract })
        : new GraphQLUnionType({ ...type.toConfig(), ...abstract }),
  });
}

/**
 * Completes the response from the fetched data: graphql-js executes the client's own document over it, so that response
 * keys, their order, null propagation and error paths are as for any schema.
 *
 * @param beside errors of places that are not null.
 */
export async function completeResponse(
  schema: GraphQLSchema,
  document: DocumentNode,
  variableValues: Readonly<Record<string, unknown>>,
  rootValue: RootValues,
  beside: readonly GraphQLError[],
): Promise<ExecutionResult> {
  const { data, errors = [] } = await execute({ schema, document, variableValues, rootValue });
  const all = [
    ...errors.flatMap(located),
    ...beside.map(({ message, extensions, originalError }) => new GraphQLError(message, { extensions, originalError })),
  ];
  return { ...(data !== undefined && { data }), ...(all.length > 0 && { errors: withoutRepeated(all) }) };
}

function fieldValue(
  source: unknown,
  _: unknown,
  __: unknown,
  { path, returnType, fieldName, parentType }: GraphQLResolveInfo,
): unknown {
  const key = String(path.key);
  const checked = (value: unknown): unknown => {
    if (value instanceof FieldFailure) throw value;
    const named = getNamedType(returnType);
    return isLeafType(named) ? leaves(value, returnType, named, `${parentType.name}.${fieldName}`) : value;
  };
  if (source instanceof AnsweredObject) return checked(source.values.get(key));
  if (!(source instanceof RootValues)) throw new TypeError('a field of nothing that was fetched');
  const value = source.read(key);
  return value instanceof Promise ? value.then(checked) : checked(value);
}

/** Leaves as the graph's types have them. */
function leaves(value: unknown, type: GraphQLOutputType, leaf: GraphQLLeafType, field: string): unknown {
  if (value === null || value === undefined || value instanceof Error) return value;
  const inner = getNullableType(type);
  if (isListType(inner) && Array.isArray(value)) return value.map((item) => leaves(item, inner.ofType, leaf, field));
  try {
    return leaf.parseValue(value);
  } catch {
    return unfitLeaf(field, leaf.name);
  }
}

/** The errors of one field, each in its own place. */
function located(error: GraphQLError): readonly GraphQLError[] {
  const { originalError, nodes, path = [] } = error;
  if (!(originalError instanceof FieldFailure)) return [error];
  return originalError.causes.map(({ error: cause, path: below, beside }) => {
    const place = beside === undefined ? path : [...path.slice(0, -1), beside];
    const { extensions } = cause;
    return new GraphQLError(cause.message, {
      nodes: nodes ?? null,
      path: [...place, ...below],
      extensions,
      originalError: cause.originalError,
    });
  });
}

/** An error that makes several fields null is reported once. */
function withoutRepeated(errors: readonly GraphQLError[]): readonly GraphQLError[] {
  const first = new Map<string, GraphQLError>();
  for (const error of errors) {
    const id = JSON.stringify([error.path, error.message]);
    if (!first.has(id)) first.set(id, error);
  }
  return [...first.values()];
}
