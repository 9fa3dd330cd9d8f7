import type pg from 'pg';
import { StartError } from '../../platform/index.ts';
import { type ConnectOptions, connectToDatabase } from './connect.ts';

/** The ways in which a database user could bypass row-level security if an attacker's SQL ran as that user. */
export interface UserRights {
  readonly user: string;
  /**
   * Whether the user is a superuser, has BYPASSRLS, or may assume such a role. If so, `RESET ROLE` is enough to see all rows.
   */
  readonly isAbovePolicies: boolean;
  /** Whether the user owns tables, and so could disable their policies. */
  readonly ownsTables: boolean;
}

/** What to do if the service's user bypasses policies. */
export type SuperuserPolicy = 'refuse' | 'warn' | 'accept';

/** Returns the rights of the user that `client` has logged in as. */
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
 * @returns a warning for the operator, or undefined.
 * @throws StartError with `refuse`, or if the database is unreachable.
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
