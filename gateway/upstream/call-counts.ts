import { Durations } from '../../platform/index.ts';
import type { UpstreamFailure } from './errors.ts';
import { RequestDurations } from './request-durations.ts';

/** The outcome of a call, according to the response's status or the reason for the failure. */
export type CallOutcome = 'success' | 'client-error' | 'server-error' | UpstreamFailure;

/** The outcome of a call whose response has this status. */
export function outcomeOf(status: number): CallOutcome {
  if (status < 400) return 'success';
  return status < 500 ? 'client-error' : 'server-error';
}

/** Upper bounds of the buckets for calls and operations, in milliseconds. */
export const DURATION_BOUNDS_MS: readonly number[] = [
  5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 30_000,
];

/** Counts of a source's calls since it was opened. A call with retries counts once. */
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
  /** Durations including the wait in the queue, all attempts and the backoff between them. */
  readonly durations = new Durations(DURATION_BOUNDS_MS);
  /** Durations of the calls' HTTP requests. Each retry counts separately. */
  readonly requests = new RequestDurations();
  /** Waiting times of calls that had to wait for a slot, whether or not they got one. */
  readonly waits = new Durations(DURATION_BOUNDS_MS);
  retries = 0;
  /** The number of deduplicated queries. */
  shared = 0;

  add(outcome: CallOutcome, durationMs: number): void {
    this.outcomes[outcome]++;
    this.durations.add(durationMs);
  }
}
