import type { AttemptDecision, AttemptLimiter, PeekedAttempt } from './attempt-limiter.ts';
import type { CounterSets } from './counters.ts';
import type { KnownDevices } from './known-devices.ts';
import type { AttemptStore, BlockingCounter, ConsumeResult } from './store.ts';
import { createTurns } from './turns.ts';

/** The longest time that an attempt waits for its turn. */
const PATIENCE_MS = 8_000;
/** How often an attempt retries if attempts of other processes come first. */
const MAX_PAUSES = 8;

export interface CleanAddressOptions {
  /** Admits attempts by the first allowance. */
  readonly limiter: AttemptLimiter;
  readonly store: AttemptStore;
  readonly devices: Pick<KnownDevices, 'rememberDevice'>;
  /** The most attempts that wait for their turn at one counter. */
  readonly maxWaiting: number;
  now(): Date;
  pause(milliseconds: number): Promise<unknown>;
}

/**
 * Admits attempts from clean addresses by a second allowance, after the first one is used up. Strangers can use up the first
 * allowance of an account, a tenant or a client, but each of their networks is clean for only one failure. They can thus slow
 * down logins from addresses that have never failed, but cannot prevent them.
 */
export function withCleanAddresses(options: CleanAddressOptions): AttemptLimiter {
  const { limiter, store, devices, maxWaiting, now, pause } = options;
  const turns = createTurns(maxWaiting);

  /** Waits if only the second allowance is used up and will soon be free again. */
  async function consume(sets: CounterSets): Promise<ConsumeResult> {
    const { cleanAddress, network } = sets;
    const deadline = now().getTime() + PATIENCE_MS;
    const attempt = () => store.consume(cleanAddress.limiting, now().getTime());
    const first = await attempt();
    if (first.admitted || !isShared(sets, first)) return first;
    const inTurn = await turns.take(first.key, network, async () => {
      let latest: ConsumeResult = await attempt();
      for (let pauses = 0; pauses < MAX_PAUSES && !latest.admitted; pauses += 1) {
        if (!isShared(sets, latest) || latest.until > deadline) return latest;
        await pause(Math.max(1, latest.until - now().getTime()));
        latest = await attempt();
      }
      return latest;
    });
    return inTurn ?? first;
  }

  return {
    async admit(sets, at, needsOnly): Promise<AttemptDecision> {
      const ordinary = await limiter.admit(sets, at, needsOnly);
      if (ordinary.admitted || ordinary.counterSet !== sets.unknownDevice) return ordinary;
      const { cleanAddress } = sets;
      // Other attempts that the first allowance refuses would wait for this one, which refunds nothing there.
      needsOnly(cleanAddress);
      const consumed = await consume(sets);
      if (!consumed.admitted) return isShared(sets, consumed) ? { ...consumed, counterSet: cleanAddress } : ordinary;
      return {
        counterSet: cleanAddress,
        admitted: true,
        refund: () => consumed.refund(),
        async succeed(then) {
          await devices.rememberDevice(sets.deviceKey, then, undefined);
          // The first allowance stays used up. Otherwise attackers would get it again with each login of the owner.
          await consumed.refund();
        },
      };
    },
    async peek(sets, at): Promise<PeekedAttempt> {
      const ordinary = await limiter.peek(sets, at);
      if (!ordinary.waiting || ordinary.counterSet !== sets.unknownDevice) return ordinary;
      const { limiting } = sets.cleanAddress;
      const waiting = await store.peek(limiting, at.getTime());
      if (waiting && waiting.until >= ordinary.waiting.until) return ordinary;
      return { ...ordinary, counterSet: sets.cleanAddress, waiting };
    },
  };
}

/** Returns whether an attempt has to wait because of others, and not because of its own network. */
function isShared({ cleanAddress }: CounterSets, { key }: BlockingCounter): boolean {
  return cleanAddress.limiting.some((counter) => counter.key === key && counter.kind !== 'clean_address');
}
