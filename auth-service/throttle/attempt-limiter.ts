import type { CounterSet, CounterSets } from './counters.ts';
import type { KnownDevices } from './known-devices.ts';
import type { AttemptStore, BlockingCounter } from './store.ts';

/** An attempt that was counted or must wait. */
export type AttemptDecision = { readonly counterSet: CounterSet } & (
  | {
      readonly admitted: true;
      /** Refunds the counted failure. */
      refund(): Promise<void>;
      /** Ends an attempt with a correct secret. The set's own counter is cleared, and the device is known from now on. */
      succeed(at: Date): Promise<void>;
    }
  | ({ readonly admitted: false } & BlockingCounter)
);

/** Whether an attempt would be admitted, and after which delay. */
export interface PeekedAttempt {
  readonly counterSet: CounterSet;
  readonly waiting: BlockingCounter | undefined;
  /** Makes the device known from now on. */
  remember(at: Date): Promise<void>;
}

/** Selects the counter set of an attempt, and counts its failure there. */
export interface AttemptLimiter {
  /**
   * Counts one failure in each counter that limits the attempt, or in none if one of them requires a delay.
   *
   * @param needsOnly called before the attempt waits for its turn, with the set whose counters it still needs.
   */
  admit(sets: CounterSets, at: Date, needsOnly: (counterSet: CounterSet) => void): Promise<AttemptDecision>;
  /** Checks an attempt without counting it. */
  peek(sets: CounterSets, at: Date): Promise<PeekedAttempt>;
}

/** Creates a limiter that first looks up the device and then the counters, which may be in another store. */
export function createAttemptLimiter(store: AttemptStore, devices: KnownDevices): AttemptLimiter {
  async function counterSetOf(sets: CounterSets, at: Date) {
    const device = await devices.findDevice(sets.deviceKey, at);
    const remember = (then: Date) => devices.rememberDevice(sets.deviceKey, then, device);
    return { counterSet: device ? sets.knownDevice : sets.unknownDevice, remember };
  }
  return {
    async admit(sets, at) {
      const { counterSet, remember } = await counterSetOf(sets, at);
      const consumed = await store.consume(counterSet.limiting, at.getTime());
      if (!consumed.admitted) return { counterSet, ...consumed };
      return {
        counterSet,
        admitted: true,
        refund: () => consumed.refund(),
        async succeed(then) {
          await remember(then);
          await consumed.refund([counterSet.own]);
        },
      };
    },
    async peek(sets, at) {
      const { counterSet, remember } = await counterSetOf(sets, at);
      return { counterSet, waiting: await store.peek(counterSet.limiting, at.getTime()), remember };
    },
  };
}
