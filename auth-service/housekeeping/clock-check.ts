import type { Logger } from '../../platform/index.ts';
import type { Database } from '../database/index.ts';

/** By how much the clock of this machine may differ from the database's, in milliseconds. Rows are kept for a day longer than needed. */
const MAX_DIFFERENCE_MS = 3_600_000;

/**
 * Checks the clock that decides which rows have expired: one that is weeks ahead would have all sessions deleted.
 *
 * @returns a function that logs and returns whether it differs too much from the database's.
 */
export function createClockCheck(database: Database, logger: Logger): () => Promise<boolean> {
  return async () => {
    const [row] = await database.withoutTenant(
      (transaction) => transaction.$queryRaw<{ now: Date }[]>`SELECT clock_timestamp() AS now`,
      { operation: 'housekeeping' },
    );
    const difference = row ? Date.now() - row.now.getTime() : 0;
    if (Math.abs(difference) <= MAX_DIFFERENCE_MS) return false;
    logger.warn(
      { event: 'housekeeping.skipped', clock_difference_seconds: Math.round(difference / 1000) },
      'clock differs from that of the database, nothing is deleted: synchronize both clocks (NTP)',
    );
    return true;
  };
}
