import type { CounterSet, CounterSets } from './counters.ts';
import type { BlockingCounter } from './store.ts';

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
