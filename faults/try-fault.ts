import { setTimeout as sleep } from 'node:timers/promises';
import type { Cluster } from './cluster/index.ts';
import type { Fault, Span } from './fault.ts';
import type { Load } from './load/index.ts';
import { judge, skipped, type Verdict } from './report/index.ts';

export interface Timing {
  /** How long requests are sent before the fault. */
  readonly beforeMs: number;
  /** When requests have succeeded for so long, it has healed. */
  readonly quietMs: number;
}

const TIMING: Timing = { beforeMs: 1_500, quietMs: 2_000 };
/** How much longer than promised healing is waited for, so that the report says how long it took. */
const PATIENCE_MS = 20_000;
const LOOK_MS = 50;
/** Requests under way when it has healed are waited for this long; they have deadlines of their own. */
const LAST_ANSWERS_MS = 25_000;

/** Lets one fault happen under load, waits until it has healed, and judges it. */
export async function tryFault(
  fault: Fault,
  cluster: Cluster,
  load: Load,
  say: (text: string) => void,
  timing = TIMING,
): Promise<Verdict> {
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
  try {
    await fault.run({
      cluster,
      load,
      onEnd: (repair) => repairs.push(repair),
      afterwards: (repair) => lastRepairs.push(repair),
      wait: (seconds) => sleep(seconds * 1000),
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
  const span: Span = { beganAt, goneAt: goneAt ?? performance.now() };
  await untilQuiet(load, timing.quietMs, span.goneAt + (fault.healsWithinSeconds ?? 0) * 1000 + PATIENCE_MS);
  if (fault.checksWrites) problems.push(...(await load.lostWrites()));
  const verdict = judge(fault, load.attempts, span, problems, wasEffectSeen);
  for (const repair of lastRepairs.toReversed()) await repair();
  return verdict;
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
    await sleep(LOOK_MS);
  }
  // Those that were sent before and hang still count.
  const sentBefore = performance.now();
  while (load.oldestUnderWay() < sentBefore && performance.now() < sentBefore + LAST_ANSWERS_MS) await sleep(LOOK_MS);
}
