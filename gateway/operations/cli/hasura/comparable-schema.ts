import {
  buildClientSchema,
  type GraphQLSchema,
  type IntrospectionField,
  type IntrospectionInputValue,
  type IntrospectionQuery,
  type IntrospectionType,
} from 'graphql';

/** A schema reduced to the parts that can be compared. */
export interface ComparableSchema {
  readonly schema: GraphQLSchema;
  /** Removed types of database tables, views and functions. */
  readonly tables: readonly string[];
  /** Fields of these types, which were removed with them. */
  readonly tableFields: readonly string[];
}

/** Placeholder fields of a role without queries, in Portico and in Hasura. */
const PLACEHOLDERS = new Set(['no_queries_available', 'no_subscriptions_available', 'no_mutations_available']);
const ROOT_TYPE_KEYS = { queryType: 'Query', mutationType: 'Mutation', subscriptionType: 'Subscription' } as const;
const BUILT_IN_DIRECTIVES = new Set(['skip', 'include', 'deprecated']);

/**
 * Makes the schemas of different servers comparable. Root types get the same names. Unreachable types, directives and types of
 * databases are removed.
 *
 * @param known names of types that are not from databases, whatever they look like: those of the other schema.
 * @throws Error if the argument is not an introspection result.
 */
export function comparableSchema({ __schema }: IntrospectionQuery, known: ReadonlySet<string>): ComparableSchema {
  const types = new Map(__schema.types.map((type) => [type.name, type]));
  const tables = new Set<string>();
  const tableFields: string[] = [];
  const isOfDatabase = (name: string): boolean => {
    if (known.has(name) || !looksLikeDatabase(name, types)) return false;
    tables.add(name);
    return true;
  };
  const rootNames = new Map<string, string>();
  for (const [key, standard] of Object.entries(ROOT_TYPE_KEYS)) {
    const name = __schema[key as keyof typeof ROOT_TYPE_KEYS]?.name;
    if (name !== undefined) rootNames.set(name, standard);
  }
  if (!types.has(__schema.queryType.name)) throw new Error('the schema has no query type');
  const kept = new Map<string, IntrospectionType>();
  const pending = [...rootNames.keys(), 'Boolean', 'String'];
  for (let name = pending.pop(); name !== undefined; name = pending.pop()) {
    const type = types.get(name);
    if (!type || kept.has(name)) continue;
    const left = withoutDatabase(type, (field) => {
      if (PLACEHOLDERS.has(field.name) && rootNames.has(type.name)) return false;
      if (!isOfDatabase(introspectedTypeName(field.type))) return true;
      tableFields.push(`${rootNames.get(type.name) ?? type.name}.${field.name}`);
      return false;
    });
    kept.set(name, left);
    pending.push(...typesWithin(left));
  }
  // A root type without fields is removed. Only the query type always remains.
  const rootLeft = (root: { readonly name: string } | null | undefined) => {
    const type = root ? kept.get(root.name) : undefined;
    if (type?.kind === 'OBJECT' && type.fields.length > 0) return root;
    if (root) kept.delete(root.name);
    return null;
  };
  const mutationType = rootLeft(__schema.mutationType);
  const subscriptionType = rootLeft(__schema.subscriptionType);
  const renamed = {
    ...__schema,
    mutationType,
    subscriptionType,
    types: [...kept.values()],
    directives: builtInDirectives(__schema.directives),
  };
  const schema = buildClientSchema(withTypeNames({ __schema: renamed } as IntrospectionQuery, rootNames), {
    assumeValid: true,
  });
  return { schema, tables: [...tables].filter((name) => !isDerived(name)).sort(), tableFields };
}

/** Recognizes database types by Hasura's names, in its default naming or `graphql-default`. */
function looksLikeDatabase(name: string, types: ReadonlyMap<string, IntrospectionType>): boolean {
  const type = types.get(name);
  if (type?.kind !== 'OBJECT') return false;
  if (types.has(`${name}_bool_exp`) || types.has(`${name}BoolExp`)) return true;
  const fields = new Set(type.fields.map((field) => field.name));
  if (/_mutation_response$|MutationResponse$/.test(name))
    return fields.has('affected_rows') || fields.has('affectedRows');
  return /_aggregate$|Aggregate$/.test(name) && fields.has('aggregate');
}

function isDerived(name: string): boolean {
  return /_mutation_response$|MutationResponse$|_aggregate$|Aggregate$/.test(name);
}

function withoutDatabase(type: IntrospectionType, isKept: (field: IntrospectionField) => boolean): IntrospectionType {
  if (type.kind !== 'OBJECT' && type.kind !== 'INTERFACE') return type;
  return { ...type, fields: type.fields.filter(isKept) };
}

interface TypeRef {
  readonly name?: string | null;
  readonly ofType?: TypeRef | null;
}

function introspectedTypeName(type: object): string {
  let named: TypeRef = type;
  while (named.ofType) named = named.ofType;
  return named.name ?? '';
}

function typesWithin(type: IntrospectionType): readonly string[] {
  const ofInputs = (values: readonly IntrospectionInputValue[]) =>
    values.map((value) => introspectedTypeName(value.type));
  switch (type.kind) {
    case 'OBJECT':
      return [...ofFields(type.fields), ...type.interfaces.map(({ name }) => name)];
    case 'INTERFACE':
      return [
        ...ofFields(type.fields),
        ...(type.interfaces ?? []).map(({ name }) => name),
        ...type.possibleTypes.map(({ name }) => name),
      ];
    case 'UNION':
      return type.possibleTypes.map(({ name }) => name);
    case 'INPUT_OBJECT':
      return ofInputs(type.inputFields);
    default:
      return [];
  }
  function ofFields(fields: readonly IntrospectionField[]): readonly string[] {
    return fields.flatMap((field) => [introspectedTypeName(field.type), ...ofInputs(field.args)]);
  }
}

function builtInDirectives(directives: IntrospectionQuery['__schema']['directives']) {
  return (directives ?? []).filter(({ name }) => BUILT_IN_DIRECTIVES.has(name));
}

/**
 * Returns a value with renamed types. Type names are next to a `kind`, and in `queryType` and similar members, which may stand
 * alone.
 */
function withTypeNames<T>(value: T, names: ReadonlyMap<string, string>): T {
  return JSON.parse(JSON.stringify(value), function rename(this: object, key: string, inner: unknown) {
    if (key !== 'name' || typeof inner !== 'string') return inner;
    const isOfType = 'kind' in this || Object.keys(this).length === 1;
    return isOfType ? (names.get(inner) ?? inner) : inner;
  });
}
