import pg from 'pg';
import { StartError } from '../../platform/index.ts';
import { changeRoles, grantMembership, type LoginRole, makeRole } from './change-roles.ts';

/**
 * Makes the role of the gateways' jobs and a database that belongs to it, which no other role may connect to. A database
 * that is there already keeps its owner; the role may then make its schema there. Can be repeated.
 *
 * @param url the jobs' database as that role.
 * @throws StartError when it is the auth service's own database.
 */
export async function setUpJobs(admin: pg.Client, role: LoginRole, url: string): Promise<void> {
  const { database: name = '' } = new pg.Client({ connectionString: url });
  if (name === admin.database)
    throw new StartError(`AUTH_DATABASE_JOBS_URL: jobs require a database other than "${name}"`);
  const [database, owner] = [name, role.name].map((one) => admin.escapeIdentifier(one));
  await changeRoles(async () => {
    await makeRole(admin, role);
    const { rows } = await admin.query(
      `SELECT pg_get_userbyid(datdba) AS owner, has_database_privilege('public', datname, 'CONNECT') AS "isOpen"
      FROM pg_database WHERE datname = $1`,
      [name],
    );
    const [found] = rows;
    if (found && found.owner !== role.name) {
      await admin.query(`GRANT CONNECT, CREATE ON DATABASE ${database} TO ${owner}`);
    } else if (!found || found.isOpen) {
      // Only a superuser may give a database to a role that it is not a member of.
      await grantMembership(admin, role.name);
      // Its encoding is not that of the server's template, which may be one that lacks characters of inputs and results.
      // With the locale C the order of texts stays the same whatever the operating system's is.
      if (!found)
        await admin.query(
          `CREATE DATABASE ${database} OWNER ${owner} TEMPLATE template0 ENCODING 'UTF8' LC_COLLATE 'C' LC_CTYPE 'C'`,
        );
      // Not in one transaction with that: an earlier run may have ended in between.
      await admin.query(`REVOKE ALL ON DATABASE ${database} FROM PUBLIC`);
    }
  });
}
