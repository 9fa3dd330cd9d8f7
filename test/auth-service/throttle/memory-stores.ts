import type { KnownDevices } from '../../../auth-service/throttle/known-devices.ts';
import {
  type AttemptStore,
  type BlockingCounter,
  CLOCK_TOLERANCE_MS,
  type Counter,
  longestWait,
  refundsOf,
} from '../../../auth-service/throttle/store.ts';

interface Count {
  failures: number;
  at: number;
  until: number;
}

/** Counts in memory, as the stores in PostgreSQL and Redis do, for simulations of a day. */
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
        async refund(forgotten) {
          for (const { key, end, all } of refundsOf(ends, forgotten)) {
            const found = counts.get(key);
            if (all) counts.delete(key);
            else if (found) {
              found.failures = Math.max(0, found.failures - 1);
              if (found.until === end) found.until = 0;
            }
          }
        },
      };
    },
    peek: async (counters, at) => longestWait(waitsOf(counters, at)),
    waits: async (counters, at) => waitsOf(counters, at),
    async forget(keys) {
      for (const key of keys) counts.delete(key);
    },
    close: () => counts.clear(),
  };
}

export function memoryDevices(days: number): KnownDevices {
  const ends = new Map<string, number>();
  return {
    async findDevice(key, at) {
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
