import pg from 'pg';
import { StartError } from '../../platform/index.ts';
import { changeRoles } from './change-roles.ts';
import { changeSchemaOwner } from './change-schema-owner.ts';
import { type ConnectOptions, connectToDatabase } from './connect.ts';
import { migrate } from './migrate.ts';
import { withMigrationLock } from './migration-lock.ts';
import { scramVerifier } from './scram.ts';
import { readUserRights } from './user-rights.ts';

/** The same database as three users see it. `owner` and `service` name roles that are made, with their passwords. */
export interface SetupUrls {
  /** May make roles, and change what belongs to others: a superuser, or who owns the tables today and has CREATEROLE. */
  readonly admin: string;
  readonly owner: string;
  readonly service: string;
}

export interface SetupResult {
  readonly owner: string;
  readonly service: string;
  /** Names of the migrations that were applied. */
  readonly applied: readonly string[];
}

const PLAIN_RIGHTS = 'LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION NOBYPASSRLS';

/**
 * Gives the tables to a role of their own and the service another, which may use the tables and not change them, and
 * applies the migrations. Can be repeated: it changes what is not so yet, and sets the passwords. Any number of processes
 * may call it at once, and the service may be at work.
 *
 * @throws StartError when a database cannot be reached, the users are not three, or a role cannot be made.
 */
export async function setUpRoles(urls: SetupUrls, options: ConnectOptions = {}): Promise<SetupResult> {
  const owner = userIn(urls.owner);
  const service = userIn(urls.service);
  const admin = await connectToDatabase(urls.admin, { ...options, variable: 'AUTH_DATABASE_ADMIN_URL' });
  try {
    const { user } = await readUserRights(admin);
    if (new Set([user, owner.name, service.name]).size < 3)
      throw new StartError('the administrator, the owner and the service need three different database users');
    await withMigrationLock(admin, async () => {
      for (const role of [owner, service]) await changeRoles(() => makeRole(admin, role));
      await changeSchemaOwner(admin, owner.name);
    });
  } catch (error) {
    if (error instanceof pg.DatabaseError)
      throw new StartError(`AUTH_DATABASE_ADMIN_URL: the roles cannot be set up: ${error.message}`);
    throw error;
  } finally {
    await admin.end();
  }
  const applied = await migrate(urls.service, { ...options, ownerUrl: urls.owner });
  await requireBound(urls.service, options);
  return { owner: owner.name, service: service.name, applied };
}

interface Role {
  readonly name: string;
  readonly password: string | undefined;
}

function userIn(url: string): Role {
  const { user, password } = new pg.Client({ connectionString: url });
  return { name: user ?? '', password: typeof password === 'string' && password !== '' ? password : undefined };
}

async function makeRole(admin: pg.Client, { name, password }: Role): Promise<void> {
  const role = admin.escapeIdentifier(name);
  const { rows } = await admin.query(
    `SELECT rolsuper OR rolbypassrls OR rolreplication OR rolcreaterole OR rolcreatedb AS "isPrivileged"
     FROM pg_roles WHERE rolname = $1`,
    [name],
  );
  // Only a superuser may name some of the rights, be it to take them away.
  const rights = rows[0]?.isPrivileged === false ? 'LOGIN' : PLAIN_RIGHTS;
  const secret = password === undefined ? '' : ` PASSWORD ${admin.escapeLiteral(scramVerifier(password))}`;
  await admin.query(`${rows.length > 0 ? 'ALTER' : 'CREATE'} ROLE ${role} ${rights}${secret}`);
}

/** Memberships in other roles were not granted here, and are not revoked here. */
async function requireBound(url: string, options: ConnectOptions): Promise<void> {
  const client = await connectToDatabase(url, options);
  try {
    const { user, isAbovePolicies, ownsTables } = await readUserRights(client);
    if (!isAbovePolicies && !ownsTables) return;
    throw new StartError(
      `DATABASE_URL: the user "${user}" may take on a role that ${ownsTables ? 'owns the tables' : 'may bypass row-level security'}: revoke that membership`,
    );
  } finally {
    await client.end();
  }
}
