import type { Logger } from '../../platform/index.ts';
import { type Database, Prisma } from '../database/index.ts';
import { repeat } from './repeat.ts';
import type { ServiceTime } from './service-time.ts';

/** How often the clocks are compared, in milliseconds. */
const MEASURE_EVERY_MS = 15_000;

/**
 * The tolerated difference in milliseconds, which machines with synchronized clocks keep. A smaller difference does not make
 * the clock jump.
 */
const TOLERANCE_MS = 500;

export interface DatabaseClockOptions {
  readonly database: Pick<Database, 'single'>;
  readonly logger: Pick<Logger, 'warn' | 'info'>;
  /** Returns the time of this machine's clock. */
  systemNow?(): Date;
  /** Returns milliseconds from a monotonic clock. */
  monotonicNow?(): number;
  /** Defaults to Node.js's timers. */
  every?: ServiceTime['every'];
}

/** The time of this service. */
export interface DatabaseClock {
  /** Returns the database's time by the last measurement. Before the first one, it is this machine's time. */
  now(): Date;
  /**
   * Compares the two clocks. A new difference is logged.
   *
   * @returns how far this machine's clock is ahead of the database's, in milliseconds.
   */
  measure(): Promise<number>;
  /** Measures now, and repeatedly until `stop()`. */
  start(): Promise<void>;
  stop(): void;
}

/**
 * Creates a clock that follows the database's, which all services share. A service whose clock is hours ahead would hide
 * revocations from gateways, end sessions early, activate signing keys before verifiers have them, and issue tokens that are
 * valid only hours later. Between two measurements the clock is monotonic, so a change of the machine's clock, such as a
 * correction, has no effect.
 */
export function openDatabaseClock({
  database,
  logger,
  systemNow = () => new Date(),
  monotonicNow = () => performance.now(),
  every = repeat,
}: DatabaseClockOptions): DatabaseClock {
  /** The last measurement: the three clocks at one moment. */
  let last: { databaseMs: number; systemMs: number; monotonicMs: number } | undefined;
  let loggedMs = 0;
  let measuring: Promise<void> | undefined;
  let stop: (() => void) | undefined;

  function logDifference(aheadMs: number, inexactMs: number): void {
    if (Math.abs(aheadMs - loggedMs) <= TOLERANCE_MS + inexactMs) return;
    loggedMs = Math.abs(aheadMs) <= TOLERANCE_MS + inexactMs ? 0 : aheadMs;
    const detail = { event: 'clock.corrected', clock_difference_seconds: Math.round(aheadMs / 100) / 10 } as const;
    if (loggedMs === 0) logger.info(detail, 'the clock matches the clock of the database again');
    else
      logger.warn(
        detail,
        'the clock differs from the clock of the database, which is used instead: synchronize both clocks (NTP)',
      );
  }

  async function measure(): Promise<number> {
    const systemMs = systemNow().getTime();
    const monotonicMs = monotonicNow();
    const statement = Prisma.sql`SELECT clock_timestamp() AS now`;
    const [row] = await database.single.withoutTenant<{ now: Date }>(statement, 'read-clock');
    const halfMs = (monotonicNow() - monotonicMs) / 2;
    if (!row) throw new Error('the database did not say what time it is');
    const measuredMs = row.now.getTime() - halfMs;
    const expectedMs = last && last.databaseMs + monotonicMs - last.monotonicMs;
    // Within the precision of the measurement, time continues without a jump.
    const goesOn = expectedMs !== undefined && Math.abs(measuredMs - expectedMs) <= TOLERANCE_MS + halfMs;
    last = { databaseMs: goesOn ? expectedMs : measuredMs, systemMs, monotonicMs };
    const aheadMs = Math.round(systemMs - measuredMs);
    logDifference(aheadMs, halfMs);
    return aheadMs;
  }

  /** While the database does not respond, the last measurement stays valid. Other parts report the outage. */
  function measureQuietly(): Promise<void> {
    measuring ??= measure()
      .then(
        () => {},
        () => {},
      )
      .finally(() => {
        measuring = undefined;
      });
    return measuring;
  }

  function now(): Date {
    if (!last) return systemNow();
    const passedMs = monotonicNow() - last.monotonicMs;
    const steppedMs = systemNow().getTime() - last.systemMs - passedMs;
    if (Math.abs(steppedMs) > TOLERANCE_MS) {
      // The monotonic clock stops while a virtual machine is suspended, so the time has to be measured again.
      last = { ...last, systemMs: last.systemMs + steppedMs };
      void measureQuietly();
    }
    return new Date(last.databaseMs + passedMs);
  }

  return {
    now,
    measure,
    async start() {
      await measure();
      stop ??= every(MEASURE_EVERY_MS, measureQuietly);
    },
    stop: () => stop?.(),
  };
}
