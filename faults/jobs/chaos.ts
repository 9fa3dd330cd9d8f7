import { loadavg } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ProcessGroup } from '../../bench/machine/index.ts';
import { describeMachine } from '../../bench/report/machine.ts';
import { writeFaultResults } from '../report/index.ts';
import { type JobCallers, startJobCallers } from './job-callers.ts';
import { type JobsCluster, startJobsCluster } from './jobs-cluster.ts';
import { type Disturbances, disturbAtRandom } from './killer.ts';
import { type JobsVerdict, judgeJobs, type StoredJob } from './ledger.ts';

const JOBS_A_MINUTE = 2_000;
const REPORT_EVERY_MS = 30_000;
/** Once nothing is disturbed any more, everything has been run after that. */
const SETTLED_WITHIN_MS = 300_000;

/**
 * Accepts and runs jobs for so many minutes while processes, PostgreSQL too, are killed and clocks set at random, and compares
 * what was accepted with what was run.
 *
 * @returns whether every promise was kept.
 */
export async function jobsChaos(group: ProcessGroup, minutes: number, say: (text: string) => void): Promise<boolean> {
  say('starting PostgreSQL, two gateways that accept jobs and two that run them');
  const cluster = await startJobsCluster(group);
  const jobs = minutes * JOBS_A_MINUTE;
  const urls = cluster.gateways.map(({ url }) => url);
  const callers = startJobCallers({ urls, jobs, rate: JOBS_A_MINUTE / 60 });
  const ending = new AbortController();
  const disturbing = disturbAtRandom(cluster, ending.signal);
  const loads: number[] = [];
  const report = setInterval(() => {
    loads.push(loadavg()[0] ?? 0);
    say(`  ${callers.accepted.length} of ${jobs} jobs accepted`);
  }, REPORT_EVERY_MS);
  const beganAt = performance.now();
  await Promise.all([callers.done, sleep(minutes * 60_000)]);
  ending.abort();
  const disturbances = await disturbing;
  const seconds = (performance.now() - beganAt) / 1000;
  clearInterval(report);
  const verdict = await settledVerdict(cluster, callers, SETTLED_WITHIN_MS);
  const text = chaosText({ verdict, callers, disturbances, cluster, seconds, loads });
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
  return judgeJobs(accepted, rows as StoredJob[], await webhook.calls(), performance.now() - startedAt);
}

interface ChaosResult {
  readonly verdict: JobsVerdict;
  readonly callers: JobCallers;
  readonly disturbances: Disturbances;
  readonly cluster: JobsCluster;
  readonly seconds: number;
  readonly loads: readonly number[];
}

function chaosText({ verdict, callers, disturbances, cluster, seconds, loads }: ChaosResult): string {
  const { cores, processor, memoryGb, system, node } = describeMachine();
  const { counts, problems } = verdict;
  const listOf = (counted: ReadonlyMap<string, number>) =>
    [...counted].map(([name, count]) => `${name} (${count})`).join(', ') || 'none';
  const rows: readonly (readonly [string, string | number])[] = [
    ['killed with SIGKILL, and clocks set', listOf(disturbances)],
    ['jobs accepted', counts.accepted],
    ['requests without an id', listOf(callers.refused)],
    ['jobs of those that were committed all the same, and run', counts.unconfirmed],
    ['calls of the webhook', counts.calls],
    ['effects that came again, with the same key', counts.repeatedEffects],
    ['calls of one job at most', counts.mostCallsOfOne],
    ['times of the cron trigger, each one job', counts.cronTimes],
    ['promises broken', problems.length === 0 ? 'none' : problems.join('; ')],
  ];
  return (
    `${cores} cores (${processor}), ${memoryGb} GB, ${system}, Node ${node}; ${Math.round(seconds)} s, load average ` +
    `${Math.min(...loads).toFixed(0)} to ${Math.max(...loads).toFixed(0)}${cluster.hasFakeTime ? '' : '; without faketime'}.\n\n` +
    `| | |\n| --- | --- |\n${rows.map(([name, value]) => `| ${name} | ${value} |\n`).join('')}`
  );
}
