import { setTimeout as sleep } from 'node:timers/promises';
import { type Logger, type Metric, oneGauge, type Telemetry } from '../../../platform/index.ts';
import { JobAcceptor } from './accept.ts';
import { JobsAdmin } from './admin.ts';
import { JobCounts } from './counts.ts';
import { CronPlanStore } from './cron-plans.ts';
import { JobsDatabase } from './database/index.ts';
import { type JobQuotas, jobsNotAcceptedHere } from './errors.ts';
import { Invocations } from './invocations.ts';
import type { AcceptedJob, JobHandler, JobResult, NewJob } from './job.ts';
import { Maintenance } from './maintenance.ts';
import { jobMetrics, QueueGauges } from './metrics.ts';
import { Notifications } from './notifications.ts';
import { JobResults, type ResultQuery } from './results.ts';
import { JobRunner } from './runner.ts';
import { ScheduledJobs } from './scheduled-jobs.ts';

/** What a process does with jobs: accept and run them, or one of the two. */
export type JobsMode = 'all' | 'accept' | 'run';

export interface JobsOptions {
  readonly url: string;
  readonly mode: JobsMode;
  /** Jobs that this process runs at a time. */
  readonly slots: number;
  /** Of jobs that are limited. Absent: none. */
  readonly quotas?: JobQuotas;
  readonly retentionDays: number;
  readonly deadRetentionDays: number;
  readonly telemetry: Pick<Telemetry, 'tracer'>;
  readonly log: Logger;
  /** How long this process holds jobs without a heartbeat, in milliseconds. */
  readonly leaseMs: number;
}

/** Jobs that outlast the request that asks for them. docs/jobs-engine.md describes how it works. */
export interface Jobs {
  /**
   * Accepts a job. It resolves after the commit: what it returns survives the end of any process.
   *
   * @throws GatewayError with `Retry-After`: `service-unavailable` when it was not committed, or may not have been, and
   * `job-limit-exceeded` when it is limited and over a quota.
   */
  enqueue(job: NewJob): Promise<AcceptedJob>;
  /**
   * Runs jobs of a kind by `handler` from now on; a later call replaces it, such as after a reload of the metadata. Returns
   * what ends it, unless it has been replaced.
   */
  handle(kind: string, handler: JobHandler): () => void;
  /** Begins to run jobs, where the mode has it. Handlers are registered before. */
  start(): void;
  /** The result of a job for its owner; undefined where it is not there or another's. */
  result(query: ResultQuery): Promise<JobResult | undefined>;
  /** Calls `onChange` whenever a job that was accepted as watched may have finished. Returns what ends that. */
  watch(id: string, onChange: () => void): () => void;
  readonly admin: JobsAdmin;
  readonly invocations: Invocations;
  readonly cronPlans: CronPlanStore;
  readonly scheduled: ScheduledJobs;
  metrics(): readonly Metric[];
  /** Begins no more jobs; what runs goes on, and jobs are accepted. */
  drain(): void;
  /** Waits up to `graceMs` for what runs, then gives it to other processes. */
  stop(graceMs: number): Promise<void>;
}

/** Statements of one process at a time: acceptance, claims, outcomes and heartbeats do not wait for each other. */
const POOL_SIZE = 6;

/** How long a database may take to say goodbye, in milliseconds. */
const CLOSE_MS = 2_000;

/** Opens the jobs of a process. The database may be away: it is connected to when it is needed, and again when it is back. */
export function openJobs(options: JobsOptions): Jobs {
  const { mode, log, telemetry } = options;
  const database = new JobsDatabase({ url: options.url, size: POOL_SIZE, log });
  const counts = new JobCounts();
  const handlers = new Map<string, JobHandler>();
  const results = new JobResults(database);
  const admin = new JobsAdmin(database);
  const gauges = new QueueGauges(admin, (kind, queue) => handlers.get(kind)?.isLabel?.(queue) ?? true);
  let isStarted = false;
  let notifications: Notifications | undefined;
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
          isNotified: () => notifications?.areArriving ?? false,
          onSettled: (id) => results.settled(id),
        });
  const wake = () => {
    if (isStarted) runner?.wake();
  };
  const acceptor = new JobAcceptor(database, counts, wake, options.quotas);
  const maintenance = new Maintenance(admin, options);

  return {
    admin,
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
      // A connection that is silent never ends by itself; the process does.
      await Promise.race([
        Promise.all([notifications?.close(), database.close()]),
        sleep(CLOSE_MS, undefined, { ref: false }),
      ]);
    },
  };
}

/** The jobs of a database for an operator's command, which neither accepts nor runs any, and does not migrate the database. */
export function openJobsAdmin({ url, log }: Pick<JobsOptions, 'url' | 'log'>): {
  readonly admin: JobsAdmin;
  close(): Promise<void>;
} {
  const database = new JobsDatabase({ url, size: 1, log, migrates: false });
  return { admin: new JobsAdmin(database), close: () => database.close() };
}
