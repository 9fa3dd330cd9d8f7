import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { setUpRoles } from '../../../auth-service/database/index.ts';
import { availableEngines, createDatabaseOn, POSTGRES_URL } from '../../database/index.ts';
import { runCommandProcess } from '../cli/run.ts';
import { environment, startTestService, type TestService } from '../service.ts';
import { claimsOf, sessionClient, type Tokens } from '../session-client.ts';
import { until } from '../until.ts';

const suffix = randomBytes(4).toString('hex');
const DATABASE = `portico_test_restore_${suffix}`;
const OWNER = `portico_test_owner_${suffix}`;
const SERVICE = `portico_test_service_${suffix}`;
const PASSWORD = 'a password of alice that is long';
const FIRST_KEY = randomBytes(32).toString('base64');

/** Runs a statement as the administrator. @returns its rows. */
async function query(sql: string, url = POSTGRES_URL): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const result: pg.QueryResult | pg.QueryResult[] = await client.query(sql);
    return Array.isArray(result) ? [] : result.rows;
  } finally {
    await client.end();
  }
}

/** Why the drill cannot be held here; undefined where it can. */
async function obstacle(): Promise<string | undefined> {
  if (!(await availableEngines()).includes('postgres')) return 'there is no PostgreSQL';
  const [{ major } = {}] = await query("SELECT current_setting('server_version_num')::int / 10000 AS major");
  for (const program of ['pg_dump', 'pg_restore']) {
    try {
      const [, version] = /(\d+)(?:\.\d+)*/.exec(execFileSync(program, ['--version'], { encoding: 'utf8' })) ?? [];
      if (Number(version) < Number(major)) return `${program} ${version} is older than the server, which is ${major}`;
    } catch {
      return `${program} is not installed`;
    }
  }
  return undefined;
}

const why = await obstacle();
if (why !== undefined) process.stderr.write(`\nBACKUP AND RESTORE NOT TESTED: ${why}\n`);

// docs/operations.md tells operators to do what is done here.
(why === undefined ? describe : describe.skip)('a backup of PostgreSQL', () => {
  const directory = mkdtempSync(join(tmpdir(), 'portico-restore-'));
  const dump = join(directory, 'portico.dump');
  const admin = createDatabaseOn(POSTGRES_URL, DATABASE);
  const as = (user: string) => {
    const url = new URL(admin);
    url.username = user;
    url.password = `${user}-password`;
    return url.href;
  };
  const urls = { admin, owner: as(OWNER), service: as(SERVICE) };
  const settings = (changes: Record<string, string> = {}) => ({
    AUTH_KEY_ENCRYPTION_KEY: FIRST_KEY,
    AUTH_UNSAFE_DATABASE_SUPERUSER: 'false',
    ...changes,
  });
  const start = (changes?: Record<string, string>): Promise<TestService> =>
    startTestService(urls.service, settings(changes));
  const command = (words: readonly string[], changes?: Record<string, string>, input?: string) =>
    runCommandProcess(words, environment(urls.service, settings(changes)), input);
  const drop = async () => {
    await query(`DROP DATABASE IF EXISTS ${DATABASE} WITH (FORCE)`);
    await query(`DROP ROLE IF EXISTS ${SERVICE}; DROP ROLE IF EXISTS ${OWNER}`);
  };

  let tokens: Tokens;
  let spent: string;
  let second: Tokens;
  const exchangedAfterBackup: string[] = [];
  let keySet: unknown;

  beforeAll(async () => {
    await query(`CREATE DATABASE ${DATABASE}`);
    await setUpRoles(urls);
    expect(await command(['tenant', 'add', '1', 'acme'])).toMatchObject({ code: 0 });
    expect(await command(['user', 'add', '1', 'alice'], {}, `${PASSWORD}\n`)).toMatchObject({ code: 0 });
    const service = await start();
    const client = sessionClient(service.url);
    const first = await client.login('alice', PASSWORD, 1);
    spent = first.refresh_token;
    tokens = (await client.refresh(spent)).result.data as Tokens;
    keySet = await (await fetch(`${service.url}/.well-known/jwks.json`)).json();
    second = await client.login('alice', PASSWORD, 1);
    execFileSync('pg_dump', ['--format=custom', `--file=${dump}`, admin]);
    let { refresh_token: next } = second;
    for (let exchanges = 0; exchanges < 3; exchanges += 1) {
      ({ refresh_token: next } = (await client.refresh(next)).result.data as Tokens);
      exchangedAfterBackup.push(next);
    }
    await service.stop();
    await drop();

    await query(`CREATE DATABASE ${DATABASE}`);
    for (const role of [OWNER, SERVICE]) await query(`CREATE ROLE ${role}`);
    execFileSync('pg_restore', ['--exit-on-error', '--single-transaction', `--dbname=${admin}`, dump]);
    const { applied } = await setUpRoles(urls);
    expect(applied).toEqual([]);
  });
  afterAll(async () => {
    await drop();
    rmSync(directory, { recursive: true, force: true });
  });

  test('is not started with another pepper or another key-encryption key', async () => {
    const pepper = { AUTH_PASSWORD_PEPPER: 'another pepper that is long enough for tests' };
    await expect(start(pepper)).rejects.toThrow('AUTH_PASSWORD_PEPPER: the pepper of version 1');
    await expect(start({ AUTH_KEY_ENCRYPTION_KEY: randomBytes(32).toString('base64') })).rejects.toThrow(
      'AUTH_KEY_ENCRYPTION_KEY cannot decrypt the signing key',
    );
    const { stdout } = await command(['doctor', '--json'], pepper);
    expect(JSON.parse(stdout)).toContainEqual(expect.objectContaining({ check: 'peppers', result: 'failed' }));
  });

  test('lets callers go on with their sessions, their tokens and their passwords', async () => {
    const service = await start();
    try {
      const client = sessionClient(service.url);
      expect(await (await fetch(`${service.url}/.well-known/jwks.json`)).json()).toEqual(keySet);
      const refreshed = await client.refresh(tokens.refresh_token);
      expect(refreshed.result).toMatchObject({ success: true });
      expect(await client.login('alice', PASSWORD, 1)).toHaveProperty('access_token');
    } finally {
      await service.stop();
    }
  });

  test('leaves the service bound by row-level security, and the audit log append-only', async () => {
    expect(await query('SELECT id FROM tenants', urls.service)).toEqual([]);
    expect((await query('SELECT id FROM tenants', urls.admin)).length).toBe(1);
    for (const statement of ['UPDATE audit_log SET outcome = outcome', 'DELETE FROM audit_log', 'DROP TABLE users'])
      await expect(query(statement, urls.service)).rejects.toThrow(/permission denied|append-only|must be owner/);
    const open = await query(
      `SELECT proname FROM pg_proc WHERE prosecdef AND pronamespace = 'public'::regnamespace
       AND EXISTS (SELECT FROM aclexplode(coalesce(proacl, acldefault('f', proowner))) WHERE grantee = 0)`,
      urls.admin,
    );
    expect(open).toEqual([]);
  });

  test('can be taken by the user of the service only as a whole', () => {
    const run = (options: readonly string[], more: Record<string, string> = {}) =>
      execFileSync('pg_dump', [...options, '--data-only', '--table=users', urls.service], {
        encoding: 'utf8',
        env: { PATH: process.env.PATH, ...more },
        stdio: 'pipe',
      });
    expect(() => run([])).toThrow('row-level security');
    const dumped = run(['--enable-row-security'], { PGOPTIONS: '-c portico.across_tenants=backup' });
    expect(dumped).toContain('alice');
  });

  test('is unavailable, and no more than that, while PostgreSQL refuses its user', async () => {
    const service = await start();
    const login = async () => (await service.login({ username: 'alice', password: PASSWORD, tenant_id: 1 })).body;
    try {
      expect((await login()).data?.auth_user_login?.success).toBe(true);
      await query(`ALTER ROLE ${SERVICE} NOLOGIN`);
      await query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = '${SERVICE}'`);
      await until('its connections have ended', async () => {
        const [{ open } = {}] = await query(
          `SELECT count(*)::int AS open FROM pg_stat_activity WHERE usename = '${SERVICE}'`,
        );
        return open === 0;
      });
      for (let attempt = 0; attempt < 3; attempt += 1)
        expect((await login()).errors?.map(({ extensions }) => extensions?.code)).toEqual(['unavailable']);
      await query(`ALTER ROLE ${SERVICE} LOGIN`);
      await until('it logs in again', async () => (await login()).data?.auth_user_login?.success === true);
    } finally {
      await query(`ALTER ROLE ${SERVICE} LOGIN`);
      await service.stop();
    }
  });

  test('takes the token that was current at the backup, makes none again, and ends the session at a later one', async () => {
    // docs/operations.md has this statement.
    await query('UPDATE sessions SET refresh_generation = refresh_generation + 65536', urls.admin);
    const service = await start();
    try {
      const client = sessionClient(service.url);
      const again = (await client.refresh(second.refresh_token)).result.data as Tokens;
      expect(exchangedAfterBackup).not.toContain(again.refresh_token);
      expect((await client.refresh(exchangedAfterBackup[0] ?? '')).result.success).toBe(false);
      expect((await client.refresh(again.refresh_token)).result.success).toBe(false);
      expect(
        await query(
          `SELECT FROM audit_log WHERE event = 'refresh.reuse'
           AND details ->> 'session_id' = '${claimsOf(second.access_token).sid}'`,
          urls.admin,
        ),
      ).toHaveLength(1);
    } finally {
      await service.stop();
    }
  });

  test('does not make a refresh token good again that was spent before', async () => {
    const service = await start();
    try {
      expect((await sessionClient(service.url).refresh(spent)).result.success).toBe(false);
    } finally {
      await service.stop();
    }
  });
});
