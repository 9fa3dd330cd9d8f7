import { createHash } from 'node:crypto';
import type { Span } from '../../../platform/index.ts';

/**
 * The states of a job. `scheduled` until its time, `waiting` for an earlier job with the same order key, `queued`, `running`.
 * Then `done`, `failed` (it ran and returned an error), `expired`, `cancelled`, or `dead` (given up, and kept for a replay).
 */
export const JOB_STATES = [
  'scheduled',
  'waiting',
  'queued',
  'running',
  'done',
  'failed',
  'expired',
  'cancelled',
  'dead',
] as const;

export type JobState = (typeof JOB_STATES)[number];

/** Any JSON value. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** The most characters of a tenant's id, which is part of an index. */
export const MAX_TENANT = 255;

/**
 * Returns a short digest for values of any length. It is used in indexed columns such as the order key and the idempotency key.
 */
export function digestOf(values: readonly (string | number | boolean)[]): string {
  return createHash('sha256').update(JSON.stringify(values)).digest('base64url');
}

/** A job to enqueue. */
export interface NewJob {
  /** The kind, which selects the handler, such as `action`. */
  readonly kind: string;
  /** The queue within the kind, such as the name of an action. Limits of concurrency and pauses apply to a queue. */
  readonly queue: string;
  /** The tenant of the job. Tenants take turns. Absent for jobs without a tenant. */
  readonly tenant?: string | undefined;
  /** Jobs of a queue with the same key run one after another, in the order of acceptance. */
  readonly orderKey?: string | undefined;
  /**
   * Makes enqueueing idempotent. If a job of this kind and queue was accepted with the same key within the retention, that job
   * is returned instead. Without a key, each call creates a job.
   */
  readonly idempotencyKey?: string | undefined;
  /** The earliest start, in milliseconds since 1970 by the database's clock. Absent: immediately. */
  readonly runAt?: number | undefined;
  /** How long after `runAt` the job may start, in milliseconds. Absent: without limit. */
  readonly validForMs?: number | undefined;
  /** The most attempts, 1 or more. */
  readonly maxAttempts: number;
  /** The input of the handler. It is kept until the job is finished. A dead job keeps it for a replay. */
  readonly payload: Json;
  /** The owner of the result. `result` compares it as a whole. It is kept with the result. */
  readonly owner?: Readonly<Record<string, string>> | undefined;
  /** Whether quotas apply. If so, the job is refused if its tenant, or the user in `owner`, has too many unfinished jobs. */
  readonly isLimited?: boolean | undefined;
  /** Whether a caller may wait for the result. The end of such a job is announced to all processes. */
  readonly isWatched?: boolean | undefined;
  /** The span that the trace of the run continues. */
  readonly span?: Span | undefined;
}

/** The result of `enqueue` once the job is committed. */
export interface AcceptedJob {
  /** A UUID of version 7 (RFC 9562 section 5.7). It is the idempotency key of every attempt unless the job has its own. */
  readonly id: string;
  /** Whether a job with the same idempotency key existed already. */
  readonly isKnown: boolean;
}

/** A running job. */
export interface RunningJob {
  /** Stays the same over retries and replays, so that receivers can recognize duplicates. */
  readonly id: string;
  readonly kind: string;
  readonly queue: string;
  readonly tenant: string;
  readonly orderKey: string | undefined;
  /** The key that the job was enqueued with, otherwise its id. */
  readonly idempotencyKey: string;
  /** The number of this attempt, from 1 on. */
  readonly attempt: number;
  readonly maxAttempts: number;
  readonly payload: Json;
  /** The time of acceptance by the database's clock. */
  readonly acceptedAt: Date;
  readonly begunAt: Date;
  readonly expiresAt: Date | undefined;
  /** The span of the run, the parent of its calls. Undefined while tracing is off. */
  readonly span: Span | undefined;
}

/** The outcome of a run. The functions below create it. */
export type JobOutcome =
  | { readonly outcome: 'done'; readonly output: Json }
  | { readonly outcome: 'failed'; readonly errors: Json; readonly reason: string }
  | {
      readonly outcome: 'retry';
      readonly reason: string;
      readonly afterMs: number | undefined;
      readonly errors: Json;
    }
  | {
      readonly outcome: 'postponed';
      readonly reason: string;
      readonly afterMs: number;
      /** Which jobs the outcome pauses: those of the queue, those of the tenant in the queue, or none. */
      readonly pauses: 'queue' | 'tenant' | 'nothing';
    }
  | { readonly outcome: 'dead'; readonly reason: string; readonly errors: Json }
  | { readonly outcome: 'expired' };

/** Ends the job. `output` is kept for its owner. */
export function done(output: Json = null): JobOutcome {
  return { outcome: 'done', output };
}

/** Ends the job with an error that another run would not change, such as a refusal by the webhook. */
export function failed(reason: string, errors: Json = null): JobOutcome {
  return { outcome: 'failed', reason, errors };
}

/**
 * Schedules another attempt. If no attempts are left, the job becomes dead, with `errors`.
 *
 * @param reason a label of metrics: one of a few, without values of the job.
 * @param afterMs the receiver's `Retry-After`. If absent or shorter than the backoff, the backoff applies.
 */
export function retryLater(
  reason: string,
  { afterMs, errors = null }: { afterMs?: number; errors?: Json } = {},
): JobOutcome {
  return { outcome: 'retry', reason, afterMs, errors };
}

/**
 * Postpones a job that could not be attempted, such as with an open circuit breaker. This does not count as an attempt. For
 * `afterMs` milliseconds, this process starts no other job of the queue, or of the tenant in the queue, unless `pauses` is
 * `nothing`.
 */
export function postponed(
  reason: string,
  afterMs: number,
  pauses: 'queue' | 'tenant' | 'nothing' = 'queue',
): JobOutcome {
  return { outcome: 'postponed', reason, afterMs, pauses };
}

/**
 * Gives back a job whose process stops or lost its lease. The job runs again immediately, in another process. This does not
 * count as an attempt.
 */
export function interrupted(): JobOutcome {
  return postponed('interrupted', 0);
}

/** Gives up a job and keeps it for a replay. @param reason as for `retryLater`. */
export function dead(reason: string, errors: Json = null): JobOutcome {
  return { outcome: 'dead', reason, errors };
}

/** Ends a job as too old to run. Only the handler can decide this. */
export function expired(): JobOutcome {
  return { outcome: 'expired' };
}

/** Runs the jobs of a kind. */
export interface JobHandler {
  /**
   * Runs a job. If it throws, the error is logged and the job is retried as `unexpected`.
   *
   * @param signal aborted if the job is cancelled, its lease is lost or the process stops. The outcome of an aborted run is
   * ignored.
   */
  run(job: RunningJob, signal: AbortSignal): Promise<JobOutcome>;
  /** Returns the limits of its queues by name. Called for each claim. Other queues have no limit. */
  limits?(): ReadonlyMap<string, QueueLimits>;
  /** Returns whether the name of a queue may be a label of metrics. Without this function every name may. */
  isLabel?(queue: string): boolean;
  /**
   * Checks a partial output that the handler of a running job reports.
   *
   * @returns the part of it that is kept, or the problem. Undefined if this process does not know the queue, or if jobs of the
   * queue report no progress.
   */
  checkOutput?(queue: string, output: Json): CheckedOutput | undefined;
}

export type CheckedOutput = { readonly output: Json } | { readonly problem: string };

/** The last report of an attempt that runs. */
export interface JobProgress {
  /** From 0 to 100. */
  readonly percent: number | null;
  readonly message: string | null;
  /** The partial output. */
  readonly output: Json;
  /** By the database's clock. */
  readonly reportedAt: Date;
}

export interface QueueLimits {
  /** How many jobs of the queue run at a time, over all processes. Absent: as many as the processes have slots. */
  readonly concurrency?: number | undefined;
  /** How many jobs of one tenant run at a time. */
  readonly tenantConcurrency?: number | undefined;
}

/** The result of a job for its owner. */
export interface JobResult {
  readonly id: string;
  readonly queue: string;
  readonly state: JobState;
  readonly acceptedAt: Date;
  /** Null until the job is done. */
  readonly output: Json;
  /** Null unless the job failed, expired, was cancelled or is dead. */
  readonly errors: Json;
  /** Why the job failed or is dead: the `reason` of its outcome. Null otherwise. */
  readonly reason: string | null;
  /** Set if it was asked for: null before the first report and after the attempt. */
  readonly progress?: JobProgress | null;
}

/** A job as operators see it. It contains no payload, output or owner, since those are personal data. */
export interface JobSummary {
  readonly id: string;
  readonly kind: string;
  readonly queue: string;
  readonly tenant: string;
  readonly orderKey: string | null;
  readonly idempotencyKey: string;
  readonly state: JobState;
  readonly attempts: number;
  /** How often the job may fail. Does not include the spare attempts of some kinds. */
  readonly maxAttempts: number;
  readonly acceptedAt: Date;
  /** The earliest time of the next run. Null once the job is finished. */
  readonly runAt: Date | null;
  readonly expiresAt: Date | null;
  readonly startedAt: Date | null;
  readonly finishedAt: Date | null;
  /** Why the last attempt failed. */
  readonly reason: string | null;
}
