import type { Logger } from '../../platform/index.ts';
import { type Database, Prisma } from '../database/index.ts';
import { repeat } from './repeat.ts';
import type { ServiceTime } from './service-time.ts';

/** How often the clocks are compared, in milliseconds. */
const MEASURE_EVERY_MS = 15_000;

/** What two machines that synchronize their clocks stay within, in milliseconds. Smaller differences are no reason for a jump. */
const TOLERANCE_MS = 500;

export interface DatabaseClockOptions {
  readonly database: Pick<Database, 'single'>;
  readonly logger: Pick<Logger, 'warn' | 'info'>;
  /** The clock of this machine. */
  systemNow?(): Date;
  /** Milliseconds since some moment, which no step of the machine's clock changes. */
  monotonicNow?(): number;
  /** Default: Node's timers. */
  every?: ServiceTime['every'];
}

/** The time of this service. */
export interface DatabaseClock {
  /** The time of the database, as last measured; before that, of this machine. */
  now(): Date;
  /**
   * Compares the two clocks. A difference that is new is logged.
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
 * service alone would hide revocations from gateways, end sessions, activate signing keys before verifiers have them, and make
 * tokens valid only hours later, for all the others too. Between two measurements it goes on monotonically, so a step of the
 * machine's clock, such as the one that corrects it, has no effect.
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
    // Within what a measurement can tell, time goes on without a jump.
    const goesOn = expectedMs !== undefined && Math.abs(measuredMs - expectedMs) <= TOLERANCE_MS + halfMs;
    last = { databaseMs: goesOn ? expectedMs : measuredMs, systemMs, monotonicMs };
    const aheadMs = Math.round(systemMs - measuredMs);
    logDifference(aheadMs, halfMs);
    return aheadMs;
  }

  /** While the database does not answer the last measurement stays; others report the outage. */
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
      // The monotonic clock stands still while a virtual machine is suspended, so what time it is has to be asked.
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
