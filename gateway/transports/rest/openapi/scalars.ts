import type { JsonSchema } from './json-schema.ts';

const STRING_SCHEMA = { type: 'string' };
const INTEGER = { type: 'integer' };
const UUID_SCHEMA = { type: 'string', format: 'uuid', pattern: '^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$' };
/** Numbers that services may send as text, so that no digit is lost. */
const LONG_INTEGER = { type: ['integer', 'string'] };
const LONG_NUMBER = { type: ['number', 'string'] };

/** The JSON form of scalars: GraphQL's own, and those that are recognized by name, which are mostly PostgreSQL's. */
const SCALARS: Readonly<Record<string, JsonSchema>> = {
  Int: { type: 'integer', format: 'int32' },
  Float: { type: 'number', format: 'double' },
  String: STRING_SCHEMA,
  ID: STRING_SCHEMA,
  Boolean: { type: 'boolean' },
  bool: { type: 'boolean' },
  smallint: INTEGER,
  int2: INTEGER,
  integer: INTEGER,
  int4: INTEGER,
  bigint: LONG_INTEGER,
  int8: LONG_INTEGER,
  BigInt: LONG_INTEGER,
  real: LONG_NUMBER,
  float4: LONG_NUMBER,
  float8: LONG_NUMBER,
  numeric: LONG_NUMBER,
  decimal: LONG_NUMBER,
  text: STRING_SCHEMA,
  citext: STRING_SCHEMA,
  varchar: STRING_SCHEMA,
  bpchar: STRING_SCHEMA,
  uuid: UUID_SCHEMA,
  UUID: UUID_SCHEMA,
  date: { type: 'string', format: 'date' },
  timestamp: STRING_SCHEMA,
  timestamptz: { type: 'string', format: 'date-time' },
  time: STRING_SCHEMA,
  timetz: STRING_SCHEMA,
  interval: STRING_SCHEMA,
  json: {},
  jsonb: {},
  JSON: {},
};

/** Returns the schema of a scalar, or undefined if only its service defines it. */
export function scalarSchema(name: string): JsonSchema | undefined {
  return Object.hasOwn(SCALARS, name) ? SCALARS[name] : undefined;
}
