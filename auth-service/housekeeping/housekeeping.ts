import type { ServiceTime } from '../clock/index.ts';
import type { Sweep } from './sweep.ts';

export interface HousekeepingOptions extends ServiceTime {
  sweeps: readonly Sweep[];
  /** `intervalMinutes`: 0 disables the housekeeping. `batchRows`: the most rows that one statement removes. */
  policy: { intervalMinutes: number; batchRows: number };
  /** Returns whether the clock of this machine differs too much from the database's for deleting. */
  isClockWrong(): Promise<boolean>;
  /** Returns a number from 0 to below 1. */
  random(): number;
  /** Called with the number of removed rows by sweep. Not called if a round removed nothing. */
  onRemoved(counts: Readonly<Record<string, number>>): void;
  /** Called when a sweep fails. The next round tries it again. */
  onFailed(name: string, error: unknown): void;
}

/** The number of removed rows by sweep. */
export interface HousekeepingCounts {
  rounds: number;
  readonly removed: Record<string, number>;
  readonly failures: Record<string, number>;
}

export interface Housekeeping {
  readonly counts: Readonly<HousekeepingCounts>;
  start(): void;
  /** Runs one round of all sweeps now. Concurrent callers share it. */
  run(): Promise<void>;
  /** Waits for the running batch, and begins no other. */
  stop(): Promise<void>;
}

/** Removes expired rows in small batches, one after another. */
export function openHousekeeping(options: HousekeepingOptions): Housekeeping {
  const { sweeps, policy, now, isClockWrong, random, every, onRemoved, onFailed } = options;
  let underWay: Promise<void> | undefined;
  let stopTimer: (() => void) | undefined;
  let stopping = false;
  const none = () => Object.fromEntries(sweeps.map(({ name }) => [name, 0]));
  const total: HousekeepingCounts = { rounds: 0, removed: none(), failures: none() };

  async function sweepAll({ sweep }: Sweep): Promise<number> {
    let removed = 0;
    while (!stopping) {
      const count = await sweep(now(), policy.batchRows);
      removed += count;
      if (count < policy.batchRows) break;
    }
    return removed;
  }

  async function round(): Promise<void> {
    // If the database does not respond, the sweeps fail too and report it.
    if (await isClockWrong().catch(() => false)) return;
    const counts: Record<string, number> = {};
    for (const sweep of sweeps) {
      try {
        const removed = await sweepAll(sweep);
        if (removed > 0) counts[sweep.name] = removed;
        total.removed[sweep.name] = (total.removed[sweep.name] ?? 0) + removed;
      } catch (error) {
        total.failures[sweep.name] = (total.failures[sweep.name] ?? 0) + 1;
        onFailed(sweep.name, error);
      }
    }
    total.rounds += 1;
    if (Object.keys(counts).length > 0) onRemoved(counts);
  }

  function run(): Promise<void> {
    underWay ??= round().finally(() => {
      underWay = undefined;
    });
    return underWay;
  }

  return {
    counts: total,
    run,
    start() {
      if (policy.intervalMinutes === 0) return;
      // The interval is random, so that replicas that were started together do not stay synchronized.
      const milliseconds = policy.intervalMinutes * 60_000 * (0.9 + 0.2 * random());
      stopTimer ??= every(Math.round(milliseconds), run);
    },
    async stop() {
      stopping = true;
      stopTimer?.();
      await underWay;
    },
  };
}
