import type { Invocation, JobDetails, JobSummary, Json, QueuePause, QueueStats } from '../engine/index.ts';

/** Characters of an error's code, which a webhook may have chosen. */
const MAX_ERROR_CODE = 200;

/** A job as operators see it: nothing of its input, its session, its result or the messages of its webhook. */
export interface ShownJob {
  readonly id: string;
  readonly kind: string;
  readonly queue: string;
  /** Empty for jobs of no tenant. */
  readonly tenant: string;
  readonly state: JobSummary['state'];
  readonly attempts: number;
  readonly max_attempts: number;
  readonly accepted_at: string;
  /** When it may run next; null once it is finished. */
  readonly run_at: string | null;
  readonly expires_at: string | null;
  readonly started_at: string | null;
  readonly finished_at: string | null;
  /** Why its last attempt failed, a reason of docs/metrics.md. */
  readonly reason: string | null;
  /** May hold ids of users and of events: for operators only, else null. */
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

/** A job by itself. */
export interface ShownJobDetails extends ShownJob {
  /** The code of the error that its caller gets; null where there is none. */
  readonly error_code: string | null;
  /** Its calls of a webhook, the newest first; actions log none. */
  readonly invocations: readonly ShownInvocation[];
}

export interface ShownInvocation {
  readonly id: string;
  readonly created_at: string;
  /** Null where the webhook did not answer. */
  readonly status: number | null;
}

export function shownJobDetails(
  job: JobDetails,
  invocations: readonly Invocation[],
  toOperator: boolean,
): ShownJobDetails {
  return {
    ...shownJob(job, toOperator),
    error_code: shownErrorCode(job.errors),
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

/** States whose jobs are counted: those that are not finished, and dead ones. */
const COUNTED_STATES = ['queued', 'running', 'scheduled', 'waiting', 'dead'] as const;

/** The jobs of a queue. */
export type ShownQueue = Readonly<Record<(typeof COUNTED_STATES)[number], number>> & {
  readonly kind: string;
  readonly queue: string;
  /** How long the job has been due that has waited longest, in seconds; null where none is queued. */
  readonly oldest_queued_seconds: number | null;
  /** The pauses of the queue or of its tenants: jobs that are not begun for now. */
  readonly pauses: readonly ShownPause[];
};

/** Why and where jobs of a queue are not begun. */
export interface ShownPause {
  /** Null: all tenants. */
  readonly tenant: string | null;
  /** Why the last job that was tried could not be, a reason of docs/metrics.md. */
  readonly reason: string;
  /** Since when jobs have been held back, without one that has run in between. */
  readonly since: string;
  /** When jobs are tried again; in the past while one is. */
  readonly until: string;
  /** Processes that begin none, of those that run jobs. */
  readonly processes: number;
  readonly of_processes: number;
}

/** A queue for each of which there are jobs or pauses, in the order of their kinds and names. */
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
