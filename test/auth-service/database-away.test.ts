import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { availableEngines, POSTGRES_URL } from '../database/index.ts';
import { runCommand } from './cli/run.ts';
import { environment, REVOCATION_SECRET, THROTTLED } from './service.ts';
import { until } from './until.ts';
import { createWorld, type World } from './world.ts';

const ALICE = { username: 'alice', password: 'a password of alice that is long', tenant_id: 1 };
const isPostgresThere = (await availableEngines()).includes('postgres');

(isPostgresThere ? describe : describe.skip)('while the database takes no connections', () => {
  let world: World;
  let server: pg.Client;
  let name: string;

  beforeAll(async () => {
    world = await createWorld('postgres', THROTTLED);
    await world.addTenant(1, 'acme');
    await world.addUser(1, ALICE.username, ALICE.password);
    name = new URL(world.databaseUrl).pathname.slice(1);
    server = new pg.Client({ connectionString: POSTGRES_URL });
    await server.connect();
    expect((await world.service.login(ALICE)).body.data?.auth_user_login?.success).toBe(true);
    await server.query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS false`);
    await server.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1', [name]);
  });
  afterAll(async () => {
    await server.query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS true`);
    await server.end();
    await world.close();
  });

  test('a login is refused with Retry-After, every time', async () => {
    for (let attempt = 0; attempt < 5; attempt += 1) {
      const { status, body } = await world.service.login(ALICE);
      expect([status, body.errors?.map(({ extensions }) => extensions?.code)]).toEqual([200, ['unavailable']]);
      expect(body.extensions?.http).toEqual({ status: 503, headers: { 'retry-after': '5' } });
    }
  });

  test('a standard client is, too', async () => {
    const response = await fetch(`${world.service.url}/oauth/token`, {
      method: 'POST',
      body: new URLSearchParams({ grant_type: 'refresh_token', refresh_token: crypto.randomUUID() }),
    });
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '5']);
    expect(await response.json()).toMatchObject({ error: 'temporarily_unavailable' });
  });

  test('a gateway that reads the revocations is, too', async () => {
    const response = await fetch(`${world.service.url}/revocations`, {
      headers: { authorization: `Bearer ${REVOCATION_SECRET}` },
    });
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '5']);
    expect(await response.json()).toMatchObject({ errors: [{ extensions: { code: 'unavailable' } }] });
  });

  test('the log names the cause of each', () => {
    const lines = world.service
      .logs()
      .split('\n')
      .filter(Boolean)
      .map((line): Record<string, unknown> => JSON.parse(line));
    const pathOf = new Map(
      lines.filter(({ event }) => event === 'request.completed').map((line) => [line.request_id, line.path]),
    );
    const failed = lines.filter(({ event }) => event === 'request.failed');

    expect(failed.filter(({ msg }) => msg !== 'the database is unavailable')).toEqual([]);
    const paths = failed.map(({ request_id: id }) => pathOf.get(id));
    expect(paths.toSorted()).toEqual([...Array(5).fill('/graphql'), '/oauth/token', '/revocations']);
  });

  test('and logins work again when it is back', async () => {
    await server.query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS true`);
    await until(
      'it answers',
      async () => (await world.service.login(ALICE)).body.data?.auth_user_login?.success === true,
    );
  });
});

(isPostgresThere ? describe : describe.skip)('while the database answers and cannot do what it is asked for', () => {
  let world: World;
  let server: pg.Client;
  let name: string;

  beforeAll(async () => {
    world = await createWorld('postgres', { ...THROTTLED, AUTH_DATABASE_STATEMENT_TIMEOUT_SECONDS: '2' });
    await world.addTenant(1, 'acme');
    await world.addUser(1, ALICE.username, ALICE.password);
    name = new URL(world.databaseUrl).pathname.slice(1);
    server = new pg.Client({ connectionString: POSTGRES_URL });
    await server.connect();
  });
  afterAll(async () => {
    await server.end();
    await world.close();
  });

  const disconnectAll = () =>
    server.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1', [name]);

  async function refresh(token: string) {
    const query = `mutation ($token: String) { auth_token_refresh(data: { refresh_token: $token }) { success } }`;
    return (await world.service.graphql(query, { token })).body;
  }

  async function refreshToken(): Promise<string> {
    return (await world.service.login(ALICE)).body.data?.auth_user_login?.data?.refresh_token ?? '';
  }

  const codes = (body: { errors?: { extensions?: { code?: string } }[] }) =>
    body.errors?.map(({ extensions }) => extensions?.code);

  test('a standby that takes no writes makes logins and refreshes come back', async () => {
    const token = await refreshToken();
    await server.query(`ALTER DATABASE ${name} SET default_transaction_read_only = on`);
    await disconnectAll();
    expect(codes((await world.service.login(ALICE)).body)).toEqual(['unavailable']);
    expect(codes(await refresh(token))).toEqual(['unavailable']);
    // What needs no writes goes on, so gateways still find the keys and the revocations here.
    const ready = await fetch(`${world.service.url}/readyz`);
    expect([ready.status, await ready.json()]).toMatchObject([200, { checks: { database: 'read-only' } }]);
    const { code, stdout } = await runCommand(['doctor', '--json'], environment(world.databaseUrl));
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toContainEqual({
      check: 'database',
      result: 'failed',
      detail: expect.stringContaining('read-only'),
    });
    await server.query(`ALTER DATABASE ${name} RESET default_transaction_read_only`);
    await disconnectAll();
    await until('the token can be used', async () => codes(await refresh(token)) === undefined);
  });

  test('a statement that waits for a lock for too long is cancelled, and nothing of it is done', async () => {
    const token = await refreshToken();
    const other = new pg.Client({ connectionString: world.databaseUrl });
    await other.connect();
    await other.query('BEGIN; LOCK TABLE sessions IN ACCESS EXCLUSIVE MODE');
    expect(codes((await world.service.login(ALICE)).body)).toEqual(['unavailable']);
    expect(codes(await refresh(token))).toEqual(['unavailable']);
    await other.query('COMMIT');
    await other.end();
    expect(codes(await refresh(token))).toBeUndefined();
  });
});
