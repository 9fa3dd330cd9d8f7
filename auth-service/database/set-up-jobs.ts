import pg from 'pg';
import { StartError } from '../../platform/index.ts';
import { changeRoles, grantMembership, type LoginRole, makeRole } from './change-roles.ts';

/**
 * Creates the role of the gateways' jobs and a database that it owns, which no other role may connect to. An existing database
 * keeps its owner, and the role may then create its schema in it. Can be repeated.
 *
 * @param url the URL of the jobs' database with that role.
 * @throws StartError if it is the auth service's own database.
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
      // Only a superuser may transfer a database to a role that it is not a member of.
      await grantMembership(admin, role.name);
      // The server's template may have an encoding that lacks characters of inputs and results. With the locale C, the order of
      // texts does not depend on the operating system.
      if (!found)
        await admin.query(
          `CREATE DATABASE ${database} OWNER ${owner} TEMPLATE template0 ENCODING 'UTF8' LC_COLLATE 'C' LC_CTYPE 'C'`,
        );
      // Runs separately, since an earlier run may have ended between the two statements.
      await admin.query(`REVOKE ALL ON DATABASE ${database} FROM PUBLIC`);
    }
  });
}
