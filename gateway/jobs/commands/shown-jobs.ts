import type { Invocation, JobDetails, JobSummary, Json, QueuePause, QueueStats } from '../engine/index.ts';

/** The most characters of an error code, which a webhook may have chosen. */
const MAX_ERROR_CODE = 200;

/** A job as operators see it. It contains nothing of the input, the session, the result or the messages of the webhook. */
export interface ShownJob {
  readonly id: string;
  readonly kind: string;
  readonly queue: string;
  /** Empty for jobs without a tenant. */
  readonly tenant: string;
  readonly state: JobSummary['state'];
  readonly attempts: number;
  readonly max_attempts: number;
  readonly accepted_at: string;
  /** The earliest time of the next run. Null once the job is finished. */
  readonly run_at: string | null;
  readonly expires_at: string | null;
  readonly started_at: string | null;
  readonly finished_at: string | null;
  /** Why the last attempt failed: a reason of docs/metrics.md. */
  readonly reason: string | null;
  /** Only for operators, since the key may contain ids of users and of events. Null for others. */
  readonly order_key: string | null;
  readonly idempotency_key: string | null;
}

export function shownJob(job: JobSummary, toOperator: boolean): ShownJob {
  return {
    id: job.id,
    kind: job.kind,
    queue: job.queue,
    tenant: job.tenant,
    state: job.state,
    attempts: job.attempts,
    max_attempts: job.maxAttempts,
    accepted_at: job.acceptedAt.toISOString(),
    run_at: isoTimeOrNull(job.runAt),
    expires_at: isoTimeOrNull(job.expiresAt),
    started_at: isoTimeOrNull(job.startedAt),
    finished_at: isoTimeOrNull(job.finishedAt),
    reason: job.reason,
    order_key: toOperator ? job.orderKey : null,
    idempotency_key: toOperator ? job.idempotencyKey : null,
  };
}

/** A single job with its details. */
export interface ShownJobDetails extends ShownJob {
  /** The error code that the job's caller gets. Null if there is none. */
  readonly error_code: string | null;
  /** What the running attempt has reported of its progress, from 0 to 100. Null if it has not. */
  readonly percent: number | null;
  /** The webhook calls of the job, the newest first. Actions log none. */
  readonly invocations: readonly ShownInvocation[];
}

export interface ShownInvocation {
  readonly id: string;
  readonly created_at: string;
  /** Null if the webhook did not respond. */
  readonly status: number | null;
}

export function shownJobDetails(
  job: JobDetails,
  invocations: readonly Invocation[],
  percent: number | null,
  toOperator: boolean,
): ShownJobDetails {
  return {
    ...shownJob(job, toOperator),
    error_code: shownErrorCode(job.errors),
    percent,
    invocations: invocations.map(({ id, createdAt, status }) => ({ id, created_at: createdAt.toISOString(), status })),
  };
}

function shownErrorCode(errors: Json): string | null {
  if (typeof errors !== 'object' || errors === null || !('code' in errors)) return null;
  return typeof errors.code === 'string' ? errors.code.slice(0, MAX_ERROR_CODE) : null;
}

function isoTimeOrNull(time: Date | null): string | null {
  return time?.toISOString() ?? null;
}

/** The states whose jobs are counted: all that are not finished, and `dead`. */
const COUNTED_STATES = ['queued', 'running', 'scheduled', 'waiting', 'dead'] as const;

/** A queue with the numbers of its jobs. */
export type ShownQueue = Readonly<Record<(typeof COUNTED_STATES)[number], number>> & {
  readonly kind: string;
  readonly queue: string;
  /** The seconds for which the longest-waiting job has been due. Null if no job is queued. */
  readonly oldest_queued_seconds: number | null;
  /** The pauses of the queue or of its tenants. While paused, their jobs do not start. */
  readonly pauses: readonly ShownPause[];
};

/** Why and where jobs of a queue do not start. */
export interface ShownPause {
  /** Null for all tenants. */
  readonly tenant: string | null;
  /** Why the last job could not be attempted: a reason of docs/metrics.md. */
  readonly reason: string;
  /** When the pause began. Since then no job has run. */
  readonly since: string;
  /** When the next job is attempted. In the past while an attempt is running. */
  readonly until: string;
  /** How many of the processes that run jobs have paused it. */
  readonly processes: number;
  readonly of_processes: number;
}

/** Lists each queue that has jobs or pauses, in the order of kind and name. */
export function shownQueues(stats: readonly QueueStats[], pauses: readonly QueuePause[]): readonly ShownQueue[] {
  const queues = new Map<string, ShownQueue>();
  const change = (kind: string, queue: string, changed: (known: ShownQueue) => Partial<ShownQueue>) => {
    const key = JSON.stringify([kind, queue]);
    const known = queues.get(key) ?? emptyQueue(kind, queue);
    queues.set(key, { ...known, ...changed(known) });
  };
  for (const { kind, queue, state, count, oldestSeconds } of stats)
    change(kind, queue, () => ({
      ...(state === 'queued' && { oldest_queued_seconds: oldestSeconds }),
      [state]: count,
    }));
  for (const pause of pauses)
    change(pause.kind, pause.queue, (known) => ({ pauses: [...known.pauses, shownPause(pause)] }));
  return [...queues.values()].sort(
    (one, other) => compareNames(one.kind, other.kind) || compareNames(one.queue, other.queue),
  );
}

function shownPause({ tenant, reason, since, until, processes, ofProcesses }: QueuePause): ShownPause {
  return {
    tenant,
    reason,
    since: since.toISOString(),
    until: until.toISOString(),
    processes,
    of_processes: ofProcesses,
  };
}

export function emptyQueue(kind: string, queue: string): ShownQueue {
  return { kind, queue, ...NO_JOB_COUNTS, oldest_queued_seconds: null, pauses: [] };
}

const NO_JOB_COUNTS = { queued: 0, running: 0, scheduled: 0, waiting: 0, dead: 0 };

function compareNames(one: string, other: string): number {
  return one < other ? -1 : Number(one > other);
}
