import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type Database, openDatabase } from '../../../auth-service/database/index.ts';
import type { AttemptLimiter } from '../../../auth-service/throttle/attempt-limiter.ts';
import { backoffScheduleOf } from '../../../auth-service/throttle/backoff-policy.ts';
import type { CounterSets } from '../../../auth-service/throttle/counters.ts';
import { createPostgresAttemptLimiter, postgresStore } from '../../../auth-service/throttle/postgres-store.ts';
import type { AttemptStore, Counter } from '../../../auth-service/throttle/store.ts';
import { attemptSweeps } from '../../../auth-service/throttle/sweeps.ts';
import { availableEngines, createTestDatabase, openTestClient, type TestDatabase } from '../../database/index.ts';
import { memoryAttemptLimiter, memoryAttemptStore, memoryDevices } from './memory-stores.ts';

const START = Date.parse('2026-11-21T12:00:00Z');
const SECOND = 1000;

/** A counter that nobody has used, with three free failures and waits of 1, 2, 4 and 5 s. */
function counter(free = 3): Counter {
  const schedule = backoffScheduleOf({ free, first: 1, growth: 2, longest: 5, forget: 60 });
  return { key: randomUUID(), kind: 'account', schedule };
}

/** The counters of an attempt that counts in `own` and `shared`, from a device that is not known yet. */
function counterSets(own: Counter, shared: Counter): CounterSets {
  const device = counter();
  return {
    deviceKey: device.key,
    network: '10.8.0.1',
    unknownDevice: { own, limiting: [own, shared], countedOnly: [] },
    knownDevice: { own: device, limiting: [device], countedOnly: [] },
    cleanAddress: { own: counter(), limiting: [], countedOnly: [] },
  };
}

describe.each([...(await availableEngines()), 'memory' as const])('failures counted in %s', (counting) => {
  let testDatabase: TestDatabase | undefined;
  let database: Database | undefined;
  let store: AttemptStore;
  let limiter: AttemptLimiter;

  beforeAll(async () => {
    if (counting === 'memory') {
      store = memoryAttemptStore();
      limiter = memoryAttemptLimiter(store, memoryDevices(90));
      return;
    }
    testDatabase = await createTestDatabase({ engine: counting });
    database = openDatabase(testDatabase.url);
    store = postgresStore(database);
    limiter = createPostgresAttemptLimiter(database, 90);
  });
  afterAll(async () => {
    await database?.close();
    await testDatabase?.drop();
  });

  /** How long after `at` the next one has to wait, in seconds; 0 when this one was counted. */
  async function waitOf(counters: readonly Counter[], at: number): Promise<number> {
    const taken = await store.consume(counters, at);
    return taken.admitted ? 0 : (taken.until - at) / SECOND;
  }

  test('begin a wait when the free ones are used up, and each wait is longer than the one before', async () => {
    const one = counter();
    const found: [number, number][] = [];
    let at = START;
    for (let attempt = 0; attempt < 9; attempt += 1) {
      const admitted = await waitOf([one], at);
      const next = await waitOf([one], at);
      found.push([admitted, attempt < 2 ? 0 : next]);
      at += Math.max(1, next) * SECOND;
      if (attempt < 2) attempt += 1;
    }

    expect(found).toEqual([
      [0, 0],
      [0, 1],
      [0, 2],
      [0, 4],
      [0, 5],
      [0, 5],
      [0, 5],
      [0, 5],
    ]);
  });

  test('are not counted while there is a wait, which gets no longer', async () => {
    const one = counter(1);
    await store.consume([one], START);
    const waits = [];
    for (const after of [0, 1, 400, 999]) waits.push(await waitOf([one], START + after));

    expect(waits).toEqual([1, 0.999, 0.6, 0.001]);
    expect(await waitOf([one], START + SECOND)).toBe(0);
    expect(await waitOf([one], START + SECOND)).toBe(2);
  });

  test('by a clock that was far ahead begin no wait that lasts until then', async () => {
    const one = counter(1);
    await store.consume([one], START + 86_400 * SECOND);

    expect(await store.peek([one], START)).toBeUndefined();
    expect(await store.waits([one], START)).toEqual([]);
    expect(await waitOf([one], START)).toBe(0);
    expect(await waitOf([one], START)).toBe(2);
  });

  test('by a clock that is some seconds ahead begin the wait that it says', async () => {
    const one = counter(1);
    await store.consume([one], START + 30 * SECOND);

    expect(await waitOf([one], START)).toBe(31);
    expect((await store.peek([one], START))?.until).toBe(START + 31 * SECOND);
  });

  test('are counted everywhere or nowhere', async () => {
    const [full, other] = [counter(1), counter(2)];
    await store.consume([full], START);
    expect(await store.consume([other, full], START)).toEqual({
      admitted: false,
      key: full.key,
      until: START + SECOND,
    });

    expect(await waitOf([other], START)).toBe(0);
    expect(await waitOf([other], START)).toBe(0);
    expect(await waitOf([other], START)).toBe(1);
  });

  test('tell the longest of several waits', async () => {
    const [short, long] = [counter(1), counter(1)];
    await store.consume([short], START);
    await store.consume([long], START + 500);

    expect(await store.consume([short, long], START + 600)).toMatchObject({ key: long.key, until: START + 1500 });
    expect(await store.peek([short, long], START + 600)).toEqual({ key: long.key, until: START + 1500 });
    expect(await store.peek([short, long], START + 1500)).toBeUndefined();
    expect(await store.peek([counter()], START)).toBeUndefined();
  });

  test('that are given back were never there', async () => {
    const one = counter(2);
    for (let attempt = 0; attempt < 10; attempt += 1) {
      const taken = await store.consume([one], START);
      if (!taken.admitted) throw new Error('not admitted');
      await taken.refund();
    }

    expect(await waitOf([one], START)).toBe(0);
    expect(await waitOf([one], START)).toBe(0);
    expect(await waitOf([one], START)).toBe(1);
  });

  test('that are given back end the wait that they began, and no other', async () => {
    const one = counter(2);
    const first = await store.consume([one], START);
    const second = await store.consume([one], START);
    if (!first.admitted || !second.admitted) throw new Error('not admitted');
    await first.refund();
    expect(await waitOf([one], START)).toBe(1);
    await second.refund();

    expect(await waitOf([one], START)).toBe(0);
  });

  test('are all forgotten in the own counter of an attempt that succeeds, and one in the others', async () => {
    const [own, shared] = [counter(2), counter(3)];
    const sets = counterSets(own, shared);
    const at = new Date(START);
    await store.consume([own, shared], START);
    const attempt = await limiter.admit(sets, at, () => {});
    if (!attempt.admitted) throw new Error('not admitted');
    await attempt.succeed(at);

    expect((await limiter.peek(sets, at)).counterSet).toBe(sets.knownDevice);
    expect(await waitOf([own], START)).toBe(0);
    expect(await waitOf([own], START)).toBe(0);
    expect(await waitOf([shared], START)).toBe(0);
    expect(await waitOf([shared], START)).toBe(0);
    expect(await waitOf([shared], START)).toBe(1);
  });

  test('fade with time', async () => {
    const one = counter(3);
    for (let attempt = 0; attempt < 3; attempt += 1) await store.consume([one], START);
    // Six, the most that it counts to, fade in sixty seconds.
    const later = START + 20 * SECOND;

    expect(await waitOf([one], later)).toBe(0);
    expect(await waitOf([one], later)).toBe(0);
    expect(await waitOf([one], later)).toBe(1);
  });

  test('do not fade so fast that slow guessing gets one more for nothing', async () => {
    const one = counter(3);
    for (const after of [0, 2, 4]) await store.consume([one], START + after * SECOND);

    expect(await waitOf([one], START + 4 * SECOND)).toBe(1);
  });

  test('do not come back when a clock is behind', async () => {
    const one = counter(3);
    await store.consume([one], START);
    await store.consume([one], START - 3_600 * SECOND);

    expect(await waitOf([one], START)).toBe(0);
    expect(await waitOf([one], START)).toBe(1);
  });

  test('of fifty attempts at the same time are admitted as often as is free', async () => {
    const [own, shared] = [counter(4), counter(1_000)];
    const taken = await Promise.all(Array.from({ length: 50 }, () => store.consume([own, shared], START)));
    expect(taken.filter(({ admitted }) => admitted)).toHaveLength(4);

    // Whatever was counted of those that were not admitted has been taken back.
    const rest = { ...shared, schedule: { ...shared.schedule, free: 8 } };
    const more = [];
    for (let attempt = 0; attempt < 5; attempt += 1) more.push(await waitOf([rest], START));
    expect(more).toEqual([0, 0, 0, 0, 1]);
  });

  test('of attempts at counters in another order do not stand in each other’s way', async () => {
    const [one, two] = [counter(1_000), counter(1_000)];
    const all = Array.from({ length: 40 }, async (_, index) => {
      const taken = await store.consume(index % 2 === 0 ? [one, two] : [two, one], START);
      if (taken.admitted) await (index % 3 === 0 ? store.forget([two.key, one.key]) : taken.refund());
      return taken.admitted;
    });

    expect(await Promise.all(all)).toEqual(Array(40).fill(true));
  });
});

describe('housekeeping', () => {
  test('removes what is forgotten, a few at a time, and nothing else', async () => {
    const testDatabase = await createTestDatabase({ engine: 'pglite' });
    const database = openDatabase(testDatabase.url);
    const client = openTestClient(testDatabase.url);
    const store = postgresStore(database);
    for (let index = 0; index < 5; index += 1) await store.consume([counter()], START);
    const young = counter();
    await store.consume([young], START + 59 * SECOND);
    for (const days of [-1, 1])
      await client.knownDevice.create({
        data: { key: `device ${days}`, expiresAt: new Date(START + days * 86_400 * SECOND) },
      });
    const sweepAll = (at: Date) => Promise.all(attemptSweeps(database).map(({ sweep }) => sweep(at, 3)));
    const at = new Date(START + 61 * SECOND);

    expect([await sweepAll(at), await sweepAll(at), await sweepAll(at)]).toEqual([
      [3, 1],
      [2, 0],
      [0, 0],
    ]);
    expect((await client.loginAttempts.findMany()).map(({ key }) => key)).toEqual([young.key]);
    expect((await client.knownDevice.findMany()).map(({ key }) => key)).toEqual(['device 1']);
    await client.$disconnect();
    await database.close();
    await testDatabase.drop();
  });
});
