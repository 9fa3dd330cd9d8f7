import type { JsonSchema } from './json-schema.ts';

const TEXT = { type: 'string' };
const INTEGER = { type: 'integer' };
const UUID = { type: 'string', format: 'uuid', pattern: '^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$' };
/** Numbers that services may send as a text, so that no digit is lost. */
const LONG_INTEGER = { type: ['integer', 'string'] };
const LONG_NUMBER = { type: ['number', 'string'] };

/** How scalars look in JSON: GraphQL's own, and those whose names say it, which are PostgreSQL's for the most part. */
const SCALARS: Readonly<Record<string, JsonSchema>> = {
  Int: { type: 'integer', format: 'int32' },
  Float: { type: 'number', format: 'double' },
  String: TEXT,
  ID: TEXT,
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
  text: TEXT,
  citext: TEXT,
  varchar: TEXT,
  bpchar: TEXT,
  uuid: UUID,
  UUID,
  date: { type: 'string', format: 'date' },
  timestamp: TEXT,
  timestamptz: { type: 'string', format: 'date-time' },
  time: TEXT,
  timetz: TEXT,
  interval: TEXT,
  json: {},
  jsonb: {},
  JSON: {},
};

/** The schema of a scalar, undefined for one that only its service knows. */
export function scalarSchema(name: string): JsonSchema | undefined {
  return Object.hasOwn(SCALARS, name) ? SCALARS[name] : undefined;
}
