import { MapperKind, mapSchema } from '@graphql-tools/utils';
import {
  type DocumentNode,
  defaultFieldResolver,
  type ExecutionResult,
  execute,
  type GraphQLFieldConfig,
  GraphQLList,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNullableType,
  isListType,
  isNonNullType,
} from 'graphql';

type Path = readonly (string | number)[];

/** What a client is answered. */
export interface Answered {
  readonly data?: unknown;
  readonly errors?: readonly { readonly message: string; readonly path?: Path }[];
}

/** What graphql-js answers to an operation over one schema. */
export interface Reference {
  readonly data: unknown;
  /** Where fields are null because something went wrong. */
  readonly nulls: ReadonlySet<string>;
  /** Where something went wrong. */
  readonly causes: ReadonlySet<string>;
}

/** Runs operations over one schema, to compare with. */
export class ReferenceSchema {
  readonly schema: GraphQLSchema;
  /** The same where everything may be null, so that no error hides another. */
  readonly #nullable: GraphQLSchema;

  constructor(schema: GraphQLSchema) {
    this.schema = schema;
    this.#nullable = mapSchema(schema, { [MapperKind.COMPOSITE_FIELD]: forgiving });
  }

  async answer(document: DocumentNode, variableValues: Readonly<Record<string, unknown>>): Promise<Reference> {
    const result = asJson(await execute({ schema: this.schema, document, variableValues }));
    const all = asJson(await execute({ schema: this.#nullable, document, variableValues }));
    return {
      data: result.data,
      nulls: nullsOf(result),
      causes: new Set((all.errors ?? []).map(({ path }) => textOf(path ?? []))),
    };
  }
}

/**
 * What tells an answer from the reference; undefined where nothing does. GraphQL leaves open which of several errors is
 * told that make the same place null, so each such place needs one, and each error has to be one that there is.
 */
export function differenceOf({ data, errors }: Answered, reference: Reference): object | undefined {
  const difference: Record<string, unknown> = {};
  if (JSON.stringify(data) !== JSON.stringify(reference.data))
    Object.assign(difference, { data, expected: reference.data });
  const nulls = nullsOf({ data, ...(errors && { errors }) });
  const silent = [...reference.nulls].filter((one) => !nulls.has(one));
  const invented = (errors ?? []).filter(({ path }) => !path || !reference.causes.has(textOf(path)));
  if (silent.length > 0) Object.assign(difference, { silent });
  if (invented.length > 0)
    Object.assign(difference, { invented: invented.map(({ path, message }) => ({ path, message })) });
  return Object.keys(difference).length > 0 ? { ...difference, causes: [...reference.causes] } : undefined;
}

/** The places that are null because of errors: where the error was, or what is around it. */
function nullsOf({ data, errors }: Answered): ReadonlySet<string> {
  const places = (errors ?? []).map(({ path = [] }) => {
    let value = data;
    for (const [index, key] of path.entries()) {
      if (value === null || value === undefined) return textOf(path.slice(0, index));
      value = (value as Readonly<Record<string | number, unknown>>)[key];
    }
    return textOf(path);
  });
  return new Set(places);
}

function textOf(path: Path): string {
  return path.join('.');
}

/** A field that may be null, and all that is in it; where it must not be, null is an error all the same. */
function forgiving(field: GraphQLFieldConfig<unknown, unknown>): GraphQLFieldConfig<unknown, unknown> {
  const { type, resolve = defaultFieldResolver } = field;
  return {
    ...field,
    type: nullable(type),
    resolve: async (...given) => checked(await resolve(...given), type),
  };
}

function checked(value: unknown, type: GraphQLOutputType): unknown {
  if (isNonNullType(type) && (value === null || value === undefined)) throw new Error('null where it must not be');
  const inner = getNullableType(type);
  if (!isListType(inner) || !Array.isArray(value)) return value;
  return value.map((item) => {
    try {
      return checked(item, inner.ofType);
    } catch (error) {
      return error;
    }
  });
}

function nullable(type: GraphQLOutputType): GraphQLOutputType {
  const inner = getNullableType(type) as GraphQLOutputType;
  return isListType(inner) ? new GraphQLList(nullable(inner.ofType)) : inner;
}

function asJson(result: ExecutionResult): Answered {
  return JSON.parse(JSON.stringify(result));
}
