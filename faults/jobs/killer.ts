import { setTimeout as sleep } from 'node:timers/promises';
import type { JobsCluster, JobsServer } from './jobs-cluster.ts';

/** What was killed or set off, and how often. */
export type Disturbances = Map<string, number>;

export type Disturbance = 'runner' | 'gateway' | 'PostgreSQL' | 'clock';

/** What happens next, at random: as often as it stands here. */
const CHOICE: readonly Disturbance[] = [
  ...Array.from({ length: 8 }, () => 'runner' as const),
  ...Array.from({ length: 5 }, () => 'gateway' as const),
  ...Array.from({ length: 4 }, () => 'PostgreSQL' as const),
  ...Array.from({ length: 3 }, () => 'clock' as const),
];
const PAUSE_MS = { from: 1_500, to: 6_000 };
/** How long something stays away; PostgreSQL long enough for leases to end. */
const AWAY_MS = { from: 0, to: 5_000 };
/** Clocks differ by up to so much. */
const MAX_SKEW_SECONDS = 90;

/** Kills processes and sets clocks until it is stopped. @returns what it did. */
export async function disturbAtRandom(cluster: JobsCluster, signal: AbortSignal): Promise<Disturbances> {
  const done: Disturbances = new Map();
  while (!signal.aborted) {
    await sleep(between(PAUSE_MS), undefined, { signal }).catch(() => {});
    if (signal.aborted) break;
    const which = CHOICE[Math.floor(Math.random() * CHOICE.length)] ?? 'runner';
    await disturb(cluster, which, between(AWAY_MS), done);
  }
  return done;
}

/** Does one of them, and puts it right after `awayMs`. */
export async function disturb(
  cluster: JobsCluster,
  which: Disturbance,
  awayMs: number,
  done: Disturbances,
): Promise<void> {
  done.set(which, (done.get(which) ?? 0) + 1);
  const { postgres, gateways, runners } = cluster;
  switch (which) {
    case 'runner':
      return killAndRestart(anyOf(runners), awayMs);
    case 'gateway':
      return killAndRestart(anyOf(gateways), awayMs);
    case 'PostgreSQL':
      await postgres.kill();
      await sleep(awayMs);
      return postgres.start();
    case 'clock':
      return anyOf([...gateways, ...runners]).skewClock(Math.round((Math.random() * 2 - 1) * MAX_SKEW_SECONDS));
  }
}

async function killAndRestart(server: JobsServer, awayMs: number): Promise<void> {
  await server.kill();
  await sleep(awayMs);
  await server.start();
}

function anyOf<One>(all: readonly One[]): One {
  return all[Math.floor(Math.random() * all.length)] as One;
}

function between({ from, to }: { from: number; to: number }): number {
  return from + Math.random() * (to - from);
}
