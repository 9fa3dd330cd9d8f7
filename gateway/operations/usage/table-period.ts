import { dayOf } from './usage-file.ts';
import type { UsageTable } from './usage-table.ts';

/** How long a full table stays in use before the next one begins, whose bounds are empty again. */
const FULL_MS = 3_600_000;

/** Whether another table is to be begun: a day has passed, or the table has been full for a while. */
export function isPeriodOver(table: UsageTable, now: number): boolean {
  return dayOf(now) !== dayOf(table.startedAt) || (table.isFull && now - table.startedAt >= FULL_MS);
}
