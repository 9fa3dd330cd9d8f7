import type { Logger } from '../../platform/index.ts';
import { type Database, Prisma } from '../database/index.ts';
import { repeat } from './repeat.ts';
import type { ServiceTime } from './service-time.ts';

/** How often the clocks are compared, in milliseconds. */
const MEASURE_EVERY_MS = 15_000;

/** What two machines that synchronize their clocks stay within, in milliseconds. Smaller differences are not corrected. */
const TOLERANCE_MS = 500;

export interface DatabaseClockOptions {
  readonly database: Pick<Database, 'single'>;
  readonly logger: Pick<Logger, 'warn' | 'info'>;
  /** The clock of this machine. */
  systemNow?(): Date;
  every?: ServiceTime['every'];
}

/** The time of this service. */
export interface DatabaseClock {
  /** The clock of this machine, corrected by what it differs from the database's. */
  now(): Date;
  /**
   * Compares the two clocks. Once they differ, the correction is logged.
   *
   * @returns how far this machine's is ahead of the database's, in milliseconds.
   */
  measure(): Promise<number>;
  /** Measures now, and goes on doing so until `stop()`. */
  start(): Promise<void>;
  stop(): void;
}

/**
 * A clock that follows the database's, which is the one that all services have in common. With a clock that is hours ahead one
 * service alone would hide revocations from gateways, end sessions, activate signing keys that nobody knows yet, and make
 * tokens valid only hours later, for all the others too. Between two measurements it goes as the clock of this machine.
 */
export function openDatabaseClock({
  database,
  logger,
  systemNow = () => new Date(),
  every = repeat,
}: DatabaseClockOptions): DatabaseClock {
  let correctionMs = 0;
  let stop: (() => void) | undefined;

  function correct(aheadMs: number, inexactMs: number): void {
    if (Math.abs(aheadMs + correctionMs) <= TOLERANCE_MS + inexactMs) return;
    correctionMs = Math.abs(aheadMs) <= TOLERANCE_MS + inexactMs ? 0 : -aheadMs;
    const detail = { event: 'clock.corrected', clock_difference_seconds: Math.round(aheadMs / 100) / 10 } as const;
    if (correctionMs === 0) logger.info(detail, 'clock agrees with that of the database again');
    else
      logger.warn(
        detail,
        "clock differs from that of the database, the database's is used: synchronize both clocks (NTP)",
      );
  }

  async function measure(): Promise<number> {
    const sentAt = systemNow().getTime();
    const startedAt = performance.now();
    const statement = Prisma.sql`SELECT clock_timestamp() AS now`;
    const [row] = await database.single.withoutTenant<{ now: Date }>(statement, 'read-clock');
    // This clock may jump meanwhile, so how long it took is told by another.
    const halfMs = (performance.now() - startedAt) / 2;
    if (!row) throw new Error('the database did not say what time it is');
    const aheadMs = Math.round(sentAt + halfMs - row.now.getTime());
    correct(aheadMs, halfMs);
    return aheadMs;
  }

  return {
    now: () => new Date(systemNow().getTime() + correctionMs),
    measure,
    async start() {
      await measure();
      // While the database does not answer the last correction stays; others report the outage.
      stop ??= every(MEASURE_EVERY_MS, () =>
        measure().then(
          () => {},
          () => {},
        ),
      );
    },
    stop: () => stop?.(),
  };
}
