import { AttemptQueue } from '../../../auth-service/throttle/attempt-queue.ts';
import { withCleanAddresses } from '../../../auth-service/throttle/clean-addresses.ts';
import { createCounterSetsOf } from '../../../auth-service/throttle/counters.ts';
import { DEFAULT_BACKOFF_POLICIES } from '../../../auth-service/throttle/index.ts';
import { createThrottle, type Throttle, type Throttled } from '../../../auth-service/throttle/throttle.ts';
import { createLogger } from '../../../platform/index.ts';
import { memoryAttemptLimiter, memoryAttemptStore, memoryDevices } from './memory-stores.ts';

const START = Date.parse('2026-11-21T12:00:00Z');
const HASH_MS = 100;
const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;
/** In which a right password is to get in. */
const PATIENCE_MS = 10_000;
const TENANT = 1;

/** Time that passes only when everything waits. Events at one time happen in the order in which they were asked for. */
interface VirtualTime {
  now(): Date;
  sleep(milliseconds: number): Promise<void>;
  /** Until no one sleeps any more, or the time is over. */
  runUntil(end: number): Promise<void>;
}

function createVirtualTime(): VirtualTime {
  let time = START;
  const sleepers = new Map<number, (() => void)[]>();
  const times: number[] = [];

  /** Ascending, by binary search: a heap would be faster, and longer. */
  function remember(at: number): void {
    let [low, high] = [0, times.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((times[middle] ?? 0) > at) low = middle + 1;
      else high = middle;
    }
    times.splice(low, 0, at);
  }

  return {
    now: () => new Date(time),
    sleep: (milliseconds) =>
      new Promise((resolve) => {
        const at = time + Math.max(1, Math.ceil(milliseconds));
        const waiting = sleepers.get(at);
        if (waiting) waiting.push(resolve);
        else {
          sleepers.set(at, [resolve]);
          remember(at);
        }
      }),
    async runUntil(end) {
      // All that follows from an event happens in microtasks, before the next immediate.
      await new Promise(setImmediate);
      for (let next = times.pop(); next !== undefined && next <= end; next = times.pop()) {
        time = next;
        const woken = sleepers.get(next) ?? [];
        sleepers.delete(next);
        for (const wake of woken) wake();
        await new Promise(setImmediate);
      }
    },
  };
}

/** The throttle as the service opens it, over stores in memory. */
function openSimulatedThrottle(time: VirtualTime, hasSecondAllowance: boolean): Throttle {
  const store = memoryAttemptStore();
  const devices = memoryDevices(90);
  const limiter = memoryAttemptLimiter(store, devices);
  const { now, sleep: pause } = time;
  const maxWaiting = 20;
  return createThrottle({
    limiter: hasSecondAllowance ? withCleanAddresses({ limiter, store, devices, maxWaiting, now, pause }) : limiter,
    store,
    counterSetsOf: createCounterSetsOf(DEFAULT_BACKOFF_POLICIES, Buffer.alloc(32, 7)),
    queue: new AttemptQueue(maxWaiting),
    now,
    logger: createLogger('simulation', 'silent'),
  });
}

/** Attackers who work together. */
export interface Attackers {
  readonly addresses: readonly string[];
  /** All passwords at one account, or each at another account of the tenant. */
  readonly target: 'account' | 'tenant';
}

export interface SimulationOptions extends Attackers {
  readonly durationMs: number;
  /** How often an honest user logs in from a new address; at the account that is attacked, or elsewhere in the tenant. */
  readonly loginEveryMs: number | undefined;
  readonly hasSecondAllowance?: boolean;
  /** Of the times at which honest users log in. */
  readonly seed: number;
}

export interface SimulationResult {
  /** How many passwords the attackers had checked. */
  readonly guesses: number;
  readonly logins: number;
  /** How many of these logins succeeded within ten seconds. */
  readonly inTime: number;
}

/** A time of attackers and honest users. The same options have the same result. */
export async function simulate(options: SimulationOptions): Promise<SimulationResult> {
  const { addresses, target, durationMs, loginEveryMs, hasSecondAllowance = true } = options;
  const time = createVirtualTime();
  const throttle = openSimulatedThrottle(time, hasSecondAllowance);
  const random = randomNumbers(options.seed);
  const end = START + durationMs;
  const result = { guesses: 0, logins: 0, inTime: 0 };
  const elapsed = () => time.now().getTime() - START;

  function tryPassword(username: string, address: string, isRight: boolean) {
    const subject = { kind: 'account', tenantId: TENANT, username } as const;
    return throttle.guard(
      { subject, address },
      async () => {
        await time.sleep(HASH_MS);
        return { outcome: 'checked' as const };
      },
      () => (isRight ? 'right' : 'wrong'),
    );
  }

  let victims = 0;
  async function guess(address: string): Promise<Throttled | undefined> {
    victims += 1;
    const answer = await tryPassword(target === 'account' ? 'victim' : `victim ${victims}`, address, false);
    if (answer.outcome === 'throttled') return answer;
    result.guesses += 1;
    return undefined;
  }

  /** Guesses with these addresses as often as the first allowance admits, from each as soon as it may. */
  async function guessAlways(workers: readonly string[]): Promise<void> {
    const isOneSite = workers[0]?.includes(':');
    const readyAt = new Map<string, number>();
    for (let turn = 0; ; turn += 1) {
      const address = workers[turn % workers.length] ?? '';
      const wait = (readyAt.get(address) ?? 0) - elapsed();
      if (wait > 0) {
        const soonest = Math.min(...workers.map((worker) => readyAt.get(worker) ?? 0));
        if (soonest > elapsed()) await time.sleep(soonest - elapsed());
        continue;
      }
      const refused = await guess(address);
      if (!refused) continue;
      const waitMs = refused.retryAfterSeconds * 1000;
      // The subnets of one site have to wait for the site together.
      if (refused.counter === 'address' && !isOneSite) readyAt.set(address, elapsed() + waitMs);
      else await time.sleep(waitMs);
    }
  }

  /** Uses each address for the second allowance as soon as it is clean: once a day, all at once, the worst case for others. */
  async function guessWithClean(reserve: readonly string[]): Promise<void> {
    await time.sleep(HOUR_MS);
    for (;;) {
      await Promise.all(reserve.map(guess));
      await time.sleep(DAY_MS + HASH_MS);
    }
  }

  async function login(number: number): Promise<void> {
    result.logins += 1;
    const arrived = elapsed();
    const username = target === 'account' ? 'victim' : `member ${number}`;
    const address = `172.${16 + (number >> 16)}.${(number >> 8) & 255}.${number & 255}`;
    while (elapsed() - arrived <= PATIENCE_MS) {
      const answer = await tryPassword(username, address, true);
      if (answer.outcome === 'throttled') await time.sleep(answer.retryAfterSeconds * 1000);
      else if (elapsed() - arrived <= PATIENCE_MS) {
        result.inTime += 1;
        return;
      } else return;
    }
  }

  async function logInAlways(everyMs: number): Promise<void> {
    for (let number = 1; ; number += 1) {
      await time.sleep(everyMs * 2 * random());
      // The last ones are not cut off.
      if (elapsed() + PATIENCE_MS < durationMs) void login(number);
    }
  }

  // More than these do not get more from the first allowance.
  const workers = addresses.slice(0, target === 'account' ? 1 : 60);
  void guessAlways(workers);
  void guessWithClean(addresses.slice(workers.length));
  if (loginEveryMs !== undefined) void logInAlways(loginEveryMs);
  await time.runUntil(end);
  return result;
}

/** Numbers from 0 to 1, the same for the same seed (a linear congruential generator). */
function randomNumbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

export const addressesOf = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => `10.${index >> 16}.${(index >> 8) & 255}.${index & 255}`);

/** Subnets of a /48, those of different /56 side by side: each step is in another one. */
export const subnetsOf48 = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => {
    const [of56, within] = [index & 255, (index >> 8) & 255];
    return `2001:db8:7:${((of56 << 8) | within).toString(16)}::1`;
  });
