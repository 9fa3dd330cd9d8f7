import type { ProcessSample, SoakSample } from './samples.ts';

/** What an event loop may be late by, as the median over the minutes of each minute's 99th percentile. */
export const LOOP_DELAY_LIMIT_MS = 20;
/** Fewer minutes than this show no trend. */
const FEWEST_MINUTES = 6;
/** Of the minutes, the first are for caches and compilers. */
const WARM_UP_SHARE = 1 / 3;

/** By how much the last third may exceed the one after the warm-up: a share, and what counts as nothing at all. */
const FIGURES = {
  residentMb: { unit: 'MB resident', share: 0.1, slack: 24 },
  heapFloorMb: { unit: 'MB of heap after collections', share: 0.15, slack: 12 },
  descriptors: { unit: 'descriptors', share: 0.15, slack: 16 },
  connections: { unit: 'connections', share: 0.15, slack: 16 },
} as const satisfies Partial<Record<keyof ProcessSample, { unit: string; share: number; slack: number }>>;

/** Tables whose rows belong to what is going on, not to what has been. Sessions and the audit log grow by what they record. */
const FLAT_TABLES = ['login_attempts', 'revocations'];
const TABLE_SLACK = 200;

/** What did not stay flat after the warm-up, in words. */
export function flatness(samples: readonly SoakSample[]): readonly string[] {
  const [first] = samples;
  if (!first || samples.length < FEWEST_MINUTES) return [`fewer than ${FEWEST_MINUTES} minutes show no trend`];
  const warm = samples.slice(Math.ceil(samples.length * WARM_UP_SHARE));
  const half = Math.floor(warm.length / 2);
  const [early, late] = [warm.slice(0, half), warm.slice(-half)];
  const problems: string[] = [];
  first.processes.forEach(({ name, pid }, index) => {
    const of = (some: readonly SoakSample[], figure: keyof typeof FIGURES | 'loopP99Ms') =>
      median(some.map(({ processes }) => processes[index]?.[figure] ?? 0));
    if (samples.some(({ processes }) => processes[index]?.pid !== pid)) problems.push(`${name} was replaced`);
    for (const figure of Object.keys(FIGURES) as (keyof typeof FIGURES)[]) {
      const { unit, share, slack } = FIGURES[figure];
      const [before, after] = [of(early, figure), of(late, figure)];
      if (after > before * (1 + share) && after > before + slack)
        problems.push(`${name}: from ${Math.round(before)} to ${Math.round(after)} ${unit}`);
    }
    const delay = of(warm, 'loopP99Ms');
    if (delay >= LOOP_DELAY_LIMIT_MS)
      problems.push(`${name}: the event loop was late by ${Math.round(delay)} ms (p99)`);
  });
  for (const table of FLAT_TABLES) {
    const rowsOf = (some: readonly SoakSample[]) => median(some.map(({ rows }) => rows[table] ?? 0));
    if (rowsOf(late) > rowsOf(early) + TABLE_SLACK)
      problems.push(`the table ${table} grew from ${rowsOf(early)} to ${rowsOf(late)} rows`);
  }
  return problems;
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((left, right) => left - right);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}
