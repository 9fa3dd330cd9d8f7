import type { Database } from '../database/index.ts';

const DAY_MS = 86_400_000;

/** What the housekeeping is to remove here: see the interface `Sweep` there. */
export interface AuditSweep {
  readonly name: string;
  sweep(at: Date, limit: number): Promise<number>;
}

/**
 * Removes entries after `retentionDays`. The service cannot do it itself: it asks a function of the database's, which
 * never removes what is younger than 30 days.
 */
export function auditSweeps(database: Database, retentionDays: number): readonly AuditSweep[] {
  return [
    {
      name: 'audit_log',
      async sweep(at, limit) {
        const before = new Date(at.getTime() - retentionDays * DAY_MS);
        const [row] = await database.withoutTenant(
          (transaction) => transaction.$queryRaw<{ removed: number }[]>`
            SELECT remove_old_audit_rows(${before}::timestamptz, ${limit}::integer) AS removed`,
        );
        return row?.removed ?? 0;
      },
    },
  ];
}
