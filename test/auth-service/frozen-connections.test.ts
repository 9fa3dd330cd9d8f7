import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { openDatabase } from '../../auth-service/database/index.ts';
import { createReadiness } from '../../auth-service/http/readiness.ts';
import { availableEngines } from '../database/index.ts';
import { type FreezableProxy, openFreezableProxy } from './freezable-proxy.ts';
import { startTestService, type TestService } from './service.ts';
import { until } from './until.ts';
import { createWorld, type World } from './world.ts';

const ALICE = { username: 'alice', password: 'a password of alice that is long', tenant_id: 1 };
const POOL_SIZE = 5;
const SETTINGS = {
  AUTH_DATABASE_POOL_SIZE: String(POOL_SIZE),
  AUTH_DATABASE_STATEMENT_TIMEOUT_SECONDS: '2',
  AUTH_HASH_QUEUE_LIMIT: '100',
};
const isPostgresThere = (await availableEngines()).includes('postgres');

(isPostgresThere ? describe : describe.skip)('when connections to the database die without a word', () => {
  let world: World;
  let proxy: FreezableProxy;
  let service: TestService;

  beforeAll(async () => {
    world = await createWorld('postgres');
    await world.addTenant(1, 'acme');
    await world.addUser(1, ALICE.username, ALICE.password);
    const { hostname, port, pathname, username } = new URL(world.databaseUrl);
    proxy = await openFreezableProxy({ host: hostname, port: Number(port || 5432) });
    service = await startTestService(`postgresql://${username}@127.0.0.1:${proxy.port}${pathname}`, SETTINGS);
  });
  afterAll(async () => {
    await service.stop();
    await proxy.close();
    await world.close();
  });

  const login = () => service.login(ALICE);
  const probe = async () => (await fetch(`${service.url}/readyz`)).status;
  const liveness = async () => (await fetch(`${service.url}/healthz`)).status;
  const fillPool = () => Promise.all(Array.from({ length: 4 * POOL_SIZE }, login));

  test('probes of readiness do not use up the pool, and what comes later works', async () => {
    await fillPool();
    expect(proxy.freezeOpenConnections()).toBeGreaterThanOrEqual(POOL_SIZE);
    await Promise.all(Array.from({ length: 3 * POOL_SIZE }, probe));
    await until('it is ready', async () => (await probe()) === 200);
    const answers = await Promise.all([login(), login(), login()]);
    expect(answers.map(({ body }) => body.data?.auth_user_login?.success)).toEqual([true, true, true]);
    expect(await liveness()).toBe(200);
  });

  test('callers who meet them are refused with Retry-After, and no later caller meets them again', async () => {
    await fillPool();
    proxy.freezeOpenConnections();
    const first = await login();
    expect(first.body.errors?.map(({ extensions }) => extensions?.code)).toEqual(['unavailable']);
    const answers = await Promise.all(Array.from({ length: 2 * POOL_SIZE }, login));
    expect(answers.every(({ body }) => body.data?.auth_user_login?.success)).toBe(true);
  });

  test('a database that accepts connections and says nothing makes callers come back too', async () => {
    await fillPool();
    proxy.freezeNewConnections(true);
    proxy.freezeOpenConnections();
    const answers = await Promise.all(Array.from({ length: 2 * POOL_SIZE }, login));
    expect(new Set(answers.map(({ body }) => body.errors?.[0]?.extensions?.code))).toEqual(new Set(['unavailable']));
    expect(await probe()).toBe(503);
    proxy.freezeNewConnections(false);
    proxy.freezeOpenConnections();
    await until('a login works', async () => (await login()).body.data?.auth_user_login?.success === true);
  });

  test('a stop does not wait for them', async () => {
    await fillPool();
    proxy.freezeNewConnections(true);
    proxy.freezeOpenConnections();
    const unanswered = login().catch(() => undefined);
    await service.stop();
    await unanswered;
  });
});

(isPostgresThere ? describe : describe.skip)('when the service has more to do than it can', () => {
  test('it is alive and ready: the database answers, though a probe gets no connection', async () => {
    const world = await createWorld('postgres');
    const database = openDatabase(world.databaseUrl, { poolSize: 2 });
    const readiness = createReadiness({ database, keys: { loaded: true } });
    readiness.migrated();
    let isOver = false;
    const load = Array.from({ length: 40 }, async () => {
      while (!isOver) await database.withoutTenant((transaction) => transaction.$queryRaw`SELECT 1 FROM pg_sleep(0.2)`);
    });
    expect(await readiness.report()).toMatchObject({ ready: true, checks: { database: 'ok' } });
    expect(readiness.stuck()).toBe(false);
    isOver = true;
    await Promise.allSettled(load);
    await database.close();
    await world.close();
  });
});

describe('liveness', () => {
  const never = () => Promise.reject(new Error('no answer'));

  async function stuckWith({
    pingNewConnection,
    silentSeconds,
  }: {
    pingNewConnection(): Promise<void>;
    silentSeconds: number;
  }) {
    const readiness = createReadiness({
      database: { ping: never, pingNewConnection: pingNewConnection, silentMs: () => silentSeconds * 1000 },
      keys: { loaded: true },
    });
    readiness.migrated();
    readiness.stuck();
    await new Promise(setImmediate);
    return readiness.stuck();
  }

  const answers = async () => {};

  test('ends when the database answers every process but this one', async () => {
    expect(await stuckWith({ pingNewConnection: answers, silentSeconds: 60 })).toBe(true);
  });

  test('goes on while the database answers no process, and for a short loss', async () => {
    expect(await stuckWith({ pingNewConnection: never, silentSeconds: 3_600 })).toBe(false);
    expect(await stuckWith({ pingNewConnection: answers, silentSeconds: 10 })).toBe(false);
  });
});
