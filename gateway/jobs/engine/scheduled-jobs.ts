import type { JobsDatabase } from './database/index.ts';
import type { JobState, JobSummary } from './job.ts';
import { jobColumns, SUMMARY } from './job-statements.ts';

/** A job of a schedule, with its `owner`. */
export interface ScheduledJob {
  readonly id: string;
  readonly queue: string;
  readonly idempotencyKey: string;
  readonly state: JobState;
  /** How often its webhook was called, including a call that is running. */
  readonly attempts: number;
  readonly acceptedAt: Date;
  /** The earliest time of the next run. Null once the job is finished. */
  readonly runAt: Date | null;
  readonly owner: Readonly<Record<string, string>> | null;
}

/** A filter of scheduled jobs. */
export interface ScheduledJobFilter {
  /** A kind that the index `finished_scheduled` covers. */
  readonly kind: 'cron' | 'scheduled-event';
  readonly queue?: string | undefined;
  readonly states: readonly JobState[];
}

/** Lists the jobs of schedules. */
export class ScheduledJobs {
  readonly #database: JobsDatabase;

  constructor(database: JobsDatabase) {
    this.#database = database;
  }

  /** Lists jobs, the newest first. @throws Error if the database does not respond. */
  page(filter: ScheduledJobFilter, limit: number, offset: number): Promise<readonly ScheduledJob[]> {
    return this.#database.query<ScheduledJob>(
      `SELECT id, queue, idempotency_key AS "idempotencyKey", state, ${CALLS} AS attempts, accepted_at AS "acceptedAt",
        run_at AS "runAt", owner
      FROM ${scheduledJobs(filter)} ORDER BY accepted_at DESC, id DESC LIMIT $3 OFFSET $4`,
      [filter.queue ?? null, filter.states, limit, offset],
    );
  }

  /** @throws Error if the database does not respond. */
  async count(filter: ScheduledJobFilter): Promise<number> {
    const [row] = await this.#database.query<{ count: number }>(
      `SELECT count(*)::int AS count FROM ${scheduledJobs(filter)}`,
      [filter.queue ?? null, filter.states],
    );
    return row?.count ?? 0;
  }

  /**
   * Returns the last time that has come of each cron trigger, by name. Jobs that are scheduled for later do not count.
   *
   * @throws Error if the database does not respond.
   */
  async lastTimes(triggers: readonly string[]): Promise<ReadonlyMap<string, JobSummary>> {
    const jobs = await this.#database.query<JobSummary>(LAST_TIMES, [triggers]);
    return new Map(jobs.map((job) => [job.queue, job]));
  }

  /** Lists the one-off events that have not ended, the soonest first. @throws Error if the database does not respond. */
  pendingEvents(limit: number): Promise<readonly JobSummary[]> {
    return this.#database.query<JobSummary>(PENDING_EVENTS, [limit]);
  }
}

/** A job expires when it is claimed, which counts as an attempt. For expired jobs, the log has the real number of calls. */
const CALLS = `CASE WHEN state = 'expired' THEN
  (SELECT count(*)::int FROM portico_jobs.invocation AS call WHERE call.kind = job.kind AND call.job = job.id)
  ELSE attempts END`;

const NEWEST_FIRST = 'ORDER BY accepted_at DESC, idempotency_key DESC LIMIT 1';

/** Excludes jobs that are scheduled for later. A job that waits for another attempt has a reason. */
const HAS_COME = "(state <> 'scheduled' OR reason IS NOT NULL OR run_at <= clock_timestamp())";

/** The idempotency key of a job is its scheduled time. */
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

/** The kind is written as a literal, since the index covers only these kinds. */
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
