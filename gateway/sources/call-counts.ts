import type { UpstreamFailure } from './upstream-exchange.ts';

/** What came of a call: by the status of its answer, or why there was none. */
export type CallOutcome = 'success' | 'client-error' | 'server-error' | UpstreamFailure;

/** The outcome of a call that was answered with this status. */
export function outcomeOf(status: number): CallOutcome {
  if (status < 400) return 'success';
  return status < 500 ? 'client-error' : 'server-error';
}

/** Upper ends of the classes that durations are counted in, in milliseconds; what is longer is in one more class. */
export const DURATION_BOUNDS_MS = [5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 30_000];

/** Durations, counted in classes. */
export class Durations {
  /** One more than the bounds. */
  readonly classes: number[] = new Array(DURATION_BOUNDS_MS.length + 1).fill(0);
  sumMs = 0;

  add(durationMs: number): void {
    let index = 0;
    while (durationMs > (DURATION_BOUNDS_MS[index] ?? Number.POSITIVE_INFINITY)) index++;
    this.classes[index] = (this.classes[index] ?? 0) + 1;
    this.sumMs += durationMs;
  }
}

/** Calls of one source since it was opened, each counted once however often it was tried. */
export class CallCounts {
  readonly outcomes: Record<CallOutcome, number> = {
    success: 0,
    'client-error': 0,
    'server-error': 0,
    timeout: 0,
    connection: 0,
    'too-large': 0,
    aborted: 0,
    'circuit-open': 0,
    overloaded: 0,
    unavailable: 0,
    exhausted: 0,
  };
  /** With the wait for a place, all tries and the pauses between them. */
  readonly durations = new Durations();
  retries = 0;
  /** Queries that had the answer of an equal one. */
  shared = 0;

  answered(status: number, durationMs: number): void {
    this.outcomes[outcomeOf(status)]++;
    this.durations.add(durationMs);
  }

  failed(reason: UpstreamFailure, durationMs: number): void {
    this.outcomes[reason]++;
    this.durations.add(durationMs);
  }
}
