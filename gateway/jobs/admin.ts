import type { JobsDatabase } from './database.ts';
import type { JobState, JobSummary, Json } from './job.ts';

/** Jobs of an administrator's interest; all of the given conditions hold. */
export interface JobFilter {
  readonly ids?: readonly string[] | undefined;
  readonly states?: readonly JobState[] | undefined;
  readonly kind?: string | undefined;
  readonly queue?: string | undefined;
  readonly tenant?: string | undefined;
  /** Accepted before this. */
  readonly before?: Date | undefined;
}

/** Jobs of a queue in a state. */
export interface QueueStats {
  readonly kind: string;
  readonly queue: string;
  readonly state: JobState;
  readonly count: number;
  /** How long the oldest one has been due, in seconds; of finished and dead ones, since it was accepted. */
  readonly oldestSeconds: number;
}

/** A job with all that the database has of it. */
export interface JobDetails extends JobSummary {
  readonly payload: Json;
  readonly owner: Json;
  readonly output: Json;
  readonly errors: Json;
}

const MAX_LISTED = 1_000;
const MAX_CHANGED = 10_000;

const SUMMARY = `id, kind, queue, tenant, order_key AS "orderKey", idempotency_key AS "idempotencyKey", state, attempts,
  max_attempts AS "maxAttempts", accepted_at AS "acceptedAt", run_at AS "runAt", expires_at AS "expiresAt",
  started_at AS "startedAt", finished_at AS "finishedAt", reason`;

const ALL = `(
  SELECT id, kind, queue, tenant, order_key, idempotency_key, state, attempts, max_attempts, accepted_at, run_at, expires_at,
    started_at, NULL::timestamptz AS finished_at, reason, payload, owner, NULL::jsonb AS output, NULL::jsonb AS errors
  FROM portico_jobs.live
  UNION ALL
  SELECT id, kind, queue, tenant, order_key, idempotency_key, state, attempts, max_attempts, accepted_at, NULL, NULL,
    started_at, finished_at, reason, NULL, owner, output, errors
  FROM portico_jobs.finished
  UNION ALL
  SELECT id, kind, queue, tenant, order_key, idempotency_key, 'dead', attempts, max_attempts, accepted_at, NULL, NULL,
    started_at, finished_at, reason, payload, owner, NULL, errors
  FROM portico_jobs.dead
) AS job`;

/** Not those that are planned for later, such as one-off events and times of cron triggers. */
const TRIED = "(state = 'dead' OR attempts > 0)";

/** What operators do with jobs. */
export class JobsAdmin {
  readonly #database: JobsDatabase;

  constructor(database: JobsDatabase) {
    this.#database = database;
  }

  /** The newest first, `limit` of them at most (1,000). */
  list(filter: JobFilter, limit = 100): Promise<readonly JobSummary[]> {
    const { condition, values } = conditionOf(filter);
    return this.#database.query<JobSummary>(
      `SELECT ${SUMMARY} FROM ${ALL} WHERE ${condition} ORDER BY accepted_at DESC, id DESC LIMIT ${Math.min(limit, MAX_LISTED)}`,
      values,
    );
  }

  /** Payload, owner and results are personal data: show them only to a caller who asked for them. */
  async show(id: string): Promise<JobDetails | undefined> {
    const [job] = await this.#database.query<JobDetails>(
      `SELECT ${SUMMARY}, payload, owner, output, errors FROM ${ALL} WHERE id = $1`,
      [id],
    );
    return job;
  }

  /**
   * Runs dead jobs again, with all their attempts, and those that wait for another attempt now; what is planned for later
   * keeps its time. 10,000 at a time.
   */
  retry(filter: JobFilter): Promise<number> {
    return this.#change(filter, ['dead', 'scheduled'], 'SELECT portico_jobs.replay($1) AS changed', TRIED);
  }

  /** Jobs that run are aborted; their webhook may have been called. */
  cancel(filter: JobFilter): Promise<number> {
    return this.#change(
      filter,
      ['scheduled', 'waiting', 'queued', 'running'],
      'SELECT portico_jobs.cancel($1) AS changed',
    );
  }

  /** Deletes dead jobs: they cannot be replayed any more. */
  purge(filter: JobFilter): Promise<number> {
    return this.#change(
      filter,
      ['dead'],
      'WITH gone AS (DELETE FROM portico_jobs.dead WHERE id = ANY ($1) RETURNING id) SELECT count(*)::int AS changed FROM gone',
    );
  }

  async #change(filter: JobFilter, possible: readonly JobState[], statement: string, also = 'true'): Promise<number> {
    const states = filter.states?.filter((state) => possible.includes(state)) ?? possible;
    const { condition, values } = conditionOf({ ...filter, states });
    const found = await this.#database.query<{ id: string }>(
      `SELECT id FROM ${ALL} WHERE ${condition} AND ${also} ORDER BY accepted_at LIMIT ${MAX_CHANGED}`,
      values,
    );
    if (found.length === 0) return 0;
    const [row] = await this.#database.query<{ changed: number }>(statement, [found.map(({ id }) => id)]);
    return row?.changed ?? 0;
  }

  /** Live and dead jobs by queue and state. */
  stats(): Promise<readonly QueueStats[]> {
    return this.#database.query<QueueStats>(`
      SELECT kind, queue, state, count(*)::int AS count,
        greatest(0, extract(epoch FROM clock_timestamp() - min(greatest(run_at, accepted_at)))::float8) AS "oldestSeconds"
      FROM portico_jobs.live GROUP BY kind, queue, state
      UNION ALL
      SELECT kind, queue, 'dead', count(*)::int, extract(epoch FROM clock_timestamp() - min(accepted_at))::float8
      FROM portico_jobs.dead GROUP BY kind, queue
      ORDER BY 1, 2, 3`);
  }

  /** Makes the partitions of the next days and drops those that are too old. Returns the names of the dropped ones. */
  async maintain(retentionDays: number, deadRetentionDays: number): Promise<readonly string[]> {
    const rows = await this.#database.query<{ name: string }>('SELECT portico_jobs.maintain($1, $2) AS name', [
      retentionDays,
      deadRetentionDays,
    ]);
    return rows.map(({ name }) => name);
  }
}

function conditionOf({ ids, states, kind, queue, tenant, before }: JobFilter): {
  condition: string;
  values: readonly unknown[];
} {
  const values: unknown[] = [];
  const conditions = ['true'];
  const add = (text: (parameter: string) => string, value: unknown) => {
    if (value === undefined) return;
    values.push(value);
    conditions.push(text(`$${values.length}`));
  };
  add((parameter) => `id = ANY (${parameter}::uuid[])`, ids);
  add((parameter) => `state = ANY (${parameter}::text[])`, states);
  add((parameter) => `kind = ${parameter}`, kind);
  add((parameter) => `queue = ${parameter}`, queue);
  add((parameter) => `tenant = ${parameter}`, tenant);
  add((parameter) => `accepted_at < ${parameter}`, before);
  return { condition: conditions.join(' AND '), values };
}
