import type { JobsDatabase } from './database/index.ts';
import type { JobHandler, Json } from './job.ts';

/** A tenant in a queue. Lanes take turns. */
export interface LaneCursor {
  readonly kind: string;
  readonly queue: string;
  readonly tenant: string;
}

export const NO_LANE: LaneCursor = { kind: '', queue: '', tenant: '' };

export interface ClaimedRow {
  readonly id: string;
  readonly kind: string;
  readonly queue: string;
  readonly tenant: string;
  readonly order_key: string | null;
  readonly idempotency_key: string;
  /** Includes this attempt. */
  readonly attempts: number;
  readonly max_attempts: number;
  readonly payload: Json;
  /** Headers of the trace that the run continues. */
  readonly trace: Record<string, string> | null;
  readonly accepted_at: Date;
  readonly expires_at: Date | null;
  readonly is_expired: boolean;
  /** How long the job has been due, in milliseconds. */
  readonly waited_ms: number;
  /** By the database's clock. */
  readonly begun_at: Date;
}

export interface ClaimOptions {
  readonly runner: string;
  readonly slots: number;
  /** The handlers by kind. */
  readonly handlers: ReadonlyMap<string, JobHandler>;
  /** Keys of the paused queues and lanes. */
  readonly paused: readonly string[];
  /** The last lane that was served. */
  readonly cursor: LaneCursor;
}

/** Returns the key of a queue, in the form that the functions of the database use. */
export function queueKey(kind: string, queue: string): string {
  return `${kind}\x01${queue}`;
}

/** Returns the key of a tenant in a queue, in the form that the functions of the database use. */
export function laneKey({ kind, queue, tenant }: LaneCursor): string {
  return `${queueKey(kind, queue)}\x01${tenant}`;
}

/**
 * Claims jobs for free slots, lane by lane from behind the cursor. The function `claim` in `database/schema/functions.sql` chooses
 * the jobs.
 */
export async function claimJobs(
  database: JobsDatabase,
  { runner, slots, handlers, paused, cursor }: ClaimOptions,
): Promise<{ rows: readonly ClaimedRow[]; cursor: LaneCursor }> {
  const limits = Object.fromEntries(
    [...handlers].flatMap(([kind, handler]) =>
      [...(handler.limits?.() ?? [])].map(([queue, limit]) => [queueKey(kind, queue), limit]),
    ),
  );
  const rows = await database.query<ClaimedRow>(
    'SELECT *, clock_timestamp() AS begun_at FROM portico_jobs.claim($1, $2, $3, $4, $5, $6, $7::jsonb, $8::jsonb)',
    [
      runner,
      slots,
      [...handlers.keys()],
      cursor.kind,
      cursor.queue,
      cursor.tenant,
      JSON.stringify(paused),
      JSON.stringify(limits),
    ],
  );
  return { rows, cursor: rows.at(-1) ?? cursor };
}

/** Returns in how many milliseconds the next job is due, or Infinity if no job is scheduled. */
export async function nextDueMs(database: JobsDatabase): Promise<number> {
  const [row] = await database.query<{ ms: number | null }>(
    "SELECT extract(epoch FROM min(run_at) - clock_timestamp())::float8 * 1000 AS ms FROM portico_jobs.live WHERE state = 'scheduled'",
  );
  return row?.ms ?? Number.POSITIVE_INFINITY;
}
