import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';

const ROLE_CHANGE_ATTEMPTS = 20;
const ROLE_CHANGE_RETRY_MS = 50;

/** duplicate_object, duplicate_database and unique_violation in appendix A of PostgreSQL's manual. */
const ALREADY_THERE = new Set(['42710', '42P04', '23505']);
const INTERNAL_ERROR = 'XX000';

const PLAIN_RIGHTS = 'LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION NOBYPASSRLS';

/**
 * Reads and changes roles. All databases of a server share its roles, and no lock covers several databases. If another session
 * makes the same change between the check and the change, `work` runs again.
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

/** A role that can log in, with its password unless it logs in by other means. */
export interface LoginRole {
  readonly name: string;
  readonly password: string | undefined;
}

/** Returns the role that a URL names. */
export function roleIn(url: string): LoginRole {
  const { user, password } = new pg.Client({ connectionString: url });
  return { name: user ?? '', password: typeof password === 'string' && password !== '' ? password : undefined };
}

/** Creates a role without further rights, or removes them from an existing role, and sets its password. */
export async function makeRole(admin: pg.Client, { name, password }: LoginRole): Promise<void> {
  const role = admin.escapeIdentifier(name);
  const { rows } = await admin.query(
    `SELECT rolsuper OR rolbypassrls OR rolreplication OR rolcreaterole OR rolcreatedb AS "isPrivileged"
     FROM pg_roles WHERE rolname = $1`,
    [name],
  );
  // Some rights may only be named by a superuser, even to remove them.
  const rights = rows[0]?.isPrivileged === false ? 'LOGIN' : PLAIN_RIGHTS;
  const secret = password === undefined ? '' : ` PASSWORD ${admin.escapeLiteral(scramVerifier(password))}`;
  await admin.query(`${rows.length > 0 ? 'ALTER' : 'CREATE'} ROLE ${role} ${rights}${secret}`);
}

/** Allows the user of `client` to use `SET ROLE role`, which is also required to transfer ownership to the role. */
export async function grantMembership(client: pg.ClientBase, role: string): Promise<void> {
  // From PostgreSQL 16 on, the creator of a role is a member that may grant it but may not use SET ROLE.
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
 * Returns the form of a password that PostgreSQL stores under `scram-sha-256` (RFC 5803, and `pg_authid` in its manual). It is
 * sent instead of the password, which would otherwise appear in the server's log of statements.
 */
export function scramVerifier(password: string, salt: Buffer = randomBytes(16)): string {
  const salted = pbkdf2Sync(password.normalize('NFKC'), salt, ITERATIONS, SCRAM_KEY_BYTES, 'sha256');
  const keyOf = (text: string) => createHmac('sha256', salted).update(text).digest();
  const storedKey = createHash('sha256').update(keyOf('Client Key')).digest();
  const [salt64, stored64, server64] = [salt, storedKey, keyOf('Server Key')].map((bytes) => bytes.toString('base64'));
  return `SCRAM-SHA-256$${ITERATIONS}:${salt64}$${stored64}:${server64}`;
}
