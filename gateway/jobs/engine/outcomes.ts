import type { ClaimedRow } from './claim.ts';
import type { JobOutcome } from './job.ts';
import type { SettledRow } from './settlements.ts';

const MAX_REASON = 64;
const FIRST_MS = 1_000;
const LONGEST_MS = 10 * 60_000;
/** The longest `Retry-After` that is honoured. A receiver's mistake must not delay a job indefinitely. */
const LONGEST_RETRY_AFTER_MS = 24 * 60 * 60_000;

/** Returns the row that records an outcome in the database. */
export function settledRowOf(row: ClaimedRow, outcome: JobOutcome): SettledRow {
  const base = { id: row.id, attempt: row.attempts };
  switch (outcome.outcome) {
    case 'done':
      return { ...base, outcome: 'done', output: outcome.output };
    case 'expired':
      return { ...base, outcome: 'expired', reason: 'expired' };
    case 'failed':
    case 'dead':
      return { ...base, outcome: outcome.outcome, reason: short(outcome.reason), errors: outcome.errors };
    case 'postponed':
      return {
        ...base,
        outcome: 'scheduled',
        reason: short(outcome.reason),
        after_ms: outcome.afterMs * (1 + Math.random() / 4),
        is_attempt: false,
      };
    case 'retry': {
      const reason = short(outcome.reason);
      if (row.attempts >= row.max_attempts) return { ...base, outcome: 'dead', reason, errors: outcome.errors };
      return {
        ...base,
        outcome: 'scheduled',
        reason,
        after_ms: backoffMs(row.attempts, outcome.afterMs),
        is_attempt: true,
      };
    }
  }
}

/** Returns the labels of an outcome in metrics and spans. */
export function labelsOf({ outcome, reason = outcome, is_attempt: isAttempt }: SettledRow): {
  readonly outcome: string;
  readonly reason: string;
} {
  return {
    outcome: outcome === 'scheduled' ? (isAttempt ? 'retry' : 'postponed') : outcome,
    reason: outcome === 'done' ? '' : reason,
  };
}

function short(reason: string): string {
  return reason.slice(0, MAX_REASON);
}

/**
 * Returns the delay before the next attempt of a job. The delay is random between half of a span and the whole of it, and the
 * span doubles from 1 s to 10 min ("equal jitter"). The delay is never shorter than `Retry-After`.
 *
 * @param attempt the failed attempt, from 1 on.
 * @param random from 0 to below 1.
 */
export function backoffMs(attempt: number, retryAfterMs = 0, random = Math.random()): number {
  const span = Math.min(FIRST_MS * 2 ** Math.min(attempt - 1, 20), LONGEST_MS);
  const jittered = span / 2 + (span / 2) * random;
  // Jitter keeps jobs with the same `Retry-After` from retrying at the same moment.
  const asked = Math.min(retryAfterMs, LONGEST_RETRY_AFTER_MS);
  return asked > jittered ? asked + FIRST_MS * random : jittered;
}
