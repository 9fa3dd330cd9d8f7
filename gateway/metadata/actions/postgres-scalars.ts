/**
 * PostgreSQL's base types that Hasura accepts as scalars without a definition, by their names in Hasura's GraphQL. int4, bool,
 * text and similar types are GraphQL's own scalars there.
 */
export const POSTGRES_SCALARS: ReadonlySet<string> = new Set([
  ...['bigint', 'bigserial', 'smallint', 'smallserial', 'serial', 'numeric', 'decimal', 'real', 'money', 'oid'],
  ...['int2', 'int4', 'int8', 'float4', 'float8', 'double_precision', 'integer'],
  ...['bit', 'varbit', 'bool', 'boolean', 'bytea', 'char', 'character', 'bpchar', 'varchar', 'text', 'citext', 'name'],
  ...['date', 'time', 'timetz', 'timestamp', 'timestamptz', 'interval', 'uuid', 'json', 'jsonb', 'jsonpath', 'hstore'],
  ...['xml', 'cidr', 'inet', 'macaddr', 'macaddr8', 'point', 'line', 'lseg', 'box', 'path', 'polygon', 'circle'],
  ...['geography', 'geometry', 'raster', 'ltree', 'lquery', 'ltxtquery', 'tsvector', 'tsquery', 'vector'],
  ...['int4range', 'int8range', 'numrange', 'tsrange', 'tstzrange', 'daterange'],
]);
