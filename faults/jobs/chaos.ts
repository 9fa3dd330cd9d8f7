import { loadavg } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ProcessGroup } from '../../bench/machine/index.ts';
import { describeMachine } from '../../bench/report/machine.ts';
import type { BalancerName } from '../cluster/index.ts';
import { writeFaultResults } from '../report/index.ts';
import { type EventProducers, startEventProducers } from './event-producers.ts';
import { type JobCallers, startJobCallers } from './job-callers.ts';
import { type JobsCluster, startJobsCluster } from './jobs-cluster.ts';
import { type Disturbances, disturbAtRandom } from './killer.ts';
import { type JobsVerdict, judgeJobs, type StoredJob } from './ledger.ts';

const JOBS_A_MINUTE = 2_000;
/** Each is two deliveries. */
const EVENTS_A_SECOND = 8;
const REPORT_EVERY_MS = 30_000;
/** Once nothing is disturbed any more, everything has been run after that. */
const SETTLED_WITHIN_MS = 300_000;

/**
 * Accepts and runs jobs for so many minutes while processes, PostgreSQL too, are killed and clocks set at random, and compares
 * what was accepted with what was run.
 *
 * @returns whether every promise was kept.
 */
export async function jobsChaos(
  group: ProcessGroup,
  { minutes, balancer }: { readonly minutes: number; readonly balancer: BalancerName },
  say: (text: string) => void,
): Promise<boolean> {
  say(`starting PostgreSQL, two gateways with workers that accept jobs behind ${balancer}, and two that run them`);
  const cluster = await startJobsCluster(group, balancer);
  const jobs = minutes * JOBS_A_MINUTE;
  const producers = startEventProducers({ url: cluster.url, rate: EVENTS_A_SECOND });
  const callers = startJobCallers({ urls: [cluster.url], jobs, rate: JOBS_A_MINUTE / 60 });
  const ending = new AbortController();
  const disturbing = disturbAtRandom(cluster, ending.signal);
  const loads: number[] = [];
  const report = setInterval(() => {
    loads.push(loadavg()[0] ?? 0);
    say(`  ${callers.accepted.length} of ${jobs} jobs accepted, ${producers.accepted.length} events`);
  }, REPORT_EVERY_MS);
  const beganAt = performance.now();
  await Promise.all([callers.done, sleep(minutes * 60_000)]);
  ending.abort();
  const disturbances = await disturbing;
  producers.stop();
  await producers.done;
  const seconds = (performance.now() - beganAt) / 1000;
  clearInterval(report);
  const verdict = await settledVerdict(cluster, callers, SETTLED_WITHIN_MS, producers);
  const text = chaosText({ verdict, callers, producers, disturbances, cluster, seconds, loads });
  process.stdout.write(`\n${text}\n`);
  if (jobs >= PUBLISHED_JOBS) say(`written: ${writeFaultResults('jobs', text)}`);
  return verdict.problems.length === 0;
}

/** A run of at least so many jobs is written into the page of the results. */
const PUBLISHED_JOBS = 20_000;

/** Waits until nothing is left to be run, and judges. */
export async function settledVerdict(
  { postgres, webhook, startedAt }: JobsCluster,
  { accepted }: Pick<JobCallers, 'accepted'>,
  withinMs: number,
  { accepted: events, givenUp }: Pick<EventProducers, 'accepted' | 'givenUp'> = { accepted: [], givenUp: new Map() },
): Promise<JobsVerdict> {
  const deadline = performance.now() + withinMs;
  // The cron trigger's next times are planned ahead, and stay.
  const left = async () =>
    (
      await postgres.run(
        "SELECT FROM portico_jobs.live WHERE run_at <= now() + interval '10 minutes' AND kind <> 'cron'",
      )
    ).rowCount;
  while ((await left()) !== 0 && performance.now() < deadline) await sleep(100);
  const { rows } = await postgres.run(`
    SELECT id, kind, state FROM portico_jobs.live WHERE run_at < now() - interval '1 minute'
    UNION ALL SELECT id, kind, state FROM portico_jobs.finished
    UNION ALL SELECT id, kind, 'dead' FROM portico_jobs.dead`);
  const lastedMs = performance.now() - startedAt;
  const { counts, problems } = judgeJobs(accepted, rows as StoredJob[], await webhook.calls(), lastedMs, events);
  return { counts, problems: [...problems, ...[...givenUp].map(([why, count]) => `${count} events were ${why}`)] };
}

interface ChaosResult {
  readonly verdict: JobsVerdict;
  readonly callers: JobCallers;
  readonly producers: EventProducers;
  readonly disturbances: Disturbances;
  readonly cluster: JobsCluster;
  readonly seconds: number;
  readonly loads: readonly number[];
}

function chaosText({ verdict, callers, producers, disturbances, cluster, seconds, loads }: ChaosResult): string {
  const { cores, processor, memoryGb, system, node } = describeMachine();
  const { counts, problems } = verdict;
  const listOf = (counted: ReadonlyMap<string, number>) =>
    [...counted].map(([name, count]) => `${name} (${count})`).join(', ') || 'none';
  const rows: readonly (readonly [string, string | number])[] = [
    ['killed with SIGKILL, and clocks set', listOf(disturbances)],
    ['jobs accepted', counts.accepted],
    ['requests without an id', listOf(callers.refused)],
    ['jobs of those that were committed all the same, and run', counts.unconfirmed],
    ['events accepted, each for two webhooks', counts.events],
    ['posts of events that were repeated, with the same id', producers.repeated.count],
    ['calls of the webhook', counts.calls],
    ['effects that came again, with the same key', counts.repeatedEffects],
    ['calls of one job at most', counts.mostCallsOfOne],
    ['times of the cron trigger, each one job', counts.cronTimes],
    ['promises broken', problems.length === 0 ? 'none' : problems.join('; ')],
  ];
  return (
    `${cores} cores (${processor}), ${memoryGb} GB, ${system}, Node ${node}; ${Math.round(seconds)} s, load average ` +
    `${Math.min(...loads).toFixed(0)} to ${Math.max(...loads).toFixed(0)}${cluster.hasFakeTime ? '' : '; without faketime'}; behind ${cluster.balancer}.\n\n` +
    `| | |\n| --- | --- |\n${rows.map(([name, value]) => `| ${name} | ${value} |\n`).join('')}`
  );
}
