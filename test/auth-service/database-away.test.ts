import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { availableEngines, POSTGRES_URL } from '../database/index.ts';
import { THROTTLED } from './service.ts';
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

  test('a login is told to come back, every time', async () => {
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

  test('and logins work again when it is back', async () => {
    await server.query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS true`);
    await until(
      'it answers',
      async () => (await world.service.login(ALICE)).body.data?.auth_user_login?.success === true,
    );
  });
});
