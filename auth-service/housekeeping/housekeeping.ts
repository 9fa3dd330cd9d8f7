import type { Sweep } from './sweep.ts';

export interface HousekeepingOptions {
  sweeps: readonly Sweep[];
  /** `intervalMinutes` 0: never. `batchRows`: how many rows one statement removes at most. */
  policy: { intervalMinutes: number; batchRows: number };
  now(): Date;
  /** From 0 to 1. */
  random(): number;
  /** Does something again and again, until what it returns is called. */
  every(milliseconds: number, action: () => Promise<void>): () => void;
  /** Hears what a round removed, by the names of the sweeps; not of rounds that found nothing. */
  onRemoved(counts: Readonly<Record<string, number>>): void;
  /** Hears of a sweep that went wrong. The next round tries it again. */
  onFailed(name: string, error: unknown): void;
}

export interface Housekeeping {
  start(): void;
  /** One round of all sweeps, now. Callers at once share it. */
  run(): Promise<void>;
  /** Waits for the batch that is under way, and begins no other. */
  stop(): Promise<void>;
}

/** Removes what has had its time, in small batches, one after the other. */
export function openHousekeeping(options: HousekeepingOptions): Housekeeping {
  const { sweeps, policy, now, random, every, onRemoved, onFailed } = options;
  let underWay: Promise<void> | undefined;
  let stopTimer: (() => void) | undefined;
  let stopping = false;

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
    const counts: Record<string, number> = {};
    for (const sweep of sweeps) {
      try {
        const removed = await sweepAll(sweep);
        if (removed > 0) counts[sweep.name] = removed;
      } catch (error) {
        onFailed(sweep.name, error);
      }
    }
    if (Object.keys(counts).length > 0) onRemoved(counts);
  }

  function run(): Promise<void> {
    underWay ??= round().finally(() => {
      underWay = undefined;
    });
    return underWay;
  }

  return {
    run,
    start() {
      if (policy.intervalMinutes === 0) return;
      // Every replica at a pace of its own, so that those that were started together do not stay together.
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
