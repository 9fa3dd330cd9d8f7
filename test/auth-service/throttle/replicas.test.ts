import { randomBytes, randomUUID } from 'node:crypto';
import { afterEach, describe, expect, test } from '@jest/globals';
import { Redis } from 'ioredis';
import type { AuthServiceDependencies } from '../../../auth-service/process/service.ts';
import { createTestDatabase, preferredEngine, type TestDatabase } from '../../database/index.ts';
import { freePort } from '../../gateway/harness/index.ts';
import { isRedisThere, REDIS_URL, type RedisRelay, redisRelay } from '../../gateway/rate-limit/redis.ts';
import { readExposition } from '../../prometheus.ts';
import { type RunningProcess, runProgram } from '../process.ts';
import { environment, startTestService, type TestService, THROTTLED } from '../service.ts';
import { until } from '../until.ts';
import { createWorld } from '../world.ts';
import { createClock, loginAt, statuses, times } from './callers.ts';
import { availableCounting, settingsOf } from './engines.ts';

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

async function newDatabase(engine: 'pglite' | 'postgres'): Promise<TestDatabase> {
  const database = await createTestDatabase({ engine });
  closers.push(() => database.drop());
  return database;
}

async function newService(
  url: string,
  changes: Record<string, string>,
  surroundings: AuthServiceDependencies = { now: createClock().now },
): Promise<TestService> {
  const service = await startTestService(url, { ...THROTTLED, ...changes }, surroundings);
  closers.push(() => service.stop());
  return service;
}

/** A service as a process of its own. */
async function newProcess(url: string, changes: Record<string, string>): Promise<string> {
  const process: RunningProcess = runProgram('main.js', environment(url, { ...THROTTLED, ...changes }));
  closers.push(async () => {
    process.child.kill();
    await process.ended;
  });
  return `http://127.0.0.1:${await process.ready}`;
}

/** All from one address. */
const guess = (url: string) => (index: number) => loginAt(url, 'alice', `guess ${index}`, '10.9.0.1');

describe.each(await availableCounting())('two processes that count in %s', (counting) => {
  test('give no more guesses than one', async () => {
    const { engine, settings } = settingsOf(counting);
    const { url } = await newDatabase(engine);
    // Counters of their own, also in a Redis that other tests use; waits that are not over before the test is.
    const changes = {
      ...settings,
      AUTH_KEY_ENCRYPTION_KEY: randomBytes(32).toString('base64'),
      AUTH_THROTTLE_ACCOUNT: 'first=900',
    };
    // This process is one of the two. Both have the clock of the machine.
    const [{ url: one }, two] = await Promise.all([newService(url, changes, {}), newProcess(url, changes)]);
    // An address that has failed has no second allowance.
    await loginAt(one, 'somebody else', 'wrong', '10.9.0.1');
    const outcomes = await Promise.all(Array.from({ length: 40 }, (_, index) => guess(index % 2 ? one : two)(index)));

    expect(statuses(outcomes).filter((status) => status === 401)).toHaveLength(5);
    expect(statuses(outcomes).filter((status) => status === 429)).toHaveLength(35);
    expect(statuses([await guess(one)(41), await guess(two)(42)])).toEqual([429, 429]);

    const fromClean = await Promise.all(
      Array.from({ length: 48 }, (_, index) => loginAt(index % 2 ? one : two, 'alice', 'wrong', `10.9.1.${index % 6}`)),
    );
    expect(statuses(fromClean).filter((status) => status === 401)).toHaveLength(6);
  });
});

const withRedis = (await isRedisThere()) ? describe : describe.skip;

withRedis('when Redis is lost', () => {
  async function withRelay(more: Record<string, string> = {}): Promise<{ relay: RedisRelay; service: TestService }> {
    const relay = await redisRelay();
    closers.push(() => relay.close());
    const { url } = await newDatabase(preferredEngine());
    const AUTH_KEY_ENCRYPTION_KEY = randomBytes(32).toString('base64');
    return { relay, service: await newService(url, { REDIS_URL: relay.url, AUTH_KEY_ENCRYPTION_KEY, ...more }) };
  }
  const countOf = (service: TestService, text: string) => service.logs().split(text).length - 1;

  test('failures are counted in the database, and in Redis again when it is back', async () => {
    const port = await freePort();
    const { relay, service } = await withRelay({ AUTH_METRICS_PORT: String(port) });
    const isAvailable = async () =>
      readExposition(await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()).get(
        'portico_auth_redis_available',
      );
    expect(statuses(await times(7, guess(service.url)))).toEqual([...Array(5).fill(401), 429, 429]);
    expect(await isAvailable()).toBe(1);

    await relay.stop();
    expect(statuses(await times(7, guess(service.url)))).toEqual([...Array(5).fill(401), 429, 429]);
    expect(countOf(service, '"event":"throttle.store_unavailable"')).toBe(1);
    expect(await isAvailable()).toBe(0);

    await relay.start();
    await until('Redis is back', () => countOf(service, '"event":"throttle.store_recovered"') === 1);
    expect(await isAvailable()).toBe(1);
    expect((await guess(service.url)(8)).status).toBe(429);
  });

  test('a Redis that accepts requests and does not answer delays no login', async () => {
    const { relay, service } = await withRelay();
    await guess(service.url)(0);
    relay.hang();
    expect(statuses(await times(6, guess(service.url)))).toEqual([...Array(5).fill(401), 429]);
    expect(countOf(service, '"event":"throttle.store_unavailable"')).toBe(1);
    relay.resume();
  });

  test('nor for one that stops to answer while a password is checked', async () => {
    const relay = await redisRelay();
    closers.push(() => relay.close());
    const AUTH_KEY_ENCRYPTION_KEY = randomBytes(32).toString('base64');
    const world = await createWorld(preferredEngine(), { ...THROTTLED, REDIS_URL: relay.url, AUTH_KEY_ENCRYPTION_KEY });
    closers.push(() => world.close());
    await world.addTenant(1, 'acme');
    await world.addUser(1, 'alice', 'right');
    world.service.duringNextHash(async () => relay.hang());

    expect((await loginAt(world.service.url, 'alice', 'right', '10.9.0.1')).answer?.success).toBe(true);
    expect(countOf(world.service, '"event":"throttle.store_unavailable"')).toBe(1);
    relay.resume();
  });

  test('a Redis that answers and refuses to write is not taken for one that is back', async () => {
    const redis = new Redis(REDIS_URL);
    const user = randomUUID();
    const permit = (...rules: readonly string[]) => redis.call('ACL', 'SETUSER', user, ...rules);
    /** How often Redis has refused to write. */
    const refusals = async () => {
      const entries = ((await redis.call('ACL', 'LOG', '128')) as unknown[][]).filter((entry) => entry.includes(user));
      return entries.reduce((sum, entry) => sum + Number(entry[entry.indexOf('count') + 1]), 0);
    };
    closers.push(async () => {
      await redis.call('ACL', 'DELUSER', user);
      redis.disconnect();
    });
    await permit('on', '>hush-hush', '~*', '+@all');
    const { url } = await newDatabase(preferredEngine());
    const REDIS = Object.assign(new URL(REDIS_URL), { username: user, password: 'hush-hush' });
    const AUTH_KEY_ENCRYPTION_KEY = randomBytes(32).toString('base64');
    const service = await newService(url, { REDIS_URL: REDIS.href, AUTH_KEY_ENCRYPTION_KEY });

    await permit('-hset');
    expect((await guess(service.url)(0)).status).toBe(401);
    await until('it has been tried twice more', async () => (await refusals()) >= 3);
    expect(countOf(service, '"event":"throttle.store_unavailable"')).toBe(1);
    expect(countOf(service, '"event":"throttle.store_recovered"')).toBe(0);

    await permit('+hset');
    await until('it is back', () => countOf(service, '"event":"throttle.store_recovered"') === 1);
  });

  test('a service starts without it', async () => {
    const { url } = await newDatabase(preferredEngine());
    const service = await newService(url, { REDIS_URL: 'redis://user:hush-hush@127.0.0.1:1/0' });

    expect(statuses(await times(6, guess(service.url)))).toEqual([...Array(5).fill(401), 429]);
    expect(service.logs()).not.toContain('hush-hush');
  });
});
