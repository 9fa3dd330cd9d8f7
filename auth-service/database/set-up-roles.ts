import pg from 'pg';
import { StartError } from '../../platform/index.ts';
import { changeRoles, makeRole, roleIn } from './change-roles.ts';
import { changeSchemaOwner } from './change-schema-owner.ts';
import { type ConnectOptions, connectToDatabase } from './connect.ts';
import { migrate } from './migrate.ts';
import { withMigrationLock } from './migration-lock.ts';
import { setUpJobs } from './set-up-jobs.ts';
import { readUserRights } from './user-rights.ts';

/** The URLs of one database for three users. The roles of `owner` and `service` are created with their passwords. */
export interface SetupUrls {
  /** May create roles and change objects of other owners: a superuser, or the current owner of the tables with CREATEROLE. */
  readonly admin: string;
  readonly owner: string;
  readonly service: string;
  /** Another database on the same server, for the gateways' jobs. It is created with its role. Undefined if there is none. */
  readonly jobs?: string | undefined;
}

export interface SetupResult {
  readonly owner: string;
  readonly service: string;
  /** The role of the jobs' database, if there is one. */
  readonly jobs: string | undefined;
  /** The names of the applied migrations. */
  readonly applied: readonly string[];
}

/**
 * Creates a role that owns the tables, and one for the service, which may use but not change the tables. If the settings of the
 * jobs are set, creates their role and database too. Then applies the migrations. Idempotent, except that it sets the passwords
 * again. Several processes may call it at once, and the service may be running.
 *
 * @throws StartError if a database is unreachable, the three users are not different, or a role cannot be created.
 */
export async function setUpRoles(urls: SetupUrls, options: ConnectOptions = {}): Promise<SetupResult> {
  const [owner, service] = [roleIn(urls.owner), roleIn(urls.service)];
  const jobs = urls.jobs === undefined ? undefined : { role: roleIn(urls.jobs), url: urls.jobs };
  const admin = await connectToDatabase(urls.admin, { ...options, variable: 'AUTH_DATABASE_ADMIN_URL' });
  try {
    const { user } = await readUserRights(admin);
    if (new Set([user, owner.name, service.name]).size < 3)
      throw new StartError('the administrator, the owner and the service must be three different database users');
    if (jobs && [user, owner.name, service.name].includes(jobs.role.name))
      throw new StartError('AUTH_DATABASE_JOBS_URL: jobs require a separate database user');
    await withMigrationLock(admin, async () => {
      for (const role of [owner, service]) await changeRoles(() => makeRole(admin, role));
      await changeSchemaOwner(admin, owner.name);
      if (jobs) await setUpJobs(admin, jobs.role, jobs.url);
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
  return { owner: owner.name, service: service.name, jobs: jobs?.role.name, applied };
}

/** Memberships in other roles were not granted here, so they are not revoked. */
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
