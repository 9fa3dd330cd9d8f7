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
import { MAX_RELAYED_ERRORS, OMITTED_ERRORS } from '../errors.ts';
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
  const reported = reportedErrors(placedErrors(errors, beside));
  return { ...(data !== undefined && { data }), ...(reported.length > 0 && { errors: reported }) };
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

/** An error in its place in the response. It is made where it is reported. */
interface PlacedError {
  readonly path: GraphQLError['path'];
  readonly message: string;
  readonly make: () => GraphQLError;
}

/** The errors of fields, of which one may have several, each in its own place, and those of no field. */
function* placedErrors(
  errors: readonly GraphQLError[],
  beside: readonly GraphQLError[],
): Generator<PlacedError, void, undefined> {
  for (const error of errors) {
    const { originalError, nodes, path: place = [] } = error;
    if (!(originalError instanceof FieldFailure)) {
      yield { path: error.path, message: error.message, make: () => error };
      continue;
    }
    for (const { error: cause, path: below, beside: key } of originalError.causes) {
      const path = [...(key === undefined ? place : [...place.slice(0, -1), key]), ...below];
      const { message, extensions, originalError: origin } = cause;
      const make = () => new GraphQLError(message, { nodes: nodes ?? null, path, extensions, originalError: origin });
      yield { path, message, make };
    }
  }
  for (const { message, extensions, originalError } of beside)
    yield { path: undefined, message, make: () => new GraphQLError(message, { extensions, originalError }) };
}

/** An error that makes several fields null is reported once; a service may fail each of many fields for many reasons. */
function reportedErrors(placed: Iterable<PlacedError>): readonly GraphQLError[] {
  const known = new Set<string>();
  const errors: GraphQLError[] = [];
  for (const { path, message, make } of placed) {
    const id = JSON.stringify([path, message]);
    if (known.has(id)) continue;
    if (errors.length === MAX_RELAYED_ERRORS) {
      errors.push(new GraphQLError(OMITTED_ERRORS, { extensions: { path: '$', code: 'remote-schema-error' } }));
      break;
    }
    known.add(id);
    errors.push(make());
  }
  return errors;
}
