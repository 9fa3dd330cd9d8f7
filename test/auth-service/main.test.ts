import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { seedDemo } from '../../auth-service/cli/demo-data.ts';
import { connectToDatabase, openDatabase } from '../../auth-service/database/index.ts';
import { startAuthService } from '../../auth-service/process/service.ts';
import { freePort } from '../../bench/machine/free-port.ts';
import { availableEngines, createTestDatabase, type TestDatabase } from '../database/index.ts';
import { readExposition } from '../prometheus.ts';
import { OPERATOR } from './operator.ts';
import { type RunningProcess, runProgram } from './process.ts';
import { configFor, environment, LOGIN, startTestService } from './service.ts';
import { until } from './until.ts';
import { testPasswords } from './world.ts';

const engines = await availableEngines();

function login(port: number, variables: unknown): Promise<Response> {
  return fetch(`http://127.0.0.1:${port}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query: LOGIN, variables }),
  });
}

interface Replica extends RunningProcess {
  readonly metricsUrl: string;
}

/** At a cost at which logins at once wait for each other, where they cannot be held in the database. */
function startReplicas({ url, engine }: TestDatabase, count: number): Promise<Replica[]> {
  const start = async () => {
    const port = await freePort();
    const settings = {
      AUTH_BCRYPT_COST: engine === 'pglite' ? '10' : '4',
      AUTH_DATABASE_STATEMENT_TIMEOUT_SECONDS: '60',
      AUTH_HASH_THREADS: '1',
      AUTH_SHUTDOWN_TIMEOUT_SECONDS: '60',
      AUTH_METRICS_PORT: String(port),
    };
    return { ...runProgram('main.js', environment(url, settings)), metricsUrl: `http://127.0.0.1:${port}/metrics` };
  };
  return Promise.all(Array.from({ length: count }, start));
}

/** How many GraphQL requests a replica has received so far, answered or not. */
async function receivedBy({ metricsUrl }: Replica): Promise<number> {
  const samples = [...readExposition(await (await fetch(metricsUrl)).text())];
  const counted = samples.filter(
    ([name]) =>
      name === 'http_server_active_requests' ||
      (name.startsWith('http_server_request_duration_seconds_count') && name.includes('http_route="/graphql"')),
  );
  return counted.reduce((sum, [, value]) => sum + value, 0);
}

async function stopAll(processes: readonly RunningProcess[]): Promise<(number | null)[]> {
  for (const { child } of processes) child.kill('SIGTERM');
  return Promise.all(processes.map(({ ended }) => ended));
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
    // In this process: another one prints it as it does the reason above.
    const refused = startAuthService(configFor('postgresql://me@127.0.0.1:1/shop', { AUTH_PORT: String(port) }));

    await refused.catch(() => {});
    await new Promise((resolve) => taken.close(resolve));
    await expect(refused).rejects.toMatchObject({
      name: 'StartError',
      message: `port ${port} on 127.0.0.1 is already in use: set AUTH_PORT to a free one`,
    });
  });
});

describe.each(engines)('the process of the auth service, on %s', (engine) => {
  let database: TestDatabase;
  /** PGlite has one session, in which two processes would both get the lock of migrations. */
  const count = engine === 'pglite' ? 1 : 2;
  let replicas: Replica[];
  beforeAll(async () => {
    database = await createTestDatabase({ engine, migrated: false });
    replicas = await startReplicas(database, count);
  });
  afterAll(async () => {
    await stopAll(replicas);
    await database.drop();
  });

  /** In this process: the one session of PGlite interleaves the statements of two processes no differently. */
  async function keysOfTwoServices<Keys>(keysOf: (url: string) => Promise<Keys>): Promise<Keys[]> {
    const migrated = await createTestDatabase({ engine });
    const services = await Promise.all([startTestService(migrated.url), startTestService(migrated.url)]);
    const keySets = await Promise.all(services.map(({ url }) => keysOf(url)));
    for (const service of services) await service.stop();
    await migrated.drop();
    return keySets;
  }

  test('migrates an empty database, gets its demo data, and answers logins', async () => {
    const port = (await replicas[0]?.ready) ?? 0;
    const seeding = runProgram('cli/seed-demo.js', environment(database.url));

    expect(await seeding.ended).toBe(0);
    expect(seeding.stdout()).toBe('seed-demo: 5 users added, tenants acme, globex, operations\n');
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
  });

  test('replicas that start at once on an empty database sign with the same key', async () => {
    const keysOf = async (url: string) => (await fetch(`${url}/.well-known/jwks.json`)).json();
    const keySets =
      count > 1
        ? await Promise.all(replicas.map(async ({ ready }) => keysOf(`http://127.0.0.1:${await ready}`)))
        : await keysOfTwoServices(keysOf);

    expect(keySets).toEqual([keySets[0], keySets[0]]);
    expect(keySets[0]).toMatchObject({ keys: [{ alg: 'ES256' }] });
  });

  test('the demo data is added once, and a changed password stays changed', async () => {
    const client = await connectToDatabase(database.url);
    await client.query("UPDATE users SET password_hash = 'changed' WHERE username = 'bob'");
    await client.query("DELETE FROM users WHERE username = 'carol'");
    const doors = openDatabase(database.url, { poolSize: 1 });

    expect(await seedDemo(doors, testPasswords(database.url), OPERATOR)).toMatchObject({ usersAdded: 1 });
    const { rows } = await client.query("SELECT password_hash FROM users WHERE username = 'bob'");
    expect(rows).toEqual([{ password_hash: 'changed' }]);
    await doors.close();
    await client.end();
  });

  test('stops cleanly, and lets the logins that are under way finish', async () => {
    const [service] = replicas as [Replica];
    const port = await service.ready;
    const before = await receivedBy(service);
    const blocker = await connectToDatabase(database.url);
    // They look for the account as long as somebody holds the table.
    if (engine === 'postgres') await blocker.query('BEGIN; LOCK TABLE users IN ACCESS EXCLUSIVE MODE');
    const logins = Array.from({ length: 8 }, () => login(port, { username: 'nobody', password: 'x', tenant_id: 1 }));
    // A connection that it has not accepted yet is lost when its port is closed.
    await until('all of them have arrived', async () => (await receivedBy(service)) - before === logins.length);
    service.child.kill('SIGTERM');
    if (engine === 'postgres') {
      const isStopping = () =>
        fetch(`http://127.0.0.1:${port}/readyz`).then(
          ({ ok }) => !ok,
          () => true,
        );
      await until('it stops', isStopping);
      await blocker.query('COMMIT');
    }
    await blocker.end();

    expect((await Promise.all(logins)).map(({ status }) => status)).toEqual(logins.map(() => 200));
    expect(await service.ended).toBe(0);
    expect(service.stderr()).toBe('');
    expect(service.stdout()).not.toContain('demo-pass');
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

      await until('the migrations are done', () =>
        get('/readyz').then(
          async (response) => (await response.text()).includes('"migrations":"ok"'),
          () => false,
        ),
      );
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
