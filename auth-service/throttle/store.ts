import type { Kind, Schedule } from './terms.ts';

/** One count of failures. */
export interface Counter {
  /** A digest: what is stored says nothing of whom it is about. */
  readonly key: string;
  readonly kind: Kind;
  readonly schedule: Schedule;
}

/** Who has to wait, and until when, in milliseconds since the epoch. */
export interface Waiting {
  readonly key: string;
  readonly until: number;
}

export type Taken =
  | {
      readonly admitted: true;
      /** Gives what was counted back, where it was counted; of the counters in `forgotten` everything. */
      give(forgotten?: readonly Counter[]): Promise<void>;
    }
  | ({ readonly admitted: false } & Waiting);

/** One failure to be given back. */
export interface Return {
  readonly key: string;
  /** The end of the wait that its counting began. Another one's wait, begun since, stays. */
  readonly end: number;
  /** Whether everything that was counted is forgotten. */
  readonly all: boolean;
}

/** What to give back of counters whose counting began waits with these ends, by key. */
export function returns(ends: ReadonlyMap<string, number>, forgotten: readonly Counter[] = []): readonly Return[] {
  return [...ends].map(([key, end]) => ({ key, end, all: forgotten.some((counter) => counter.key === key) }));
}

/**
 * Where failures are counted, for all replicas. Every method is one atomic step, whoever else is at it. Times are in
 * milliseconds since the epoch, by the caller's clock.
 */
export interface AttemptStore {
  /**
   * Counts one failure in each counter, or in none when somebody has to wait for one of them: an attempt that is refused
   * makes no wait longer.
   */
  take(counters: readonly Counter[], at: number): Promise<Taken>;
  /** Which of the counters has to be waited for longest. */
  waiting(counters: readonly Counter[], at: number): Promise<Waiting | undefined>;
  close(): void;
}

/** The one that has to be waited for longest. */
export function longest(waiting: readonly Waiting[]): Waiting | undefined {
  return waiting.reduce<Waiting | undefined>((most, one) => (most && most.until >= one.until ? most : one), undefined);
}
