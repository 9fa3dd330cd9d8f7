import { setTimeout as sleep } from 'node:timers/promises';
import type { ProcessGroup } from '../../../bench/machine/index.ts';
import { findProgram } from '../../../faults/cluster/index.ts';
import { startLoad } from '../../../faults/load/index.ts';
import { causeEvents } from './events.ts';
import { startObservedCluster } from './observed-cluster.ts';
import { type Prometheus, startPrometheus } from './prometheus.ts';
import { type CheckedQuery, readQueries, selectorsOf } from './queries.ts';

/** Requests a second. */
const RATE = 25;
const STREAMS = 1;
const LOOK_EVERY_MS = 500;
/** Queries that Prometheus is asked at the same time. */
const CONCURRENT_LOOKS = 8;

export interface QueryCheckOptions {
  /** How long to wait for the last query to have data. */
  readonly withinSeconds: number;
}

export function hasPrometheus(): boolean {
  return findProgram('prometheus') !== undefined;
}

export interface CheckResult {
  readonly queries: number;
  /** How much was looked for: data of queries, each series that they read, exemplars. */
  readonly looks: number;
  /** One sentence each; none: all queries and rules have data. */
  readonly problems: readonly string[];
}

/**
 * Has a real Prometheus scrape two gateways of two workers and two auth services under load, in which everything happens
 * that dashboards and alerts are about, and evaluates every query and rule.
 */
export async function checkObservability(
  group: ProcessGroup,
  { withinSeconds }: QueryCheckOptions,
  say: (text: string) => void,
): Promise<CheckResult> {
  const observed = await startObservedCluster(group, say);
  const { cluster, targets } = observed;
  const prometheus = await startPrometheus(group, targets);
  say(`Prometheus scrapes them: ${prometheus.url}`);
  const load = await startLoad(cluster.url, { rate: RATE, streams: STREAMS });
  try {
    // The first sample of a counter is no increase yet.
    await untilScraped(prometheus, Object.values(targets).flat().length);
    say('causing what does not happen while all is well');
    await causeEvents(observed, prometheus);
    // Subscriptions end with their clients, which connect again.
    load.streams.stop();
    say('evaluating every query');
    const queries = await readQueries(prometheus.labelValues);
    const wanted = wantedData(queries, prometheus);
    wanted.set('targets and rules', async () => (await prometheus.problems()).length === 0);
    const missing = await untilFound(wanted, withinSeconds);
    const broken = missing.length === 0 ? [] : await prometheus.problems();
    return { queries: queries.length, looks: wanted.size, problems: [...missing, ...broken] };
  } finally {
    await load.stop();
  }
}

async function untilScraped({ query }: Prometheus, targets: number): Promise<void> {
  while ((await query(`sum(up) == ${targets}`)).length === 0) await sleep(LOOK_EVERY_MS);
}

/** Sentences about what is missing, each with the look that finds it. */
function wantedData(queries: readonly CheckedQuery[], prometheus: Prometheus): Map<string, () => Promise<boolean>> {
  const wanted = new Map<string, () => Promise<boolean>>();
  for (const { place, expr, exemplars } of queries) {
    wanted.set(`${place}: no data for ${expr}`, async () => (await prometheus.query(expr)).length > 0);
    for (const selector of selectorsOf(expr))
      wanted.set(`${place}: no series ${selector}`, async () => (await prometheus.query(selector)).length > 0);
    if (exemplars)
      wanted.set(`${place}: no exemplars for ${expr}`, async () => (await prometheus.traceIds(expr)).length > 0);
  }
  return wanted;
}

async function forEachConcurrently<T>(items: readonly T[], step: (item: T) => Promise<void>): Promise<void> {
  const rest = items.values();
  const steps = Array.from({ length: CONCURRENT_LOOKS }, async () => {
    for (const item of rest) await step(item);
  });
  await Promise.all(steps);
}

/** Looks again and again, and no more for what was found. @returns what was never found, with errors of queries. */
async function untilFound(
  wanted: ReadonlyMap<string, () => Promise<boolean>>,
  withinSeconds: number,
): Promise<readonly string[]> {
  const missing = new Map(wanted);
  const errors = new Map<string, string>();
  const giveUpAt = performance.now() + withinSeconds * 1_000;
  while (missing.size > 0 && performance.now() < giveUpAt) {
    await forEachConcurrently([...missing], async ([what, look]) => {
      try {
        if (await look()) missing.delete(what);
      } catch (error) {
        errors.set(what, error instanceof Error ? error.message : String(error));
      }
    });
    if (missing.size > 0) await sleep(LOOK_EVERY_MS);
  }
  return [...missing.keys()].map((what) => `${what}${errors.has(what) ? ` (${errors.get(what)})` : ''}`);
}
