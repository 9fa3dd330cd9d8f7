import type pg from 'pg';
import { StartError } from '../../platform/index.ts';
import { changeRoles, grantMembership } from './change-roles.ts';
import { type ConnectOptions, connectToDatabase } from './connect.ts';
import type { PrismaClient } from './generated/client.ts';

/** The role that may read and write the service's tables, subject to the policies. It cannot log in. */
const SERVICE_ROLE = 'portico_service';

/** The append-only table. */
const APPEND_ONLY = 'audit_log';

/**
 * Ensures that row-level security applies to the service. Superusers, and users with BYPASSRLS, bypass it. For them there is a
 * role without such rights, which each of their transactions assumes. For any other user, including the owner of the tables, it
 * applies anyway. Any number of processes may call this at once.
 *
 * @throws StartError if the user bypasses policies and cannot assume the role.
 */
export async function prepareServiceRole(client: pg.Client): Promise<void> {
  if (!(await isAbovePolicies(client))) return;
  try {
    await changeRoles(async () => {
      if (!(await roleIsThere(client))) await client.query(`CREATE ROLE ${SERVICE_ROLE} NOLOGIN`);
    });
    await grantMembership(client, SERVICE_ROLE);
    await grantTables(client, SERVICE_ROLE);
  } catch (error) {
    throw new StartError(
      `DATABASE_URL: row-level security does not bind this user, and the role ${SERVICE_ROLE}, which it would, ` +
        `cannot be used: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}

/** Prepares the service role over a separate connection. */
export async function prepareServiceRoleOf(url: string, options: ConnectOptions): Promise<void> {
  const client = await connectToDatabase(url, options);
  try {
    await prepareServiceRole(client);
  } finally {
    await client.end();
  }
}

/** Returns the role that transactions have to assume, or undefined if row-level security applies to the user itself. */
export async function effectiveRole(client: PrismaClient): Promise<string | undefined> {
  const [user] = await client.$queryRaw<{ above: boolean }[]>`
    SELECT rolsuper OR rolbypassrls AS above FROM pg_roles WHERE rolname = current_user`;
  return user?.above === false ? undefined : SERVICE_ROLE;
}

/** Returns whether row-level security does not apply to the user of `client`. */
export async function isAbovePolicies(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query(
    'SELECT rolsuper OR rolbypassrls AS above FROM pg_roles WHERE rolname = current_user',
  );
  return rows[0]?.above !== false;
}

async function roleIsThere(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query('SELECT rolsuper OR rolbypassrls AS above FROM pg_roles WHERE rolname = $1', [
    SERVICE_ROLE,
  ]);
  if (rows[0]?.above) throw new Error('it is above policies itself');
  return rows.length > 0;
}

/**
 * Grants `role` its missing rights to tables. If it has any right to a table, a migration may have removed others on purpose.
 * Rows are read through the table, so `role` needs no rights to partitions, and those that an earlier version granted are
 * revoked. The user of `client` owns the tables, or is a superuser.
 */
export async function grantTables(client: pg.Client, role: string): Promise<void> {
  const { rows } = await client.query(
    `SELECT format('USAGE ON SCHEMA %I', current_schema()) AS wanted, has_schema_privilege($1, current_schema(), 'USAGE') AS there
     UNION ALL
     SELECT
       CASE WHEN relkind = 'S' THEN 'USAGE ON SEQUENCE ' WHEN relname = $2 THEN 'SELECT, INSERT ON '
         ELSE 'SELECT, INSERT, UPDATE, DELETE ON ' END || oid::regclass,
       CASE relkind WHEN 'S' THEN has_sequence_privilege($1, oid, 'USAGE')
         ELSE has_table_privilege($1, oid, 'SELECT, INSERT, UPDATE, DELETE') END
     FROM pg_class
     WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p', 'S')
       AND relname <> '_prisma_migrations' AND NOT relispartition
     UNION ALL
     SELECT 'SELECT ON ' || oid::regclass, has_table_privilege($1, oid, 'SELECT')
     FROM pg_class WHERE relnamespace = current_schema()::regnamespace AND relname = '_prisma_migrations'
     UNION ALL
     SELECT 'EXECUTE ON FUNCTION ' || oid::regprocedure, has_function_privilege($1, oid, 'EXECUTE')
     FROM pg_proc WHERE pronamespace = current_schema()::regnamespace AND prosecdef`,
    [role, APPEND_ONLY],
  );
  const grantee = client.escapeIdentifier(role);
  for (const { wanted, there } of rows) if (!there) await client.query(`GRANT ${wanted} TO ${grantee}`);
  const { rows: partitions } = await client.query(
    `SELECT oid::regclass AS name FROM pg_class CROSS JOIN aclexplode(relacl) AS acl
     WHERE relnamespace = current_schema()::regnamespace AND relispartition AND relkind = 'r'
       AND acl.grantee = $1::regrole AND acl.grantee <> relowner
     GROUP BY 1`,
    [grantee],
  );
  for (const { name } of partitions) await client.query(`REVOKE ALL ON ${name} FROM ${grantee}`);
}
