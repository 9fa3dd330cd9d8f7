import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { connectToDatabase } from '../../auth-service/database/index.ts';
import { availableEngines, createTestDatabase, type TestDatabase } from '../database/index.ts';
import { runProgram } from './process.ts';
import { environment, LOGIN } from './service.ts';

const engines = await availableEngines();

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

function login(port: number, variables: unknown): Promise<Response> {
  return fetch(`http://127.0.0.1:${port}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query: LOGIN, variables }),
  });
}

describe('the process of the auth service does not start, and says why in plain lines, when', () => {
  test('settings are missing', async () => {
    const { ended, stderr } = runProgram('main.js', { NODE_ENV: 'production' });

    expect(await ended).toBe(1);
    expect(stderr().trim().split('\n').sort()).toEqual([
      expect.stringMatching(/^auth-service: AUTH_KEY_ENCRYPTION_KEY is not set: /),
      expect.stringMatching(/^auth-service: AUTH_PASSWORD_PEPPER is not set: /),
      expect.stringMatching(/^auth-service: AUTH_REVOCATION_SECRET is not set: /),
      expect.stringMatching(/^auth-service: DATABASE_PASSWORD is not set: /),
      expect.stringMatching(/^auth-service: DATABASE_URL is not set: /),
    ]);
  });

  test('the database is not there', async () => {
    const { ended, stdout, stderr } = runProgram('main.js', environment('postgresql://me:s3cret@127.0.0.1:1/shop'));

    expect(await ended).toBe(1);
    expect(stderr()).toBe(
      'auth-service: DATABASE_URL: cannot use database "shop" at 127.0.0.1:1 as user "me": nothing listens there (ECONNREFUSED)\n',
    );
    expect(stdout()).not.toContain('s3cret');
  });

  test('the port is taken', async () => {
    const taken = createServer();
    await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
    const { port } = taken.address() as AddressInfo;
    const { ended, stderr } = runProgram(
      'main.js',
      environment('postgresql://me@127.0.0.1:1/shop', { AUTH_PORT: String(port) }),
    );

    expect(await ended).toBe(1);
    expect(stderr()).toBe(`auth-service: port ${port} on 127.0.0.1 is already in use: set AUTH_PORT to a free one\n`);
    await new Promise((resolve) => taken.close(resolve));
  });
});

describe.each(engines)('the process of the auth service, on %s', (engine) => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createTestDatabase({ engine, migrated: false });
  });
  afterAll(() => database.drop());

  test('migrates an empty database, gets its demo data, answers logins, and stops cleanly', async () => {
    const service = runProgram('main.js', environment(database.url));
    const port = await service.ready;
    const seeding = runProgram('cli/seed-demo.js', environment(database.url));

    expect(await seeding.ended).toBe(0);
    expect(seeding.stdout()).toBe('seed-demo: 5 users added, tenants acme, globex\n');
    for (const [username, password, tenant_id, success] of [
      ['alice', 'alice-acme-demo-pass', 1, true],
      ['alice', 'alice-globex-demo-pass', 2, true],
      ['alice', 'alice-acme-demo-pass', 2, false],
      ['bob', 'bob-acme-demo-pass', 1, true],
      ['carol', 'carol-acme-demo-pass', 1, false],
    ]) {
      const response = await login(port, { username, password, tenant_id });
      expect(await response.json()).toMatchObject({ data: { auth_user_login: { success } } });
    }
    service.child.kill('SIGTERM');
    expect(await service.ended).toBe(0);
    expect(service.stderr()).toBe('');
    expect(service.stdout()).not.toContain('demo-pass');
  });

  test('the demo data is added once, and a changed password stays changed', async () => {
    const client = await connectToDatabase(database.url);
    await client.query("UPDATE users SET password_hash = 'changed' WHERE username = 'bob'");
    await client.query("DELETE FROM users WHERE username = 'carol'");
    const again = runProgram('cli/seed-demo.js', environment(database.url));

    expect(await again.ended).toBe(0);
    expect(again.stdout()).toBe('seed-demo: 1 users added, tenants acme, globex\n');
    const { rows } = await client.query("SELECT password_hash FROM users WHERE username = 'bob'");
    expect(rows).toEqual([{ password_hash: 'changed' }]);
    await client.end();
  });

  test('a stop lets the logins that are under way finish', async () => {
    const settings = { AUTH_BCRYPT_COST: '12', AUTH_HASH_THREADS: '1' };
    const service = runProgram('main.js', environment(database.url, settings));
    const port = await service.ready;
    const logins = Array.from({ length: 5 }, () => login(port, { username: 'nobody', password: 'x', tenant_id: 1 }));
    // Once the first has its answer, the others are in the queue behind it.
    await Promise.race(logins);
    service.child.kill('SIGTERM');

    expect((await Promise.all(logins)).map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    expect(await service.ended).toBe(0);
  });

  test('replicas that start at once on an empty database sign with the same key', async () => {
    const empty = await createTestDatabase({ engine, migrated: engine === 'pglite' });
    const replicas = [1, 2, 3].map(() => runProgram('main.js', environment(empty.url)));
    const keySets = await Promise.all(
      replicas.map(async ({ ready }) => (await fetch(`http://127.0.0.1:${await ready}/.well-known/jwks.json`)).json()),
    );

    expect(keySets).toEqual([keySets[0], keySets[0], keySets[0]]);
    expect(keySets[0]).toMatchObject({ keys: [{ alg: 'ES256' }] });
    for (const { child } of replicas) child.kill('SIGTERM');
    expect(await Promise.all(replicas.map(({ ended }) => ended))).toEqual([0, 0, 0]);
    await empty.drop();
  });

  if (engine === 'postgres')
    test('while it starts it is alive, but not ready, and answers no login', async () => {
      const fresh = await createTestDatabase({ engine });
      const blocker = await connectToDatabase(fresh.url);
      // The start waits for the keys as long as somebody holds their table.
      await blocker.query('BEGIN; LOCK TABLE signing_keys IN ACCESS EXCLUSIVE MODE');
      const port = await freePort();
      const service = runProgram('main.js', environment(fresh.url, { AUTH_PORT: String(port) }));
      const get = (path: string) => fetch(`http://127.0.0.1:${port}${path}`);
      const until = async (condition: () => Promise<boolean>) => {
        while (!(await condition().catch(() => false)));
      };

      await until(async () => (await (await get('/readyz')).text()).includes('"migrations":"ok"'));
      expect((await get('/healthz')).status).toBe(200);
      const ready = await get('/readyz');
      expect(ready.status).toBe(503);
      expect(await ready.json()).toEqual({
        ready: false,
        checks: { migrations: 'ok', signing_keys: 'pending', database: 'ok' },
      });
      expect((await login(port, {})).status).toBe(503);
      expect((await get('/.well-known/jwks.json')).status).toBe(503);

      await blocker.query('COMMIT');
      await service.ready;
      expect((await get('/readyz')).status).toBe(200);
      service.child.kill('SIGTERM');
      expect(await service.ended).toBe(0);
      await blocker.end();
      await fresh.drop();
    });
});
