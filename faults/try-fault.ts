import { setTimeout as sleep } from 'node:timers/promises';
import type { Cluster } from './cluster/index.ts';
import type { Fault, Span } from './fault.ts';
import type { Load } from './load/index.ts';
import { type FaultVerdict, judgeFault, skipped } from './report/index.ts';

export interface Timing {
  /** How long requests are sent before the fault. */
  readonly beforeMs: number;
  /** When requests have succeeded for so long, it has healed. */
  readonly quietMs: number;
  /** See `Scene`. Default: 1. */
  readonly patience?: number;
}

const TIMING: Timing = { beforeMs: 1_500, quietMs: 2_000 };
/** How much longer than promised healing is waited for, so that the report says how long it took. */
const RECOVERY_WITHIN_MS = 20_000;
const CHECK_EVERY_MS = 50;
/** Requests under way when it has healed are waited for this long; they have deadlines of their own. */
const LAST_ANSWERS_MS = 25_000;

/** Lets one fault happen under load, waits until it has healed, and judges it. */
export async function tryFault(
  fault: Fault,
  cluster: Cluster,
  load: Load,
  say: (text: string) => void,
  timing = TIMING,
): Promise<FaultVerdict> {
  const missing = fault.missing?.(cluster);
  if (missing !== undefined) return skipped(fault, missing);
  load.forget();
  await sleep(timing.beforeMs);
  const problems: string[] = [];
  let wasEffectSeen = false;
  const repairs: (() => unknown)[] = [];
  const lastRepairs: (() => unknown)[] = [];
  const beganAt = performance.now();
  let goneAt: number | undefined;
  let noticedAt: number | undefined;
  const patience = timing.patience ?? 1;
  try {
    await fault.run({
      cluster,
      load,
      onEnd: (repair) => repairs.push(repair),
      afterwards: (repair) => lastRepairs.push(repair),
      patience,
      wait: (seconds) => sleep(seconds * 1000),
      until,
      noticed: () => {
        noticedAt ??= performance.now();
      },
      gone: () => {
        goneAt ??= performance.now();
      },
      tookEffect: () => {
        wasEffectSeen = true;
      },
      broken: (problem) => problems.push(problem),
      say,
    });
  } catch (error) {
    problems.push(error instanceof Error ? error.message : String(error));
  } finally {
    for (const repair of repairs.toReversed()) await repair();
  }
  const span: Span = { beganAt, goneAt: goneAt ?? performance.now(), noticedAt };
  const healsWithinSeconds = (fault.healsWithinSeconds ?? 0) * patience;
  await untilQuiet(load, timing.quietMs, span.goneAt + healsWithinSeconds * 1000 + RECOVERY_WITHIN_MS);
  if (fault.checksWrites) problems.push(...(await load.lostWrites()));
  const verdict = judgeFault({ ...fault, healsWithinSeconds }, load.attempts, span, problems, wasEffectSeen);
  for (const repair of lastRepairs.toReversed()) await repair();
  return verdict;
}

async function until(condition: () => boolean | Promise<boolean>, withinSeconds: number): Promise<boolean> {
  const deadline = performance.now() + withinSeconds * 1000;
  while (!(await condition())) {
    if (performance.now() > deadline) return false;
    await sleep(CHECK_EVERY_MS);
  }
  return true;
}

/** Waits until requests have succeeded for a while. */
async function untilQuiet(load: Load, quietMs: number, deadline: number): Promise<void> {
  const since = performance.now();
  for (;;) {
    const now = performance.now();
    const lastFailure = Math.max(
      since,
      ...load.attempts.filter(({ failure }) => failure).map(({ endedAt }) => endedAt),
    );
    if (now - lastFailure >= quietMs || now > deadline) break;
    await sleep(CHECK_EVERY_MS);
  }
  // Those that were sent before and hang still count.
  const sentBefore = performance.now();
  while (load.oldestUnderWay() < sentBefore && performance.now() < sentBefore + LAST_ANSWERS_MS)
    await sleep(CHECK_EVERY_MS);
}
