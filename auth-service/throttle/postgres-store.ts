import type { Database } from '../database/index.ts';
import type { Ways } from './counters.ts';
import type { Entrance } from './entrance.ts';
import { createKnownDevices, type KnownDevice, newExpiry } from './known-devices.ts';
import { type FoundRow, GIVE, LOOK, TAKE } from './statements.ts';
import { type AttemptStore, type Counter, longest, type Return, returns, type Waiting } from './store.ts';

/** A counter; where there are two ways, whether it is for known devices. */
type Asked = Counter & { readonly known?: boolean };

/** No device has it. */
const NO_DEVICE = '';

interface Remembered {
  readonly key: string;
  readonly expiresAt: Date;
}

/**
 * Counts in the table `login_attempts`. Rows are always locked in the order of their keys, so that two statements never
 * wait for each other.
 */
export function postgresStore(database: Database): AttemptStore {
  return {
    async take(counters, at) {
      const { waiting, ends } = await take(database, NO_DEVICE, counters, new Date(at));
      if (waiting) return { admitted: false, ...waiting };
      return { admitted: true, give: (forgotten) => give(database, returns(ends, forgotten)) };
    },
    async waiting(counters, at) {
      return waitingIn(await find(database, LOOK, NO_DEVICE, counters, new Date(at)));
    },
    close: () => {},
  };
}

/** The same with the known devices beside the counters, so that a step is one statement. */
export function postgresEntrance(database: Database, deviceDays: number): Entrance {
  const devices = createKnownDevices(database, deviceDays);
  return {
    async enter(ways, at) {
      const { waiting, ends, device } = await take(database, ways.deviceKey, countersOf(ways), at);
      const way = device ? ways.known : ways.stranger;
      if (waiting) return { way, admitted: false, ...waiting };
      return {
        way,
        admitted: true,
        giveBack: () => give(database, returns(ends)),
        async succeed(then) {
          const expiresAt = newExpiry(then, deviceDays, device);
          await give(database, returns(ends, [way.own]), expiresAt && { key: ways.deviceKey, expiresAt });
        },
      };
    },
    async look(ways, at) {
      const rows = await find(database, LOOK, ways.deviceKey, countersOf(ways), at);
      const device = deviceIn(rows);
      const remember = (then: Date) => devices.remember(ways.deviceKey, then, device);
      return { way: device ? ways.known : ways.stranger, waiting: waitingIn(rows), remember };
    },
  };
}

function countersOf({ stranger, known }: Ways): readonly Asked[] {
  return [
    ...stranger.binding.map((counter) => ({ ...counter, known: false })),
    ...known.binding.map((counter) => ({ ...counter, known: true })),
  ];
}

async function take(database: Database, deviceKey: string, counters: readonly Asked[], at: Date) {
  for (;;) {
    const rows = await find(database, TAKE, deviceKey, counters, at);
    const waiting = waitingIn(rows);
    const device = deviceIn(rows);
    const ends = new Map(rows.filter(({ what }) => what === 'taken').map(({ key, until }) => [key, until]));
    const wanted = counters.filter(({ known }) => known === undefined || known === (device !== undefined));
    if (waiting || ends.size === wanted.length) return { waiting, ends, device };
    // Another attempt was counted between the look and the count. What was counted of this one is taken back, and the
    // next look sees the other one's wait.
    await give(database, returns(ends));
  }
}

async function give(database: Database, given: readonly Return[], remembered?: Remembered): Promise<void> {
  if (given.length === 0) return;
  const values = [JSON.stringify(given), remembered?.key ?? null, remembered?.expiresAt ?? null];
  await database.single.withoutTenant({ text: GIVE, values });
}

function find(database: Database, text: string, deviceKey: string, counters: readonly Asked[], at: Date) {
  const asked = counters.map(({ key, known, schedule }) => ({ key, known, ...schedule }));
  return database.single.withoutTenant<FoundRow>({ text, values: [at, deviceKey, JSON.stringify(asked)] });
}

function waitingIn(rows: readonly FoundRow[]): Waiting | undefined {
  return longest(rows.filter(({ what }) => what === 'waiting').map(({ key, until }) => ({ key, until })));
}

function deviceIn(rows: readonly FoundRow[]): KnownDevice | undefined {
  const device = rows.find(({ what }) => what === 'device');
  return device && { expiresAt: new Date(device.until) };
}
