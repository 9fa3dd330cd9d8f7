import { dayOf } from './usage-file.ts';
import type { UsageTable } from './usage-table.ts';

/** How long a full table is used before an empty one replaces it. */
const FULL_MS = 3_600_000;

/** Returns whether to begin another table: after a day, or if the table has been full for a while. */
export function isPeriodOver(table: UsageTable, now: number): boolean {
  return dayOf(now) !== dayOf(table.startedAt) || (table.isFull && now - table.startedAt >= FULL_MS);
}
