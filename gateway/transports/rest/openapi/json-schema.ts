/** A JSON Schema of the dialect that OpenAPI 3.1 uses (draft 2020-12). */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** Returns a schema that allows null in addition to the values of `schema`. */
export function orNull(schema: JsonSchema): JsonSchema {
  const { type, anyOf } = schema;
  if (Object.keys(schema).length === 0) return schema;
  if (Array.isArray(anyOf)) return { ...schema, anyOf: [...anyOf, { type: 'null' }] };
  // An `enum` excludes null even if the `type` permits it.
  if (type === undefined || 'const' in schema || 'enum' in schema) return { anyOf: [schema, { type: 'null' }] };
  return { ...schema, type: [type, 'null'].flat() };
}
