import type { Logger } from '../../platform/index.ts';
import type { DatabaseClock } from '../clock/index.ts';

/** By how much the clock of this machine may differ from the database's, in milliseconds. */
const MAX_DIFFERENCE_MS = 3_600_000;

/**
 * Checks the clock that decides which rows have expired. One of the two is wrong when they differ, and which one is not known: one
 * that is weeks ahead would have all sessions deleted.
 *
 * @returns a function that logs and returns whether they differ too much.
 */
export function createClockCheck(clock: Pick<DatabaseClock, 'measure'>, logger: Logger): () => Promise<boolean> {
  return async () => {
    const difference = await clock.measure();
    if (Math.abs(difference) <= MAX_DIFFERENCE_MS) return false;
    logger.warn(
      { event: 'housekeeping.skipped', clock_difference_seconds: Math.round(difference / 1000) },
      'the clock differs from the clock of the database, nothing is deleted: synchronize both clocks (NTP)',
    );
    return true;
  };
}
