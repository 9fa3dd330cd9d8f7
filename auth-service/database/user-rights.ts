import type pg from 'pg';
import { StartError } from '../../platform/index.ts';
import { type ConnectOptions, connectToDatabase } from './connect.ts';

/** How a database user could bypass row-level security, if an attacker's SQL ran as that user. */
export interface UserRights {
  readonly user: string;
  /** It is a superuser or has BYPASSRLS, or may take on a role that is or has. `RESET ROLE` is enough to see all rows. */
  readonly isAbovePolicies: boolean;
  /** It owns tables, and so could switch their policies off. */
  readonly ownsTables: boolean;
}

/** What to do when the service's user bypasses policies. */
export type SuperuserPolicy = 'refuse' | 'warn' | 'accept';

/** The rights of the user that `client` has logged in as. */
export async function readUserRights(client: pg.Client): Promise<UserRights> {
  const { rows } = await client.query(`
    SELECT session_user AS user,
      (SELECT bool_or(rolsuper OR rolbypassrls) FROM pg_roles WHERE pg_has_role(session_user, oid, 'MEMBER')) AS above,
      EXISTS (SELECT FROM pg_class WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p')
        AND pg_has_role(session_user, relowner, 'MEMBER')) AS owns`);
  const { user, above, owns } = rows[0] ?? {};
  return { user: String(user), isAbovePolicies: above !== false, ownsTables: owns !== false };
}

/**
 * Checks that row-level security applies to the user of `url` for any SQL that it sends.
 *
 * @returns a warning for the operator; undefined when there is none.
 * @throws StartError under `refuse`, or when the database cannot be reached.
 */
export async function checkDatabaseUser(
  url: string,
  policy: SuperuserPolicy,
  options: ConnectOptions = {},
): Promise<string | undefined> {
  const client = await connectToDatabase(url, options);
  try {
    const { user, isAbovePolicies } = await readUserRights(client);
    if (!isAbovePolicies) return undefined;
    const problem =
      `the database user "${user}" is a superuser or can bypass row-level security, which then does not protect ` +
      'against SQL injection: run "portico-auth database setup" to create a separate user (docs/isolation.md)';
    if (policy !== 'refuse') return problem;
    throw new StartError(`DATABASE_URL: ${problem}, or accept this with AUTH_UNSAFE_DATABASE_SUPERUSER=true`);
  } finally {
    await client.end();
  }
}
