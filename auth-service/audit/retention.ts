import { addDays } from '../../platform/index.ts';
import type { Database } from '../database/index.ts';

/** For how long services may be without housekeeping before new entries go to the default partition. */
const WEEKS_AHEAD = 8;

/** What the housekeeping is to remove here: see the interface `Sweep` there. */
export interface AuditSweep {
  readonly name: string;
  sweep(at: Date, limit: number): Promise<number>;
}

/**
 * Removes entries after `retentionDays`: the partitions of weeks as a whole, and row by row what is in the partitions
 * without a beginning or an end. The service has no right to delete entries: it calls functions of the database, which
 * never remove entries younger than 30 days, and make the partitions of the next weeks.
 */
export function auditSweeps(database: Database, retentionDays: number): readonly AuditSweep[] {
  const before = (at: Date) => addDays(at, -retentionDays);
  return [
    {
      name: 'audit_log',
      async sweep(at, limit) {
        const [row] = await database.withoutTenant(
          (transaction) => transaction.$queryRaw<{ removed: number }[]>`
            SELECT remove_old_audit_rows(${before(at)}::timestamptz, ${limit}::integer) AS removed`,
          { operation: 'housekeeping' },
        );
        return row?.removed ?? 0;
      },
    },
    {
      name: 'audit_log_partitions',
      async sweep(at) {
        // Dropping needs the whole log for a moment, and making does not, so the two do not share a transaction.
        await database.withoutTenant(
          (transaction) => transaction.$queryRaw`SELECT create_audit_partitions(${WEEKS_AHEAD}::integer)`,
          { operation: 'housekeeping' },
        );
        const dropped = await database.withoutTenant(
          (transaction) => transaction.$queryRaw<{ name: string }[]>`
            SELECT drop_audit_partitions(${before(at)}::timestamptz) AS name`,
          { operation: 'housekeeping' },
        );
        return dropped.length;
      },
    },
  ];
}
