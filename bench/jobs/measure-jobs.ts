import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { repeatFor, type Tally } from '../login/callers.ts';
import { type ScratchDatabase, scratchDatabase } from '../login/scratch-database.ts';
import { median } from '../report/statistics.ts';
import type { BenchDependencies } from '../targets/index.ts';
import { type BenchWebhook, openBenchWebhook } from './bench-webhook.ts';
import { peerQueues } from './peer-queues.ts';
import { porticoQueue } from './portico-queue.ts';
import type { BenchJob, JobAcceptor, QueueSystem } from './queue-system.ts';

const ACCEPT_CALLERS = 50;
const ACCEPT_ROUNDS = 3;
/** Of a system that polls, as many as there is time for. */
const IDLE_JOBS = 300;
const IDLE_SECONDS = 40;
/** Between jobs of an idle system, at random, so that no poll is hit again and again at the same moment. */
const IDLE_PAUSE_MS = { least: 20, more: 60 };
const KEPT_JOBS = 1_000_000;
const FLOOD_JOBS = 10_000;
const FEW_JOBS = 10;

/** From the request for a job to the call of its webhook, in milliseconds. */
export interface StartLatency {
  readonly p50Ms: number;
  readonly p99Ms: number;
}

export interface JobsFigures {
  readonly title: string;
  readonly version: string | undefined;
  readonly accepted: Tally;
  readonly runPerSecond: number;
  readonly idle: StartLatency;
  /** With a million finished jobs; undefined where none are kept. */
  readonly withKept: StartLatency | undefined;
  /** How long the jobs of one tenant waited, that came when another had 10,000 waiting. */
  readonly besideFlood: { readonly p50Ms: number; readonly maxMs: number };
}

/** @returns undefined without `DATABASE_URL`. */
export async function measureQueues(
  seconds: number,
  dependencies: BenchDependencies,
): Promise<{ readonly figures: readonly JobsFigures[]; readonly server: string } | undefined> {
  const figures: JobsFigures[] = [];
  let server = '';
  for (const system of [porticoQueue, ...peerQueues]) {
    const database = await scratchDatabase(system.name.replaceAll('-', '_'));
    if (!database) return undefined;
    dependencies.group.afterwards(database.drop);
    server = await describeServer(database);
    const webhook = await openBenchWebhook();
    try {
      figures.push(await measureQueue(system, database, webhook, seconds, dependencies));
    } finally {
      await webhook.close();
      await database.drop();
    }
  }
  return { figures, server };
}

async function measureQueue(
  system: QueueSystem,
  { url }: ScratchDatabase,
  webhook: BenchWebhook,
  seconds: number,
  dependencies: BenchDependencies,
): Promise<JobsFigures> {
  const { say } = dependencies;
  const acceptor = await system.startAcceptor(url, webhook.url, dependencies);
  const start = () => system.startRunner(url, webhook.url, dependencies);

  let number = 0;
  let waiting = 0;
  const acceptFor = (time: number) =>
    repeatFor(ACCEPT_CALLERS, time, async () => {
      const isAccepted = await acceptor.enqueue({ tenant: 'one', number: number++ });
      if (isAccepted) waiting++;
      return isAccepted;
    });
  await acceptFor(1);
  const rounds: Tally[] = [];
  for (let round = 0; round < ACCEPT_ROUNDS; round++) rounds.push(await acceptFor(seconds));
  const accepted = rounds.toSorted((left, right) => left.perSecond - right.perSecond)[1] ?? rounds[0];
  if (!accepted) throw new Error('no round');
  say(`jobs  ${system.name}: ${Math.round(accepted.perSecond)} accepted/s`);

  let runner = await start();
  await webhook.calls(1);
  const beganAt = performance.now();
  await webhook.calls(waiting);
  const runPerSecond = waiting / ((performance.now() - beganAt) / 1000);
  say(`jobs  ${system.name}: ${Math.round(runPerSecond)} run/s`);

  webhook.forget();
  const idle = await measureIdle(acceptor, webhook, 'idle');
  say(`jobs  ${system.name}: idle ${idle.p50Ms.toFixed(1)} and ${idle.p99Ms.toFixed(1)} ms`);
  const withKept =
    system.keepFinished === undefined
      ? undefined
      : await run(url, system.keepFinished).then(() => measureIdle(acceptor, webhook, 'kept'));
  if (withKept)
    say(`jobs  ${system.name}: with kept jobs ${withKept.p50Ms.toFixed(1)} and ${withKept.p99Ms.toFixed(1)} ms`);
  await runner.stop();

  webhook.forget();
  const flood = Array.from({ length: FLOOD_JOBS }, (_, index) => ({ tenant: 'flood', number: index }));
  await enqueueAll(acceptor, flood);
  runner = await start();
  await webhook.calls(1);
  const few = Array.from({ length: FEW_JOBS }, (_, index) => ({ tenant: 'few', number: index }));
  const askedAt = performance.now();
  await enqueueAll(acceptor, few);
  await webhook.calls(FLOOD_JOBS + FEW_JOBS);
  const waits = few.map((job) => (webhook.calledAt(job) ?? askedAt) - askedAt);
  const besideFlood = { p50Ms: median(waits), maxMs: Math.max(...waits) };
  say(`jobs  ${system.name}: beside a flood ${Math.round(besideFlood.maxMs)} ms at most`);
  await runner.stop();
  await acceptor.stop();
  return {
    title: system.title,
    version: system.version(),
    accepted,
    runPerSecond,
    idle,
    withKept,
    besideFlood,
  };
}

/** One job at a time, each when the one before has been run. */
async function measureIdle(acceptor: JobAcceptor, webhook: BenchWebhook, tenant: string): Promise<StartLatency> {
  const latencies: number[] = [];
  const endAt = performance.now() + IDLE_SECONDS * 1000;
  for (let number = 0; number < IDLE_JOBS && performance.now() < endAt; number++) {
    await sleep(IDLE_PAUSE_MS.least + Math.random() * IDLE_PAUSE_MS.more);
    webhook.forget();
    const askedAt = performance.now();
    await acceptor.enqueue({ tenant, number });
    await webhook.calls(1);
    latencies.push((webhook.calledAt({ tenant, number }) ?? askedAt) - askedAt);
  }
  latencies.sort((left, right) => left - right);
  const percentile = (share: number) => latencies[Math.floor(latencies.length * share)] ?? 0;
  return { p50Ms: percentile(0.5), p99Ms: percentile(0.99) };
}

async function enqueueAll(acceptor: JobAcceptor, jobs: readonly BenchJob[]): Promise<void> {
  const left = jobs.values();
  await Promise.all(
    Array.from({ length: ACCEPT_CALLERS }, async () => {
      for (const job of left) if (!(await acceptor.enqueue(job))) throw new Error('a job was not accepted');
    }),
  );
}

async function run(url: string, statement: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query(statement, [KEPT_JOBS]);
  await client.query('VACUUM ANALYZE');
  await client.end();
}

/** What decides how fast it commits. */
async function describeServer({ url }: ScratchDatabase): Promise<string> {
  const client = new Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query(
    "SELECT current_setting('server_version') AS version, current_setting('fsync') AS fsync, current_setting('synchronous_commit') AS synchronous_commit",
  );
  await client.end();
  return `PostgreSQL ${rows[0]?.version}, fsync ${rows[0]?.fsync}, synchronous_commit ${rows[0]?.synchronous_commit}`;
}
