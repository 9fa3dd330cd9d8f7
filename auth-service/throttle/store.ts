import type { BackoffSchedule, CounterKind } from './backoff-policy.ts';

/**
 * How far the clock with which a delay was begun may be ahead of the reader's, in milliseconds. A delay that ends later than
 * the longest possible one comes from a wrong clock and is ignored.
 */
export const CLOCK_TOLERANCE_MS = 60_000;

/** A counter of failures. */
export interface Counter {
  /** A digest that does not reveal the account or address. */
  readonly key: string;
  readonly kind: CounterKind;
  readonly schedule: BackoffSchedule;
}

/** The counter that requires a delay, and the end of the delay in milliseconds since the epoch. */
export interface BlockingCounter {
  readonly key: string;
  readonly until: number;
}

export type ConsumeResult =
  | {
      readonly admitted: true;
      /** Refunds the counted failures. */
      refund(): Promise<void>;
    }
  | ({ readonly admitted: false } & BlockingCounter);

/** One failure to be refunded. */
export interface Refund {
  readonly key: string;
  /** The end of the delay that this failure began. A delay that another failure has begun since stays. */
  readonly end: number;
  /** Whether all failures of the counter are forgotten. */
  readonly all: boolean;
}

/** Returns the refunds of counted failures by key, with the ends of the delays that they began. */
export function refundsOf(ends: ReadonlyMap<string, number>, forgotten: readonly Counter[] = []): readonly Refund[] {
  return [...ends].map(([key, end]) => ({ key, end, all: forgotten.some((counter) => counter.key === key) }));
}

/**
 * Counts failures for all replicas. Every method is one atomic step, whatever other replicas do. Times are in milliseconds
 * since the epoch, by the caller's clock.
 */
export interface AttemptStore {
  /**
   * Counts one failure in each counter, or in none if one of them requires a delay. A refused attempt makes no delay longer.
   */
  consume(counters: readonly Counter[], at: number): Promise<ConsumeResult>;
  /** Returns the counter with the longest delay. */
  peek(counters: readonly Counter[], at: number): Promise<BlockingCounter | undefined>;
  /** Returns all counters that require a delay. */
  waits(counters: readonly Counter[], at: number): Promise<readonly BlockingCounter[]>;
  /** Forgets all failures of these counters. */
  forget(keys: readonly string[]): Promise<void>;
}

/** Returns the counter with the longest delay. */
export function longestWait(waiting: readonly BlockingCounter[]): BlockingCounter | undefined {
  return waiting.reduce<BlockingCounter | undefined>(
    (most, one) => (most && most.until >= one.until ? most : one),
    undefined,
  );
}
