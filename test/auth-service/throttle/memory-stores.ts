import type { AttemptLimiter } from '../../../auth-service/throttle/attempt-limiter.ts';
import type { CounterSets } from '../../../auth-service/throttle/counters.ts';
import type { KnownDevice, KnownDevices } from '../../../auth-service/throttle/known-devices.ts';
import {
  type AttemptStore,
  type BlockingCounter,
  CLOCK_TOLERANCE_MS,
  type Counter,
  longestWait,
} from '../../../auth-service/throttle/store.ts';

interface Count {
  failures: number;
  at: number;
  until: number;
}

/** Counts in memory, as the store in the database does, for simulations of a day. */
export function memoryAttemptStore(): AttemptStore {
  const counts = new Map<string, Count>();

  function waitsOf(counters: readonly Counter[], at: number): readonly BlockingCounter[] {
    return counters.flatMap(({ key, schedule }) => {
      const until = counts.get(key)?.until ?? 0;
      const latest = at + (schedule.waitsMs.at(-1) ?? 0) + CLOCK_TOLERANCE_MS;
      return until > at && until <= latest ? [{ key, until }] : [];
    });
  }

  function count({ key, schedule: { free, waitsMs, most, fading } }: Counter, at: number): readonly [string, number] {
    const before = counts.get(key) ?? { failures: 0, at, until: 0 };
    const last = Math.max(at, before.at);
    const failures = Math.min(most, Math.max(0, before.failures - fading * (last - before.at)) + 1);
    const whole = Math.ceil(failures - 0.000001);
    const until = whole < free ? 0 : at + (waitsMs[Math.min(whole - free, waitsMs.length - 1)] ?? 0);
    counts.set(key, { failures, at: last, until });
    return [key, until];
  }

  return {
    async consume(counters, at) {
      const waiting = longestWait(waitsOf(counters, at));
      if (waiting) return { admitted: false, ...waiting };
      const ends = new Map(counters.map((counter) => count(counter, at)));
      return {
        admitted: true,
        async refund() {
          for (const [key, end] of ends) {
            const found = counts.get(key);
            if (!found) continue;
            found.failures = Math.max(0, found.failures - 1);
            if (found.until === end) found.until = 0;
          }
        },
      };
    },
    peek: async (counters, at) => longestWait(waitsOf(counters, at)),
    waits: async (counters, at) => waitsOf(counters, at),
    async forget(keys) {
      for (const key of keys) counts.delete(key);
    },
  };
}

export interface MemoryDevices extends KnownDevices {
  findDevice(key: string, at: Date): KnownDevice | undefined;
}

export function memoryDevices(days: number): MemoryDevices {
  const ends = new Map<string, number>();
  return {
    findDevice(key, at) {
      const end = ends.get(key) ?? 0;
      return end > at.getTime() ? { expiresAt: new Date(end) } : undefined;
    },
    async rememberDevice(key, at) {
      ends.set(key, at.getTime() + days * 86_400_000);
    },
    async forgetDevices(keys) {
      for (const key of keys) ends.delete(key);
    },
  };
}

/** Admits attempts over stores in memory, as the limiter of the database does. */
export function memoryAttemptLimiter(store: AttemptStore, devices: MemoryDevices): AttemptLimiter {
  function counterSetOf(sets: CounterSets, at: Date) {
    const device = devices.findDevice(sets.deviceKey, at);
    const remember = (then: Date) => devices.rememberDevice(sets.deviceKey, then, device);
    return { counterSet: device ? sets.knownDevice : sets.unknownDevice, remember };
  }
  return {
    async admit(sets, at) {
      const { counterSet, remember } = counterSetOf(sets, at);
      const consumed = await store.consume(counterSet.limiting, at.getTime());
      if (!consumed.admitted) return { counterSet, ...consumed };
      return {
        counterSet,
        admitted: true,
        refund: () => consumed.refund(),
        async succeed(then) {
          await remember(then);
          await consumed.refund();
          await store.forget([counterSet.own.key]);
        },
      };
    },
    async peek(sets, at) {
      const { counterSet, remember } = counterSetOf(sets, at);
      return { counterSet, waiting: await store.peek(counterSet.limiting, at.getTime()), remember };
    },
  };
}
