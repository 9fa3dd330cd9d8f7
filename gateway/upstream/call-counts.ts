import { Durations } from '../../platform/index.ts';
import type { UpstreamFailure } from './exchange.ts';
import { RequestDurations } from './request-durations.ts';

/** The outcome of a call: by the status of its response, or the reason of its failure. */
export type CallOutcome = 'success' | 'client-error' | 'server-error' | UpstreamFailure;

/** The outcome of a call that was answered with this status. */
export function outcomeOf(status: number): CallOutcome {
  if (status < 400) return 'success';
  return status < 500 ? 'client-error' : 'server-error';
}

/** Upper ends of the buckets that calls and operations are counted in, in milliseconds. */
export const DURATION_BOUNDS_MS: readonly number[] = [
  5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 30_000,
];

/** Calls of one source since it was opened, each counted once, retries included. */
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
  /** Includes the wait in the queue, all attempts and the backoff between them. */
  readonly durations = new Durations(DURATION_BOUNDS_MS);
  /** The HTTP requests of the calls, retries by themselves. */
  readonly requests = new RequestDurations();
  /** How long calls waited for a slot, of those that had to wait, whether they got one or not. */
  readonly waits = new Durations(DURATION_BOUNDS_MS);
  retries = 0;
  /** Deduplicated queries. */
  shared = 0;

  add(outcome: CallOutcome, durationMs: number): void {
    this.outcomes[outcome]++;
    this.durations.add(durationMs);
  }
}
