import type { Logger } from '../../platform/index.ts';
import { auditSweeps } from '../audit/index.ts';
import type { DatabaseClock, ServiceTime } from '../clock/index.ts';
import type { Config } from '../config.ts';
import type { Database } from '../database/index.ts';
import { createClockCheck, endedSessionSweeps, type Housekeeping, openHousekeeping } from '../housekeeping/index.ts';
import { attemptSweeps } from '../throttle/index.ts';
import { refreshTokenKeySweep, type Sealer } from '../tokens/index.ts';

export interface ServiceHousekeepingOptions extends ServiceTime {
  readonly config: Config;
  readonly database: Database;
  readonly clock: DatabaseClock;
  readonly sealer: Sealer;
  readonly logger: Logger;
}

/** Opens the housekeeping of all rooms whose rows expire. */
export function openServiceHousekeeping(options: ServiceHousekeepingOptions): Housekeeping {
  const { config, database, clock, sealer, now, every, logger } = options;
  return openHousekeeping({
    sweeps: [
      ...endedSessionSweeps(database, config.housekeeping.keepEndedDays),
      refreshTokenKeySweep(database, sealer, config.signingKeys),
      ...attemptSweeps(database),
      ...auditSweeps(database, config.audit.retentionDays),
    ],
    policy: config.housekeeping,
    now,
    isClockWrong: createClockCheck(clock, logger),
    random: Math.random,
    every,
    onRemoved: (removed) => logger.info({ removed, event: 'housekeeping.completed' }, 'housekeeping'),
    onFailed: (sweep, err) => logger.warn({ err, sweep, event: 'housekeeping.failed' }, 'housekeeping failed'),
  });
}
