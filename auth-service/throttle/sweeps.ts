import type { Database } from '../database/index.ts';

/** The interface `Sweep` of the housekeeping, for the throttle. */
export interface AttemptSweep {
  readonly name: string;
  sweep(at: Date, limit: number): Promise<number>;
}

/** Removes expired rows: failures that no longer count, and devices that have not been used for long. */
export function attemptSweeps(database: Database): readonly AttemptSweep[] {
  return [
    {
      name: 'login_attempts',
      sweep: (at, limit) =>
        database.withoutTenant(
          (transaction) => transaction.$executeRaw`
            DELETE FROM login_attempts WHERE key IN (
              SELECT key FROM login_attempts WHERE forgotten_at < ${at} AND waits_until < ${at}
              ORDER BY forgotten_at LIMIT ${limit} FOR UPDATE SKIP LOCKED)`,
          { operation: 'housekeeping' },
        ),
    },
    {
      name: 'known_devices',
      sweep: (at, limit) =>
        database.withoutTenant(
          (transaction) => transaction.$executeRaw`
            DELETE FROM known_devices WHERE key IN (
              SELECT key FROM known_devices WHERE expires_at < ${at}
              ORDER BY expires_at LIMIT ${limit} FOR UPDATE SKIP LOCKED)`,
          { operation: 'housekeeping' },
        ),
    },
  ];
}
