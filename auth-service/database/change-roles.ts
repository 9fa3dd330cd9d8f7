import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';

const ROLE_CHANGE_ATTEMPTS = 20;
const ROLE_CHANGE_RETRY_MS = 50;

/** PostgreSQL's manual, appendix A: duplicate_object, duplicate_database, unique_violation. */
const ALREADY_THERE = new Set(['42710', '42P04', '23505']);
const INTERNAL_ERROR = 'XX000';

const PLAIN_RIGHTS = 'LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION NOBYPASSRLS';

/**
 * Looks at roles and changes them. Roles are shared by all databases of a server, and no lock reaches across databases:
 * when another session did the same between the check and the change, `work` runs again.
 */
export async function changeRoles(work: () => Promise<void>): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await work();
      return;
    } catch (error) {
      if (!isRace(error) || attempt === ROLE_CHANGE_ATTEMPTS) throw error;
      await sleep(ROLE_CHANGE_RETRY_MS);
    }
  }
}

/** A role that can log in, with its password, unless it logs in by other means. */
export interface LoginRole {
  readonly name: string;
  readonly password: string | undefined;
}

/** The role that a URL names. */
export function roleIn(url: string): LoginRole {
  const { user, password } = new pg.Client({ connectionString: url });
  return { name: user ?? '', password: typeof password === 'string' && password !== '' ? password : undefined };
}

/** Makes a role without further rights, or takes them from one that is there, and sets its password. */
export async function makeRole(admin: pg.Client, { name, password }: LoginRole): Promise<void> {
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

/** Lets the user of `client` do `SET ROLE role`, which is also what giving something to the role needs. */
export async function grantMembership(client: pg.ClientBase, role: string): Promise<void> {
  // From PostgreSQL 16 on, the creator of a role is a member that may grant it but not SET ROLE to it.
  const { rows } = await client.query("SELECT current_setting('server_version_num')::integer >= 160000 AS knows_set");
  const privilege = rows[0]?.knows_set ? 'SET' : 'MEMBER';
  await changeRoles(async () => {
    const { rows: answers } = await client.query('SELECT pg_has_role($1, $2) AS may', [role, privilege]);
    if (!answers[0]?.may) await client.query(`GRANT ${client.escapeIdentifier(role)} TO CURRENT_USER`);
  });
}

function isRace(error: unknown): boolean {
  const { code = '', message = '' } = error as { code?: string; message?: string };
  return ALREADY_THERE.has(code) || (code === INTERNAL_ERROR && message.startsWith('tuple concurrently'));
}

const ITERATIONS = 4096;
const SCRAM_KEY_BYTES = 32;

/**
 * What PostgreSQL stores of a password under `scram-sha-256` (RFC 5803, and `pg_authid` in its manual). Sent in place of
 * the password itself, which would otherwise be in the server's log of statements.
 */
export function scramVerifier(password: string, salt: Buffer = randomBytes(16)): string {
  const salted = pbkdf2Sync(password.normalize('NFKC'), salt, ITERATIONS, SCRAM_KEY_BYTES, 'sha256');
  const keyOf = (text: string) => createHmac('sha256', salted).update(text).digest();
  const storedKey = createHash('sha256').update(keyOf('Client Key')).digest();
  const [salt64, stored64, server64] = [salt, storedKey, keyOf('Server Key')].map((bytes) => bytes.toString('base64'));
  return `SCRAM-SHA-256$${ITERATIONS}:${salt64}$${stored64}:${server64}`;
}
