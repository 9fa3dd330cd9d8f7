import { createHash } from 'node:crypto';
import type { Span } from '../../../platform/index.ts';

/**
 * What a job is in: `scheduled` until its time, `waiting` for an earlier job with its order key, `queued`, `running`;
 * then `done`, `failed` (it ran, and its result is an error), `expired`, `cancelled`, or `dead`: given up, and kept for a
 * replay.
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

/** Characters of a tenant's id, which is a part of an index. */
export const MAX_TENANT = 255;

/** A short text for values of any length, for columns of an index such as those of the order key and the idempotency key. */
export function digestOf(values: readonly (string | number | boolean)[]): string {
  return createHash('sha256').update(JSON.stringify(values)).digest('base64url');
}

/** A job to be accepted. */
export interface NewJob {
  /** Which handler runs it, such as `action`. */
  readonly kind: string;
  /** What it is for, within its kind, such as the action's name: limits of concurrency and pauses apply to it. */
  readonly queue: string;
  /** Whose job it is: tenants take turns. Absent for jobs of no tenant. */
  readonly tenant?: string | undefined;
  /** Jobs of a queue with the same key run one after another, in the order in which they were accepted. */
  readonly orderKey?: string | undefined;
  /**
   * Makes accepting it idempotent: a job of this kind and queue that was accepted with the same key within the retention
   * is returned in its place. Absent: each call accepts another job.
   */
  readonly idempotencyKey?: string | undefined;
  /** When it may run, in milliseconds since 1970 by the clock of the database; absent: at once. */
  readonly runAt?: number | undefined;
  /** How long after that it may be begun, in milliseconds; absent: for ever. */
  readonly validForMs?: number | undefined;
  /** How often it is begun at most, 1 or more. */
  readonly maxAttempts: number;
  /** What its handler needs. Kept until the job is finished; a dead job keeps it for its replay. */
  readonly payload: Json;
  /** Whose result it is, for `result`: compared as a whole. Kept with the result. */
  readonly owner?: Readonly<Record<string, string>> | undefined;
  /** Whether an action is refused where its tenant, or the user that `owner` names, has too many jobs already. */
  readonly isLimited?: boolean | undefined;
  /** Whether a caller may wait for its result: its end is announced to all processes. */
  readonly isWatched?: boolean | undefined;
  /** The span that the run's trace continues. */
  readonly span?: Span | undefined;
}

/** What `enqueue` returns once the job is committed. */
export interface AcceptedJob {
  /** A UUID of version 7 (RFC 9562 section 5.7). It is also the idempotency key of every attempt. */
  readonly id: string;
  /** Whether a job with the same idempotency key was there before. */
  readonly isKnown: boolean;
}

/** A job that runs. */
export interface RunningJob {
  /** Stays the same over retries and replays: what receivers recognize duplicates by. */
  readonly id: string;
  readonly kind: string;
  readonly queue: string;
  readonly tenant: string;
  readonly orderKey: string | undefined;
  /** The caller's key where it gave one, else the id. */
  readonly idempotencyKey: string;
  /** Which attempt this is, from 1 on. */
  readonly attempt: number;
  readonly maxAttempts: number;
  readonly payload: Json;
  /** When it was accepted and when this attempt began, by the clock of the database. */
  readonly acceptedAt: Date;
  readonly begunAt: Date;
  readonly expiresAt: Date | undefined;
  /** The span of the run: calls are below it. Undefined while tracing is off. */
  readonly span: Span | undefined;
}

/** How a run ended. Made by the functions below. */
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
      /** What waits with it: the jobs of its queue, those of its tenant in the queue, or no other one. */
      readonly pauses: 'queue' | 'tenant' | 'nothing';
    }
  | { readonly outcome: 'dead'; readonly reason: string; readonly errors: Json }
  | { readonly outcome: 'expired' };

/** It is done; `output` is kept for whom it is for. */
export function done(output: Json = null): JobOutcome {
  return { outcome: 'done', output };
}

/** It ran, and its result is an error that another run would not change, such as a refusal of the webhook. */
export function failed(reason: string, errors: Json = null): JobOutcome {
  return { outcome: 'failed', reason, errors };
}

/**
 * Runs again later, unless it has no attempts left: then it is dead, with `errors`.
 *
 * @param reason a label of metrics: one of few, without values of the job.
 * @param afterMs the receiver's `Retry-After`; the backoff, where that is longer or this is absent.
 */
export function retryLater(
  reason: string,
  { afterMs, errors = null }: { afterMs?: number; errors?: Json } = {},
): JobOutcome {
  return { outcome: 'retry', reason, afterMs, errors };
}

/**
 * Could not be tried, such as with an open circuit breaker: does not count as an attempt, and this process begins no
 * other job of the queue, or of the tenant in the queue, for `afterMs` milliseconds, unless it pauses nothing.
 */
export function postponed(
  reason: string,
  afterMs: number,
  pauses: 'queue' | 'tenant' | 'nothing' = 'queue',
): JobOutcome {
  return { outcome: 'postponed', reason, afterMs, pauses };
}

/** Ended by its process, which stops or lost its lease: runs again at once, elsewhere, and does not count as an attempt. */
export function interrupted(): JobOutcome {
  return postponed('interrupted', 0);
}

/** Not to be tried again. It is kept for a replay. @param reason as for `retry`. */
export function dead(reason: string, errors: Json = null): JobOutcome {
  return { outcome: 'dead', reason, errors };
}

/** Too old to be run, as the handler alone can tell. */
export function expired(): JobOutcome {
  return { outcome: 'expired' };
}

/** Runs the jobs of a kind. */
export interface JobHandler {
  /**
   * Runs a job. Something that it throws is logged, and retried as `unexpected`.
   *
   * @param signal aborted when the job is cancelled, its lease is lost or the process stops: what is decided after that is
   * not taken.
   */
  run(job: RunningJob, signal: AbortSignal): Promise<JobOutcome>;
  /** How many jobs of its queues run at a time, by queue; asked for each claim. Others have no limit. */
  limits?(): ReadonlyMap<string, QueueLimits>;
  /** Whether the name of a queue may be a label of metrics. Without it all may: as many as the metadata names. */
  isLabel?(queue: string): boolean;
}

export interface QueueLimits {
  /** Jobs of the queue that run at a time, over all processes; absent: as many as processes have slots. */
  readonly concurrency?: number | undefined;
  /** How many jobs of one tenant run at a time. */
  readonly tenantConcurrency?: number | undefined;
}

/** The result of a job, for who asked for it. */
export interface JobResult {
  readonly id: string;
  readonly queue: string;
  readonly state: JobState;
  readonly acceptedAt: Date;
  /** Null until it is done. */
  readonly output: Json;
  /** Null unless it failed, expired, was cancelled or is dead. */
  readonly errors: Json;
  /** Why it has failed or is dead, as `retry` and `dead` had it; null otherwise. */
  readonly reason: string | null;
}

/** A job, for operators. It holds no payload, output or owner: those are personal data. */
export interface JobSummary {
  readonly id: string;
  readonly kind: string;
  readonly queue: string;
  readonly tenant: string;
  readonly orderKey: string | null;
  readonly idempotencyKey: string;
  readonly state: JobState;
  readonly attempts: number;
  /** How often it may fail. Without those attempts that some kinds have in spare for processes that end in the middle of one. */
  readonly maxAttempts: number;
  readonly acceptedAt: Date;
  /** When it may run next; null once it is finished. */
  readonly runAt: Date | null;
  readonly expiresAt: Date | null;
  readonly startedAt: Date | null;
  readonly finishedAt: Date | null;
  /** Why the last attempt failed. */
  readonly reason: string | null;
}
