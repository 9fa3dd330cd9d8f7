import type pg from 'pg';
import { StartError } from '../../platform/index.ts';
import { grantMembership } from './change-roles.ts';
import { withTableLocks } from './table-locks.ts';

/**
 * Transfers the schema and everything in it to a role, except for objects of extensions.
 *
 * Each object has its own transaction: a single one would keep its locks while it waits for the next table. An interrupted
 * transfer leaves objects with two owners, and can be repeated.
 *
 * @param client has the migration lock. Its user may change objects of other owners, and is not `name`.
 * @throws StartError if an object cannot be transferred, pg.DatabaseError otherwise.
 */
export async function changeSchemaOwner(client: pg.ClientBase, name: string): Promise<void> {
  await grantMembership(client, name);
  const owner = client.escapeIdentifier(name);
  // Before PostgreSQL 15, every user could create tables in the schema "public".
  const { rows } = await client.query(`
    SELECT format('%I', current_database()) AS database, format('%I', current_schema()) AS schema,
      has_schema_privilege('public', current_schema(), 'CREATE') AS "isOpen"`);
  const { database, schema, isOpen } = rows[0] ?? {};
  if (isOpen) await client.query(`REVOKE CREATE ON SCHEMA ${schema} FROM PUBLIC`);
  // The new owner of a schema may need the CREATE privilege on the database.
  await client.query(`GRANT CREATE, CONNECT ON DATABASE ${database} TO ${owner}`);
  const { rows: objects } = await client.query(NOT_OWNED, [owner]);
  for (const { object } of objects)
    await withTableLocks(client, () => client.query(`ALTER ${object} OWNER TO ${owner}`)).catch((error: Error) => {
      throw new StartError(`AUTH_DATABASE_ADMIN_URL: ${object} cannot be given to ${owner}: ${error.message}`);
    });
}

/** `$1` is quoted as an identifier. Sequences of columns, row types and indexes change their owner with the table. */
const NOT_OWNED = `
  SELECT format('SCHEMA %I', nspname) AS object FROM pg_namespace WHERE nspname = current_schema() AND nspowner <> $1::regrole
  UNION ALL
  SELECT format('%s %s', CASE relkind WHEN 'S' THEN 'SEQUENCE' WHEN 'v' THEN 'VIEW' WHEN 'm' THEN 'MATERIALIZED VIEW'
    ELSE 'TABLE' END, oid::regclass)
  FROM pg_class
  WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p', 'v', 'm', 'S') AND relowner <> $1::regrole
    AND NOT EXISTS (SELECT FROM pg_depend WHERE classid = 'pg_class'::regclass AND objid = pg_class.oid
      AND (deptype = 'e' OR relkind = 'S' AND deptype IN ('a', 'i')))
  UNION ALL
  SELECT format('ROUTINE %s', oid::regprocedure) FROM pg_proc
  WHERE pronamespace = current_schema()::regnamespace AND proowner <> $1::regrole
    AND NOT EXISTS (SELECT FROM pg_depend WHERE classid = 'pg_proc'::regclass AND objid = pg_proc.oid AND deptype = 'e')
  UNION ALL
  SELECT format('TYPE %s', oid::regtype) FROM pg_type
  WHERE typnamespace = current_schema()::regnamespace AND typtype IN ('e', 'd') AND typowner <> $1::regrole
    AND NOT EXISTS (SELECT FROM pg_depend WHERE classid = 'pg_type'::regclass AND objid = pg_type.oid AND deptype = 'e')`;
