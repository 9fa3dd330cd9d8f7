const FIRST_MS = 1_000;
const LONGEST_MS = 10 * 60_000;
/** A receiver's `Retry-After` counts up to this: a mistake there must not put a job off for ever. */
const LONGEST_RETRY_AFTER_MS = 24 * 60 * 60_000;

/**
 * How long a job waits before its next attempt: between the half and the whole of a span that doubles from 1 s to 10 min
 * ("equal jitter"), and no less than `Retry-After` has asked for.
 *
 * @param attempt the attempt that has failed, from 1 on.
 * @param random from 0 to below 1.
 */
export function backoffMs(attempt: number, retryAfterMs = 0, random = Math.random()): number {
  const span = Math.min(FIRST_MS * 2 ** Math.min(attempt - 1, 20), LONGEST_MS);
  const jittered = span / 2 + (span / 2) * random;
  // Those that were told the same time do not come back at the same moment.
  const asked = Math.min(retryAfterMs, LONGEST_RETRY_AFTER_MS);
  return asked > jittered ? asked + FIRST_MS * random : jittered;
}
