import type { BackoffSchedule, CounterKind } from './backoff-policy.ts';

/**
 * By how much the clock that a wait was begun by may be ahead of the one that looks at it, in milliseconds. A wait that ends later
 * than its longest one could is of a wrong clock, and is none.
 */
export const CLOCK_TOLERANCE_MS = 60_000;

/** One count of failures. */
export interface Counter {
  /** A digest, which does not reveal the account or address. */
  readonly key: string;
  readonly kind: CounterKind;
  readonly schedule: BackoffSchedule;
}

/** The counter to wait for, and until when, in milliseconds since the epoch. */
export interface BlockingCounter {
  readonly key: string;
  readonly until: number;
}

export type ConsumeResult =
  | {
      readonly admitted: true;
      /** Refunds what was counted, where it was counted; of the counters in `forgotten` everything. */
      refund(forgotten?: readonly Counter[]): Promise<void>;
    }
  | ({ readonly admitted: false } & BlockingCounter);

/** One failure to be refunded. */
export interface Refund {
  readonly key: string;
  /** The end of the wait that its counting began. Another one's wait, begun since, stays. */
  readonly end: number;
  /** Whether everything that was counted is forgotten. */
  readonly all: boolean;
}

/** The refunds of counters whose counting began waits with these ends, by key. */
export function refundsOf(ends: ReadonlyMap<string, number>, forgotten: readonly Counter[] = []): readonly Refund[] {
  return [...ends].map(([key, end]) => ({ key, end, all: forgotten.some((counter) => counter.key === key) }));
}

/**
 * Where failures are counted, for all replicas. Every method is one atomic step, whatever other replicas do. Times are in
 * milliseconds since the epoch, by the caller's clock.
 */
export interface AttemptStore {
  /**
   * Counts one failure in each counter, or in none when one of them requires a wait: an attempt that is refused
   * makes no wait longer.
   */
  consume(counters: readonly Counter[], at: number): Promise<ConsumeResult>;
  /** Which of the counters has to be waited for longest. */
  peek(counters: readonly Counter[], at: number): Promise<BlockingCounter | undefined>;
  /** All of the counters that have to be waited for. */
  waits(counters: readonly Counter[], at: number): Promise<readonly BlockingCounter[]>;
  /** Forgets all failures of these counters. */
  forget(keys: readonly string[]): Promise<void>;
  /** Whether the store counts, and not one in its place; undefined where there is no other. */
  readonly isAvailable?: boolean;
  close(): void;
}

/** The one that has to be waited for longest. */
export function longestWait(waiting: readonly BlockingCounter[]): BlockingCounter | undefined {
  return waiting.reduce<BlockingCounter | undefined>(
    (most, one) => (most && most.until >= one.until ? most : one),
    undefined,
  );
}
