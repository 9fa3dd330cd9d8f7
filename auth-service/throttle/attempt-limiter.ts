import type { CounterSet, CounterSets } from './counters.ts';
import type { KnownDevices } from './known-devices.ts';
import type { AttemptStore, BlockingCounter } from './store.ts';

/** An attempt that was counted, or must wait. */
export type AttemptDecision = { readonly counterSet: CounterSet } & (
  | {
      readonly admitted: true;
      /** Refunds what was counted. */
      refund(): Promise<void>;
      /** Ends an attempt with a right secret: the own counter of the set is cleared, and the device is known from now on. */
      succeed(at: Date): Promise<void>;
    }
  | ({ readonly admitted: false } & BlockingCounter)
);

/** Whether an attempt would be admitted, and after which wait. */
export interface PeekedAttempt {
  readonly counterSet: CounterSet;
  readonly waiting: BlockingCounter | undefined;
  /** The device is known from now on. */
  remember(at: Date): Promise<void>;
}

/** Selects the counter set of an attempt, and counts its failure there. */
export interface AttemptLimiter {
  /**
   * Counts one failure in each counter that limits the attempt, or in none when one of them requires a wait.
   *
   * @param needsOnly called before the attempt waits for its turn, with the set whose counters it still needs.
   */
  admit(sets: CounterSets, at: Date, needsOnly: (counterSet: CounterSet) => void): Promise<AttemptDecision>;
  /** Looks at an attempt without counting it. */
  peek(sets: CounterSets, at: Date): Promise<PeekedAttempt>;
}

/** Asks for the device first and then for the counters, which may be kept elsewhere. */
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
