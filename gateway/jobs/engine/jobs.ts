import { setTimeout as sleep } from 'node:timers/promises';
import { type Logger, type Metric, oneGauge, type Telemetry } from '../../../platform/index.ts';
import { JobAcceptor } from './accept.ts';
import { JobsAdmin } from './admin.ts';
import { JobCounts } from './counts.ts';
import { CronPlanStore } from './cron-plans.ts';
import { JobsDatabase } from './database/index.ts';
import { type JobQuotas, jobsNotAcceptedHere } from './errors.ts';
import { Invocations } from './invocations.ts';
import type { AcceptedJob, CheckedOutput, JobHandler, JobResult, Json, NewJob } from './job.ts';
import { Maintenance } from './maintenance.ts';
import { jobMetrics, QueueGauges } from './metrics.ts';
import { Notifications } from './notifications.ts';
import { ProgressStore } from './progress.ts';
import { JobResults, type ResultQuery } from './results.ts';
import { JobRunner } from './runner.ts';
import { ScheduledJobs } from './scheduled-jobs.ts';

/** Whether a process accepts jobs, runs them, or does both. */
export type JobsMode = 'all' | 'accept' | 'run';

export interface JobsOptions {
  readonly url: string;
  readonly mode: JobsMode;
  /** How many jobs this process runs at a time. */
  readonly slots: number;
  /** The quotas of limited jobs. Absent: none. */
  readonly quotas?: JobQuotas;
  readonly retentionDays: number;
  readonly deadRetentionDays: number;
  readonly telemetry: Pick<Telemetry, 'tracer'>;
  readonly log: Logger;
  /** How long this process keeps its jobs without a heartbeat, in milliseconds. */
  readonly leaseMs: number;
}

/** Jobs that outlast the request that creates them. docs/jobs-engine.md describes how it works. */
export interface Jobs {
  /**
   * Accepts a job. Resolves after the commit, so an accepted job survives the end of any process.
   *
   * @throws GatewayError with `Retry-After`: `service-unavailable` if the job was not committed or may not have been,
   * `job-limit-exceeded` if it is limited and exceeds a quota.
   */
  enqueue(job: NewJob): Promise<AcceptedJob>;
  /**
   * Registers the handler of a kind. A later call replaces it, such as after a reload of the metadata. Returns a function that
   * removes the handler unless it has been replaced.
   */
  handle(kind: string, handler: JobHandler): () => void;
  /** Starts to run jobs if the mode allows it. Register handlers before. */
  start(): void;
  /** Returns the result of a job for its owner, or undefined if the job does not exist or belongs to someone else. */
  result(query: ResultQuery): Promise<JobResult | undefined>;
  /** Calls `onChange` whenever a watched job may have finished or may have a new progress. Returns a function that stops this. */
  watch(id: string, onChange: () => void): () => void;
  /** The progress that handlers report while their jobs run. */
  readonly progress: ProgressStore;
  /** Checks a partial output with the handler of its kind, see `JobHandler`. */
  checkOutput(kind: string, queue: string, output: Json): CheckedOutput | undefined;
  readonly admin: JobsAdmin;
  readonly invocations: Invocations;
  readonly cronPlans: CronPlanStore;
  readonly scheduled: ScheduledJobs;
  metrics(): readonly Metric[];
  /** Starts no more jobs. Running jobs continue, and new jobs are accepted. */
  drain(): void;
  /** Waits up to `graceMs` for running jobs, then gives the rest to other processes. */
  stop(graceMs: number): Promise<void>;
}

/** Connections of one process: acceptance, claims, outcomes and heartbeats do not wait for each other. */
const POOL_SIZE = 6;

/** How long closing the connections may take, in milliseconds. */
const CLOSE_MS = 2_000;

/**
 * Opens the jobs of a process. The database may be unavailable: the process connects when it needs the database, and reconnects
 * when it is back.
 */
export function openJobs(options: JobsOptions): Jobs {
  const { mode, log, telemetry } = options;
  const database = new JobsDatabase({ url: options.url, size: POOL_SIZE, log });
  const counts = new JobCounts();
  const handlers = new Map<string, JobHandler>();
  let notifications: Notifications | undefined;
  const isNotified = () => notifications?.areArriving ?? false;
  const results = new JobResults(database, isNotified);
  const admin = new JobsAdmin(database);
  const gauges = new QueueGauges(admin, (kind, queue) => handlers.get(kind)?.isLabel?.(queue) ?? true);
  let isStarted = false;
  const runner =
    mode === 'accept'
      ? undefined
      : new JobRunner(handlers, {
          database,
          counts,
          telemetry,
          log,
          slots: options.slots,
          leaseMs: options.leaseMs,
          isNotified,
          onSettled: (id) => results.settled(id),
        });
  const wake = () => {
    if (isStarted) runner?.wake();
  };
  const acceptor = new JobAcceptor(database, counts, wake, options.quotas);
  const maintenance = new Maintenance(admin, options);

  return {
    admin,
    progress: new ProgressStore(database, (job) => results.settled(job)),
    checkOutput: (kind, queue, output) => handlers.get(kind)?.checkOutput?.(queue, output),
    invocations: new Invocations(database),
    cronPlans: new CronPlanStore(database),
    scheduled: new ScheduledJobs(database),
    enqueue: async (job) => {
      if (mode === 'run') throw jobsNotAcceptedHere();
      return acceptor.accept(job);
    },
    handle: (kind, handler) => {
      handlers.set(kind, handler);
      wake();
      return () => {
        if (handlers.get(kind) === handler) handlers.delete(kind);
      };
    },
    start: () => {
      isStarted = true;
      notifications = new Notifications(database, {
        onJobs: () => {
          wake();
          runner?.checkCancelled();
        },
        onSettled: (id) => results.settled(id),
      });
      maintenance.start();
      wake();
    },
    result: (query) => results.result(query),
    watch: (id, onChange) => results.watch(id, onChange),
    metrics: () => [
      ...jobMetrics(counts),
      oneGauge('portico_jobs_running', 'Jobs that this process runs now.', runner?.running ?? 0),
      ...gauges.metrics(),
    ],
    drain: () => runner?.drain(),
    stop: async (graceMs) => {
      isStarted = false;
      maintenance.stop();
      await runner?.stop(graceMs);
      results.close();
      // Closing a silent connection may never finish, so the wait has a limit.
      await Promise.race([
        Promise.all([notifications?.close(), database.close()]),
        sleep(CLOSE_MS, undefined, { ref: false }),
      ]);
    },
  };
}

/**
 * Opens the jobs of a database for an operator's command, which neither accepts nor runs jobs and does not migrate the
 * database.
 */
export function openJobsAdmin({ url, log }: Pick<JobsOptions, 'url' | 'log'>): {
  readonly admin: JobsAdmin;
  close(): Promise<void>;
} {
  const database = new JobsDatabase({ url, size: 1, log, migrates: false });
  return { admin: new JobsAdmin(database), close: () => database.close() };
}
