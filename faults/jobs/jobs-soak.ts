import { loadavg } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ProcessGroup } from '../../bench/machine/index.ts';
import { markdownTable } from '../../bench/report/table.ts';
import type { BalancerName, Postgres } from '../cluster/index.ts';
import { settledVerdict } from './chaos.ts';
import { startJobCallers } from './job-callers.ts';
import { startJobsCluster } from './jobs-cluster.ts';

const MINUTE_MS = 60_000;
const SETTLED_WITHIN_MS = 60_000;
/** Fewer minutes than this show no trend. */
const FEWEST_MINUTES = 6;
/** What autovacuum leaves until it comes again, which is once a minute at most, and what one minute adds. */
const DEAD_ROWS_SLACK = 4_000;
const SIZE_SLACK = 1.5;

/** The jobs' tables at the end of a minute. */
export interface TableSample {
  readonly minute: number;
  /** Rows that are dead and not vacuumed, of all tables of jobs. */
  readonly deadRows: number;
  /** Of the table of jobs that are not finished, with its indexes. */
  readonly liveKb: number;
  readonly unfinished: number;
  readonly finished: number;
}

/**
 * Accepts and runs jobs at a steady rate and disturbs nothing, one line a minute, and at the end whether dead rows and the table
 * of unfinished jobs stayed flat.
 *
 * @returns whether they did, and every job was run.
 */
export async function jobsSoak(
  group: ProcessGroup,
  { minutes, rate, balancer }: { readonly minutes: number; readonly rate: number; readonly balancer: BalancerName },
  say: (text: string) => void,
): Promise<boolean> {
  const cluster = await startJobsCluster(group, balancer);
  const callers = startJobCallers({ urls: [cluster.url], jobs: Number.POSITIVE_INFINITY, rate });
  const samples: TableSample[] = [];
  const lines: string[][] = [];
  const beganAt = performance.now();
  for (let minute = 1; minute <= minutes; minute++) {
    await sleep(Math.max(0, beganAt + minute * MINUTE_MS - performance.now()));
    const sample = { minute, ...(await sampleTables(cluster.postgres)) };
    samples.push(sample);
    const resident = [...cluster.gateways, ...cluster.runners].map((server) => Math.round(server.residentMb()));
    lines.push([...Object.values(sample).map(String), resident.join(' '), (loadavg()[0] ?? 0).toFixed(1)]);
    say(lines.at(-1)?.join('; ') ?? '');
  }
  callers.stop();
  await callers.done;
  const { counts, problems: broken } = await settledVerdict(cluster, callers, SETTLED_WITHIN_MS);
  const problems = [...broken, ...tableGrowth(samples)];
  for (const [error, count] of callers.refused) problems.push(`${error}, ${count} times`);
  const head = ['minute', 'dead rows', 'KB of live', 'unfinished', 'finished', 'RSS MB', 'load'];
  process.stdout.write(
    `\n${markdownTable(head, lines)}\n${counts.accepted} jobs, ${rate} a second, ${counts.calls} calls of the webhook\n`,
  );
  for (const problem of problems) process.stdout.write(`BROKEN: ${problem}\n`);
  if (problems.length === 0) process.stdout.write('dead rows and the table of unfinished jobs stayed flat\n');
  return problems.length === 0;
}

async function sampleTables(postgres: Postgres): Promise<Omit<TableSample, 'minute'>> {
  const { rows } = await postgres.run(`
    SELECT sum(n_dead_tup)::int AS "deadRows",
      (pg_total_relation_size('portico_jobs.live') / 1024)::int AS "liveKb",
      (SELECT count(*)::int FROM portico_jobs.live) AS unfinished,
      (SELECT count(*)::int FROM portico_jobs.finished) AS finished
    FROM pg_stat_user_tables WHERE schemaname = 'portico_jobs'`);
  return rows[0] as Omit<TableSample, 'minute'>;
}

/** What of the last half exceeds the most of the half before, in words. */
export function tableGrowth(samples: readonly TableSample[]): readonly string[] {
  if (samples.length < FEWEST_MINUTES) return [`fewer than ${FEWEST_MINUTES} minutes show no trend`];
  const half = Math.floor(samples.length / 2);
  const most = (some: readonly TableSample[], figure: 'deadRows' | 'liveKb') =>
    Math.max(...some.map((sample) => sample[figure]));
  const [early, late] = [samples.slice(0, half), samples.slice(-half)];
  const problems: string[] = [];
  const [deadBefore, dead] = [most(early, 'deadRows'), most(late, 'deadRows')];
  if (dead > deadBefore + DEAD_ROWS_SLACK) problems.push(`dead rows grew from ${deadBefore} to ${dead}`);
  const [sizeBefore, size] = [most(early, 'liveKb'), most(late, 'liveKb')];
  if (size > sizeBefore * SIZE_SLACK)
    problems.push(`the table of unfinished jobs grew from ${sizeBefore} to ${size} KB`);
  return problems;
}
