import pg from 'pg';
import { StartError } from '../../platform/index.ts';
import { type ConnectOptions, connectToDatabase } from './connect.ts';
import { migrate } from './migrate.ts';
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
 * applies the migrations. Can be repeated: it changes what is not so yet, and sets the passwords.
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
    for (const role of [owner, service]) await makeRole(admin, role);
    await giveSchema(admin, owner.name);
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

/** What it is a member of was not made here, and is not taken away here. */
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

/** The schema and all that is in it, but for what belongs to extensions. */
async function giveSchema(admin: pg.Client, name: string): Promise<void> {
  const owner = admin.escapeIdentifier(name);
  const { rows: rights } = await admin.query(
    "SELECT rolsuper OR pg_has_role($1, 'MEMBER') AS may FROM pg_roles WHERE rolname = current_user",
    [name],
  );
  // To give something to a role, one has to be a member of it.
  if (rights[0]?.may !== true) await admin.query(`GRANT ${owner} TO CURRENT_USER`);
  await admin.query('BEGIN');
  try {
    // Who owns a schema may have to have the right to make one.
    const { rows: databases } = await admin.query('SELECT current_database() AS name');
    await admin.query(`GRANT CREATE, CONNECT ON DATABASE ${admin.escapeIdentifier(databases[0]?.name)} TO ${owner}`);
    const { rows } = await admin.query(NOT_OWNED, [name]);
    for (const { object } of rows) await admin.query(`ALTER ${object} OWNER TO ${owner}`);
    // Until PostgreSQL 15 everybody could make tables in the schema "public".
    await admin
      .query("SELECT format('REVOKE CREATE ON SCHEMA %I FROM PUBLIC', current_schema()) AS revoke")
      .then(({ rows: [row] }) => admin.query(row.revoke));
    await admin.query('COMMIT');
  } catch (error) {
    await admin.query('ROLLBACK');
    throw error;
  }
}

/** Sequences of a column, and the rows' types and indexes of a table, go with it. */
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
