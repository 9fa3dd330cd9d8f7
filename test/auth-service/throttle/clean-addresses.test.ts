import { describe, expect, test } from '@jest/globals';
import { AttemptQueue } from '../../../auth-service/throttle/attempt-queue.ts';
import { withCleanAddresses } from '../../../auth-service/throttle/clean-addresses.ts';
import { createCounterSetsOf } from '../../../auth-service/throttle/counters.ts';
import { DEFAULT_BACKOFF_POLICIES } from '../../../auth-service/throttle/index.ts';
import { createThrottle } from '../../../auth-service/throttle/throttle.ts';
import { createTurns } from '../../../auth-service/throttle/turns.ts';
import { createLogger } from '../../../platform/index.ts';
import { memoryAttemptLimiter, memoryAttemptStore, memoryDevices } from './memory-stores.ts';

/** One failure, and all that follow have to wait. */
const POLICIES = {
  ...DEFAULT_BACKOFF_POLICIES,
  account: { free: 1, first: 900, growth: 1, longest: 900, forget: 43_200 },
  clean_account: { free: 1, first: 3, growth: 1, longest: 3, forget: 43_200 },
};

/** An account whose first allowance is used up, and the second one for three seconds. */
async function openAttackedAccount() {
  let time = Date.parse('2026-11-21T12:00:00Z');
  const now = () => new Date(time);
  const pauses: number[] = [];
  const [store, devices] = [memoryAttemptStore(), memoryDevices(90)];
  const limiter = withCleanAddresses({
    limiter: memoryAttemptLimiter(store, devices),
    store,
    devices,
    maxWaiting: 10,
    now,
    pause: async (milliseconds) => {
      pauses.push(milliseconds);
      time += milliseconds;
    },
  });
  const setsOf = createCounterSetsOf(POLICIES, Buffer.alloc(32, 1));
  const admit = async (address: string) =>
    (
      await limiter.admit(
        setsOf({ subject: { kind: 'account', tenantId: 1, username: 'alice' }, address }),
        now(),
        () => {},
      )
    ).admitted;
  expect([await admit('10.5.0.1'), await admit('10.5.0.2')]).toEqual([true, true]);
  return { admit, pauses };
}

describe('when the second allowance is used up too', () => {
  test('an attempt from a clean address waits for its turn, and is admitted', async () => {
    const { admit, pauses } = await openAttackedAccount();

    expect(await admit('10.5.0.3')).toBe(true);
    expect(pauses).toEqual([3_000]);
  });

  test('attempts that wait longer than eight seconds are refused', async () => {
    const { admit, pauses } = await openAttackedAccount();
    const outcomes = await Promise.all(['10.5.0.3', '10.5.0.4', '10.5.0.5', '10.5.0.6'].map(admit));

    expect(outcomes).toEqual([true, true, false, false]);
    expect(pauses).toEqual([3_000, 3_000]);
  });

  test('an address that has failed does not wait for a turn', async () => {
    const { admit, pauses } = await openAttackedAccount();

    expect(await admit('10.5.0.2')).toBe(false);
    expect(pauses).toEqual([]);
  });
});

test('an attempt that waits for its turn keeps no other one waiting, whatever counters they share', async () => {
  let time = Date.parse('2026-11-21T12:00:00Z');
  const now = () => new Date(time);
  const [store, devices] = [memoryAttemptStore(), memoryDevices(90)];
  let endPause: (() => void) | undefined;
  const pause = (milliseconds: number) =>
    new Promise<void>((resolve) => {
      endPause = () => {
        time += milliseconds;
        resolve();
      };
    });
  const limiter = memoryAttemptLimiter(store, devices);
  const throttle = createThrottle({
    limiter: withCleanAddresses({ limiter, store, devices, maxWaiting: 10, now, pause }),
    store,
    counterSetsOf: createCounterSetsOf(POLICIES, Buffer.alloc(32, 1)),
    queue: new AttemptQueue(10),
    now,
    logger: createLogger('test', 'silent'),
  });
  const guess = (address: string) =>
    throttle.guard(
      { subject: { kind: 'account', tenantId: 1, username: 'alice' }, address },
      async () => ({ outcome: 'wrong' }) as const,
      () => 'wrong',
    );
  await guess('10.5.0.1');
  await guess('10.5.0.2');
  const waiting = guess('10.5.0.3');
  while (!endPause) await new Promise(setImmediate);

  const refused = guess('10.5.0.1').then(({ outcome }) => outcome);
  const first = await Promise.race([refused, afterAllElse('it waits, too')]);
  endPause();
  expect(first).toBe('throttled');
  expect(await waiting).toMatchObject({ outcome: 'wrong' });
});

/** Settles when everything in memory that could be done has been done. */
async function afterAllElse<Value>(value: Value): Promise<Value> {
  for (let round = 0; round < 10; round += 1) await new Promise(setImmediate);
  return value;
}

describe('turns at a counter', () => {
  test('are taken in the order of arrival, also after one that failed', async () => {
    const turns = createTurns(10);
    const order: number[] = [];
    const taken = [1, 2, 3].map((number) =>
      turns.take('key', `network ${number}`, async () => {
        await new Promise(setImmediate);
        order.push(number);
        if (number === 2) throw new Error('the store is away');
        return number;
      }),
    );

    expect((await Promise.allSettled(taken)).map(({ status }) => status)).toEqual([
      'fulfilled',
      'rejected',
      'fulfilled',
    ]);
    expect(order).toEqual([1, 2, 3]);
  });

  test('are one of each network at a time, and a bounded number', async () => {
    const turns = createTurns(2);
    const take = (network: string, key = 'key') => turns.take(key, network, async () => network);

    expect(await Promise.all([take('a'), take('a'), take('b'), take('c'), take('c', 'another key')])).toEqual([
      'a',
      undefined,
      'b',
      undefined,
      'c',
    ]);
    expect(await take('a')).toBe('a');
  });
});
