import type { Database } from '../database/index.ts';
import type { AttemptLimiter } from './attempt-limiter.ts';
import type { CounterSets } from './counters.ts';
import { createKnownDevices, type KnownDevice, newExpiry } from './known-devices.ts';
import { CONSUME, FORGET, type FoundRow, PEEK, REFUND } from './statements.ts';
import { type AttemptStore, type BlockingCounter, type Counter, longestWait, type Refund, refundsOf } from './store.ts';

/** A counter. If there are two sets, `known` selects the one for known devices. */
type RequestedCounter = Counter & { readonly known?: boolean };

/** A key that no device has. */
const NO_DEVICE = '';

interface RememberedDevice {
  readonly key: string;
  readonly expiresAt: Date;
}

/**
 * Counts in the table `login_attempts`. Rows are always locked in the order of their keys, so that two statements cannot
 * deadlock.
 */
export function postgresStore(database: Database): AttemptStore {
  return {
    async consume(counters, at) {
      const { waiting, ends } = await consumeFailures(database, NO_DEVICE, counters, new Date(at));
      if (waiting) return { admitted: false, ...waiting };
      return { admitted: true, refund: () => refundFailures(database, refundsOf(ends)) };
    },
    async peek(counters, at) {
      return waitingIn(await runCounterStatement(database, 'peek-attempts', NO_DEVICE, counters, new Date(at)));
    },
    async waits(counters, at) {
      return waitsIn(await runCounterStatement(database, 'peek-attempts', NO_DEVICE, counters, new Date(at)));
    },
    async forget(keys) {
      await database.single.withoutTenant({ text: FORGET, values: [JSON.stringify(keys)] }, 'forget-attempts');
    },
  };
}

/** Creates a limiter that stores known devices next to the counters, so that each step is one statement. */
export function createPostgresAttemptLimiter(database: Database, deviceDays: number): AttemptLimiter {
  const devices = createKnownDevices(database, deviceDays);
  return {
    async admit(sets, at) {
      const { waiting, ends, device } = await consumeFailures(database, sets.deviceKey, countersOf(sets), at);
      const counterSet = device ? sets.knownDevice : sets.unknownDevice;
      if (waiting) return { counterSet, admitted: false, ...waiting };
      return {
        counterSet,
        admitted: true,
        refund: () => refundFailures(database, refundsOf(ends)),
        async succeed(then) {
          const expiresAt = newExpiry(then, deviceDays, device);
          await refundFailures(
            database,
            refundsOf(ends, [counterSet.own]),
            expiresAt && { key: sets.deviceKey, expiresAt },
          );
        },
      };
    },
    async peek(sets, at) {
      const rows = await runCounterStatement(database, 'peek-attempts', sets.deviceKey, countersOf(sets), at);
      const device = deviceIn(rows);
      const remember = (then: Date) => devices.rememberDevice(sets.deviceKey, then, device);
      return { counterSet: device ? sets.knownDevice : sets.unknownDevice, waiting: waitingIn(rows), remember };
    },
  };
}

function countersOf({ unknownDevice: stranger, knownDevice: known }: CounterSets): readonly RequestedCounter[] {
  return [
    ...stranger.limiting.map((counter) => ({ ...counter, known: false })),
    ...known.limiting.map((counter) => ({ ...counter, known: true })),
  ];
}

async function consumeFailures(database: Database, deviceKey: string, counters: readonly RequestedCounter[], at: Date) {
  for (;;) {
    const rows = await runCounterStatement(database, 'count-attempt', deviceKey, counters, at);
    const waiting = waitingIn(rows);
    const device = deviceIn(rows);
    const ends = new Map(rows.filter(({ what }) => what === 'taken').map(({ key, until }) => [key, until]));
    const wanted = counters.filter(({ known }) => known === undefined || known === (device !== undefined));
    if (waiting || ends.size === wanted.length) return { waiting, ends, device };
    // Another attempt was counted between the read and this count. This count is rolled back, and the next read sees the other
    // one's delay.
    await refundFailures(database, refundsOf(ends));
  }
}

async function refundFailures(
  database: Database,
  refunds: readonly Refund[],
  remembered?: RememberedDevice,
): Promise<void> {
  if (refunds.length === 0) return;
  const values = [JSON.stringify(refunds), remembered?.key ?? null, remembered?.expiresAt ?? null];
  await database.single.withoutTenant({ text: REFUND, values }, 'refund-attempt');
}

const COUNTER_STATEMENTS = { 'count-attempt': CONSUME, 'peek-attempts': PEEK } as const;

function runCounterStatement(
  database: Database,
  operation: keyof typeof COUNTER_STATEMENTS,
  deviceKey: string,
  counters: readonly RequestedCounter[],
  at: Date,
) {
  const asked = counters.map(({ key, known, schedule }) => ({ key, known, ...schedule }));
  return database.single.withoutTenant<FoundRow>(
    { text: COUNTER_STATEMENTS[operation], values: [at, deviceKey, JSON.stringify(asked)] },
    operation,
  );
}

function waitingIn(rows: readonly FoundRow[]): BlockingCounter | undefined {
  return longestWait(waitsIn(rows));
}

function waitsIn(rows: readonly FoundRow[]): readonly BlockingCounter[] {
  return rows.filter(({ what }) => what === 'waiting').map(({ key, until }) => ({ key, until }));
}

function deviceIn(rows: readonly FoundRow[]): KnownDevice | undefined {
  const device = rows.find(({ what }) => what === 'device');
  return device && { expiresAt: new Date(device.until) };
}
