import { addDays } from '../../platform/index.ts';
import type { Database } from '../database/index.ts';

/** How long the service may run without housekeeping before new entries go to the default partition, in weeks. */
const WEEKS_AHEAD = 8;

/** The interface `Sweep` of the housekeeping, for the audit log. */
export interface AuditSweep {
  readonly name: string;
  sweep(at: Date, limit: number): Promise<number>;
}

/**
 * Removes entries after `retentionDays`: the partitions of weeks as a whole, and single rows in the partitions without a
 * beginning or an end. The service has no right to delete entries. It calls functions of the database, which never remove
 * entries younger than 30 days, and which create the partitions of the next weeks.
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
        // Dropping a partition locks the whole log for a moment, and creating one does not, so they use separate transactions.
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
