import type { Logger } from '../../platform/index.ts';
import type { DatabaseClock } from '../clock/index.ts';

/** The tolerated difference between this machine's clock and the database's, in milliseconds. */
const MAX_DIFFERENCE_MS = 3_600_000;

/**
 * Checks the clock that decides which rows have expired. If the two clocks differ, either may be wrong. A clock that is weeks
 * ahead would delete all sessions.
 *
 * @returns a function that logs and returns whether the clocks differ too much.
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
