import { backoffMs } from './backoff.ts';
import type { ClaimedRow } from './claim.ts';
import type { JobOutcome } from './job.ts';
import type { SettledRow } from './settlements.ts';

const MAX_REASON = 64;

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
