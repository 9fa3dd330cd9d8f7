const FIRST_MS = 1_000;
const LONGEST_MS = 10 * 60_000;
/** The longest `Retry-After` that is honoured. A receiver's mistake must not delay a job indefinitely. */
const LONGEST_RETRY_AFTER_MS = 24 * 60 * 60_000;

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
