import type { JobsDatabase } from './database/index.ts';
import type { JobState, JobSummary } from './job.ts';
import { jobColumns, SUMMARY } from './job-statements.ts';

/** A job of a schedule, with what its `owner` has of it. */
export interface ScheduledJob {
  readonly id: string;
  readonly queue: string;
  readonly idempotencyKey: string;
  readonly state: JobState;
  /** How often its webhook has been called, or is being called. */
  readonly attempts: number;
  readonly acceptedAt: Date;
  /** When it may run next; null once it is finished. */
  readonly runAt: Date | null;
  readonly owner: Readonly<Record<string, string>> | null;
}

/** Which of them. */
export interface ScheduledJobFilter {
  /** One for which the index `finished_scheduled` is made. */
  readonly kind: 'cron' | 'scheduled-event';
  readonly queue?: string | undefined;
  readonly states: readonly JobState[];
}

/** Lists of jobs that the clock runs. */
export class ScheduledJobs {
  readonly #database: JobsDatabase;

  constructor(database: JobsDatabase) {
    this.#database = database;
  }

  /** The newest first. @throws Error when the database cannot be asked. */
  page(filter: ScheduledJobFilter, limit: number, offset: number): Promise<readonly ScheduledJob[]> {
    return this.#database.query<ScheduledJob>(
      `SELECT id, queue, idempotency_key AS "idempotencyKey", state, ${CALLS} AS attempts, accepted_at AS "acceptedAt",
        run_at AS "runAt", owner
      FROM ${scheduledJobs(filter)} ORDER BY accepted_at DESC, id DESC LIMIT $3 OFFSET $4`,
      [filter.queue ?? null, filter.states, limit, offset],
    );
  }

  /** @throws Error when the database cannot be asked. */
  async count(filter: ScheduledJobFilter): Promise<number> {
    const [row] = await this.#database.query<{ count: number }>(
      `SELECT count(*)::int AS count FROM ${scheduledJobs(filter)}`,
      [filter.queue ?? null, filter.states],
    );
    return row?.count ?? 0;
  }

  /**
   * Of each cron trigger the last of its times that has come, by its name. What is planned for later is none of them.
   *
   * @throws Error when the database cannot be asked.
   */
  async lastTimes(triggers: readonly string[]): Promise<ReadonlyMap<string, JobSummary>> {
    const jobs = await this.#database.query<JobSummary>(LAST_TIMES, [triggers]);
    return new Map(jobs.map((job) => [job.queue, job]));
  }

  /** One-off events that have not ended, the soonest first. @throws Error when the database cannot be asked. */
  pendingEvents(limit: number): Promise<readonly JobSummary[]> {
    return this.#database.query<JobSummary>(PENDING_EVENTS, [limit]);
  }
}

/** A job is found to have expired when it is taken to be run, which counts as an attempt: only its calls are in the log. */
const CALLS = `CASE WHEN state = 'expired' THEN
  (SELECT count(*)::int FROM portico_jobs.invocation AS call WHERE call.kind = job.kind AND call.job = job.id)
  ELSE attempts END`;

const NEWEST_FIRST = 'ORDER BY accepted_at DESC, idempotency_key DESC LIMIT 1';

/** What is planned for later has not been begun: one that was, and that waits for another try, has a reason. */
const HAS_COME = "(state <> 'scheduled' OR reason IS NOT NULL OR run_at <= clock_timestamp())";

/** The key of a job is its time. */
const LAST_TIMES = `
  SELECT job.* FROM unnest($1::text[]) AS trigger (name) CROSS JOIN LATERAL (
    SELECT ${SUMMARY} FROM (${lastOf('live', HAS_COME)} UNION ALL
      ${lastOf('finished')} UNION ALL ${lastOf('dead')}) AS of_tables ${NEWEST_FIRST}) AS job`;

function lastOf(table: 'live' | 'finished' | 'dead', condition = 'true'): string {
  return `(SELECT ${jobColumns(table)} FROM portico_jobs.${table}
    WHERE kind = 'cron' AND queue = trigger.name AND ${condition} ${NEWEST_FIRST})`;
}

const PENDING_EVENTS = `
  SELECT ${SUMMARY} FROM (SELECT ${jobColumns('live')} FROM portico_jobs.live
    WHERE kind = 'scheduled-event' ORDER BY run_at, id LIMIT $1) AS event ORDER BY run_at, id`;

/** The kind is written out, since the index is for these kinds alone. */
function scheduledJobs({ kind }: ScheduledJobFilter): string {
  const columns = 'id, kind, queue, idempotency_key, attempts, accepted_at, owner';
  const condition = `kind = '${kind}' AND ($1::text IS NULL OR queue = $1)`;
  return `(
    SELECT ${columns}, state, run_at FROM portico_jobs.live WHERE ${condition} AND state = ANY ($2)
    UNION ALL
    SELECT ${columns}, state, NULL FROM portico_jobs.finished WHERE ${condition} AND state = ANY ($2)
    UNION ALL
    SELECT ${columns}, 'dead', NULL FROM portico_jobs.dead WHERE ${condition} AND 'dead' = ANY ($2)
  ) AS job`;
}
