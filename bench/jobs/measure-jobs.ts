import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { repeatFor, type Tally } from '../login/callers.ts';
import { type ScratchDatabase, scratchDatabase } from '../login/scratch-database.ts';
import { type GroupProcess, processUsage } from '../machine/index.ts';
import { median } from '../report/statistics.ts';
import type { BenchDependencies } from '../targets/index.ts';
import { type BenchWebhook, openBenchWebhook } from './bench-webhook.ts';
import { peerQueues } from './peer-queues.ts';
import { porticoQueue } from './portico-queue.ts';
import type { BenchJob, JobAcceptor, QueueSystem } from './queue-system.ts';

const ACCEPT_CALLERS = 50;
const ACCEPT_ROUNDS = 3;
/** For a system that polls, as many jobs as the time allows. */
const IDLE_JOBS = 300;
const IDLE_SECONDS = 60;
/** The delay between jobs of an idle system. It is random, so that a poll is not always met at the same moment. */
const IDLE_PAUSE_MS = { least: 20, more: 60 };
const KEPT_JOBS = 1_000_000;
const FLOOD_JOBS = 10_000;
const FEW_JOBS = 10;

/** The time from the request for a job to the call of its webhook, in milliseconds. */
export interface StartLatency {
  readonly p50Ms: number;
  readonly p99Ms: number;
}

export interface JobsFigures {
  readonly title: string;
  readonly version: string | undefined;
  readonly accepted: Tally;
  readonly runPerSecond: number;
  /** Processor time of the accepting and of the running process, without the database's. */
  readonly acceptCpuUs: number;
  readonly runCpuUs: number;
  readonly idle: StartLatency;
  /** With a million finished jobs. Undefined if the system keeps none. */
  readonly withKept: StartLatency | undefined;
  /** How long the jobs of a tenant waited that came while another tenant had 10,000 waiting jobs. */
  readonly besideFlood: { readonly p50Ms: number; readonly maxMs: number };
}

/** A system with its own database. */
interface QueueUnderTest {
  readonly system: QueueSystem;
  readonly database: ScratchDatabase;
  readonly webhook: BenchWebhook;
  readonly acceptor: JobAcceptor;
  startRunner(): Promise<GroupProcess>;
}

/** @returns undefined without `DATABASE_URL`. */
export async function measureQueues(
  seconds: number,
  dependencies: BenchDependencies,
): Promise<{ readonly figures: readonly JobsFigures[]; readonly server: string } | undefined> {
  const queues: QueueUnderTest[] = [];
  for (const system of [porticoQueue, ...peerQueues]) {
    const database = await scratchDatabase(system.name.replaceAll('-', '_'));
    if (!database) return undefined;
    dependencies.group.afterwards(database.drop);
    const webhook = await openBenchWebhook();
    dependencies.group.afterwards(webhook.close);
    queues.push({
      system,
      database,
      webhook,
      acceptor: await system.startAcceptor(database.url, webhook.url, dependencies),
      startRunner: () => system.startRunner(database.url, webhook.url, dependencies),
    });
  }
  const { say } = dependencies;
  const accepted = await measureAccepted(queues, seconds);
  say(`jobs  accepted/s: ${accepted.map(({ tally }) => Math.round(tally.perSecond)).join(', ')}`);
  const runs: RunFigures[] = [];
  for (const [index, queue] of queues.entries()) runs.push(await measureRun(queue, accepted[index]?.jobs ?? 0));
  say(`jobs  run/s: ${runs.map(({ perSecond }) => Math.round(perSecond)).join(', ')}`);
  const idle = await measureIdle(queues, 'idle');
  say(`jobs  idle: ${idle.map(latencyText).join(', ')}`);
  for (const { database, system } of queues) if (system.keepFinished) await fill(database, system.keepFinished);
  const withKept = await measureIdle(queues, 'kept');
  say(`jobs  with a million finished jobs: ${withKept.map(latencyText).join(', ')}`);
  const floods: JobsFigures['besideFlood'][] = [];
  for (const [index, queue] of queues.entries()) {
    await runs[index]?.runner.stop();
    floods.push(await measureBesideFlood(queue));
    await queue.acceptor.stop();
  }
  say(`jobs  behind 10,000 of another tenant: ${floods.map(({ maxMs }) => Math.round(maxMs)).join(', ')} ms`);
  const [first] = queues;
  const figures = queues.map(({ system }, index) => ({
    title: system.title,
    version: system.version(),
    accepted: accepted[index]?.tally as Tally,
    acceptCpuUs: accepted[index]?.cpuUs ?? 0,
    runPerSecond: runs[index]?.perSecond ?? 0,
    runCpuUs: runs[index]?.cpuUs ?? 0,
    idle: idle[index] as StartLatency,
    withKept: system.keepFinished === undefined ? undefined : withKept[index],
    besideFlood: floods[index] as JobsFigures['besideFlood'],
  }));
  return { figures, server: first ? await describeServer(first.database) : '' };
}

interface AcceptedFigures {
  readonly tally: Tally;
  readonly cpuUs: number;
  /** The number of all accepted jobs. */
  readonly jobs: number;
}

/** The systems take turns, so that other load on the machine affects all of them alike. No jobs run meanwhile. */
async function measureAccepted(queues: readonly QueueUnderTest[], seconds: number): Promise<AcceptedFigures[]> {
  const jobs = queues.map(() => 0);
  const rounds: Tally[][] = queues.map(() => []);
  const acceptFor = (index: number, time: number) =>
    repeatFor(ACCEPT_CALLERS, time, async () => {
      const number = jobs[index] ?? 0;
      jobs[index] = number + 1;
      if (await queues[index]?.acceptor.enqueue({ tenant: 'one', number })) return true;
      throw new Error(`${queues[index]?.system.name} refused a job`);
    });
  for (const index of queues.keys()) await acceptFor(index, 1);
  const warmUp = jobs.slice();
  const cpuBefore = queues.map(({ acceptor }) => cpuMsOf(acceptor.process));
  for (let round = 0; round < ACCEPT_ROUNDS; round++)
    for (const index of queues.keys()) rounds[index]?.push(await acceptFor(index, seconds));
  return queues.map(({ acceptor }, index) => {
    const ofQueue = (rounds[index] ?? []).toSorted((left, right) => left.perSecond - right.perSecond);
    const all = jobs[index] ?? 0;
    return {
      tally: ofQueue[Math.floor(ofQueue.length / 2)] as Tally,
      cpuUs: ((cpuMsOf(acceptor.process) - (cpuBefore[index] ?? 0)) * 1000) / (all - (warmUp[index] ?? 0)),
      jobs: all,
    };
  });
}

interface RunFigures {
  readonly perSecond: number;
  readonly cpuUs: number;
  /** Continues to run after the measurement. */
  readonly runner: GroupProcess;
}

async function measureRun({ webhook, startRunner }: QueueUnderTest, jobs: number): Promise<RunFigures> {
  const runner = await startRunner();
  await webhook.calls(1);
  const [beganAt, cpuBefore] = [performance.now(), cpuMsOf(runner)];
  await webhook.calls(jobs);
  return {
    perSecond: jobs / ((performance.now() - beganAt) / 1000),
    cpuUs: ((cpuMsOf(runner) - cpuBefore) * 1000) / jobs,
    runner,
  };
}

/** Runs one job at a time, each after the previous one has run. The systems take turns. */
async function measureIdle(queues: readonly QueueUnderTest[], tenant: string): Promise<StartLatency[]> {
  const latencies: number[][] = queues.map(() => []);
  const endAt = performance.now() + IDLE_SECONDS * 1000;
  for (let number = 0; number < IDLE_JOBS && performance.now() < endAt; number++)
    for (const [index, { webhook, acceptor }] of queues.entries()) {
      await sleep(IDLE_PAUSE_MS.least + Math.random() * IDLE_PAUSE_MS.more);
      webhook.forget();
      const askedAt = performance.now();
      await acceptor.enqueue({ tenant, number });
      await webhook.calls(1);
      latencies[index]?.push((webhook.calledAt({ tenant, number }) ?? askedAt) - askedAt);
    }
  return latencies.map((ofQueue) => {
    ofQueue.sort((left, right) => left - right);
    const percentile = (share: number) => ofQueue[Math.floor(ofQueue.length * share)] ?? 0;
    return { p50Ms: percentile(0.5), p99Ms: percentile(0.99) };
  });
}

async function measureBesideFlood({
  acceptor,
  webhook,
  startRunner,
}: QueueUnderTest): Promise<JobsFigures['besideFlood']> {
  webhook.forget();
  await enqueueAll(
    acceptor,
    Array.from({ length: FLOOD_JOBS }, (_, number) => ({ tenant: 'flood', number })),
  );
  const runner = await startRunner();
  await webhook.calls(1);
  const few = Array.from({ length: FEW_JOBS }, (_, number) => ({ tenant: 'few', number }));
  const askedAt = performance.now();
  await enqueueAll(acceptor, few);
  await webhook.calls(FLOOD_JOBS + FEW_JOBS);
  await runner.stop();
  const waits = few.map((job) => (webhook.calledAt(job) ?? askedAt) - askedAt);
  return { p50Ms: median(waits), maxMs: Math.max(...waits) };
}

function cpuMsOf({ pid }: Pick<GroupProcess, 'pid'>): number {
  return processUsage(pid)?.cpuMs ?? 0;
}

function latencyText({ p50Ms, p99Ms }: StartLatency): string {
  return `${p50Ms.toFixed(1)} and ${p99Ms.toFixed(1)} ms`;
}

async function enqueueAll(acceptor: JobAcceptor, jobs: readonly BenchJob[]): Promise<void> {
  const left = jobs.values();
  await Promise.all(
    Array.from({ length: ACCEPT_CALLERS }, async () => {
      for (const job of left) if (!(await acceptor.enqueue(job))) throw new Error('a job was not accepted');
    }),
  );
}

async function fill({ url }: ScratchDatabase, statement: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query(statement, [KEPT_JOBS]);
  await client.query('VACUUM ANALYZE');
  await client.end();
}

/** Describes the server settings that determine the speed of commits. */
async function describeServer({ url }: ScratchDatabase): Promise<string> {
  const client = new Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query(
    "SELECT current_setting('server_version') AS version, current_setting('fsync') AS fsync, current_setting('synchronous_commit') AS synchronous_commit",
  );
  await client.end();
  return `PostgreSQL ${rows[0]?.version}, fsync ${rows[0]?.fsync}, synchronous_commit ${rows[0]?.synchronous_commit}`;
}
