import type { JobsDatabase } from './database/index.ts';
import { resultsUnavailable } from './errors.ts';
import type { JobResult, JobState, Json } from './job.ts';
import { type ProgressRow, progressOf } from './progress.ts';
import { CLOCK_SKEW_MS, timeOfUuid } from './uuid-v7.ts';

/** The poll interval for jobs whose end was not announced, in milliseconds. */
const POLL_MS = 2_000;

/** The job, and the caller who asks for it. */
export interface ResultQuery {
  readonly id: string;
  readonly kind: string;
  readonly queue: string;
  /** Must equal the job's owner. Undefined for an admin, who sees all jobs. */
  readonly owner: Readonly<Record<string, string>> | undefined;
  /** Whether the progress of a running job is read too. */
  readonly withProgress?: boolean | undefined;
}

interface ResultRow extends Partial<ProgressRow> {
  readonly id: string;
  readonly queue: string;
  readonly state: JobState;
  readonly accepted_at: Date;
  readonly output: Json;
  readonly errors: Json;
  readonly reason: string | null;
}

/** Reads the results of jobs and notifies their watchers. */
export class JobResults {
  readonly #database: JobsDatabase;
  readonly #watchers = new Map<string, Set<() => void>>();
  /** Watched jobs that are not known to have finished. */
  readonly #unsettled = new Set<string>();
  readonly #isNotified: () => boolean;
  #timer: NodeJS.Timeout | undefined;

  /** @param isNotified whether notifications of other processes arrive. */
  constructor(database: JobsDatabase, isNotified: () => boolean = () => true) {
    this.#database = database;
    this.#isNotified = isNotified;
  }

  /**
   * Returns the current state of a job. Undefined if there is no such job, or if another owner has it: callers cannot tell
   * these apart.
   *
   * @throws GatewayError if the database does not respond.
   */
  async result(query: ResultQuery): Promise<JobResult | undefined> {
    const time = timeOfUuid(query.id);
    // Ids of jobs contain their time, so earlier partitions need not be searched.
    if (time === undefined) return undefined;
    const { id, kind, queue, owner } = query;
    const values = [
      id,
      kind,
      queue,
      owner === undefined ? null : JSON.stringify(owner),
      new Date(time - CLOCK_SKEW_MS),
    ];
    const text = query.withProgress ? RESULT_WITH_PROGRESS : RESULT;
    const rows = await this.#database.query<ResultRow>(text, values).catch((error: unknown) => {
      throw Object.assign(resultsUnavailable(), { cause: error });
    });
    const [row] = rows;
    if (!row) return undefined;
    const { state, accepted_at: acceptedAt, output, errors, reason } = row;
    const result = { id: row.id, queue: row.queue, state, acceptedAt, output, errors, reason };
    if (!query.withProgress) return result;
    return { ...result, progress: progressOf({ report: row.report ?? null, reported_at: row.reported_at ?? null }) };
  }

  /** Calls `onChange` each time the job may have finished or may have a new progress, until the returned function is called. */
  watch(id: string, onChange: () => void): () => void {
    const watchers = this.#watchers.get(id) ?? new Set();
    this.#watchers.set(id, watchers.add(onChange));
    this.#unsettled.add(id);
    this.#plan();
    return () => {
      watchers.delete(onChange);
      if (watchers.size > 0 || this.#watchers.get(id) !== watchers) return;
      this.#watchers.delete(id);
      this.#unsettled.delete(id);
    };
  }

  /** @param id undefined for any watched job. */
  settled(id: string | undefined): void {
    for (const watchers of id === undefined ? this.#watchers.values() : [this.#watchers.get(id) ?? []])
      for (const onChange of watchers) onChange();
  }

  #plan(): void {
    if (this.#timer || this.#unsettled.size === 0) return;
    this.#timer = setTimeout(() => {
      void this.#poll().finally(() => {
        this.#timer = undefined;
        this.#plan();
      });
    }, POLL_MS);
    this.#timer.unref();
  }

  async #poll(): Promise<void> {
    const ids = [...this.#unsettled];
    try {
      const rows = await this.#database.query<{ id: string; is_over: boolean }>(
        this.#isNotified() ? OVER : OVER_OR_REPORTED,
        [ids],
      );
      for (const { id, is_over: isOver } of rows) {
        if (isOver) this.#unsettled.delete(id);
        this.settled(id);
      }
    } catch {
      // The next poll tries again. Processes that run jobs report an unavailable database.
    }
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#watchers.clear();
    this.#unsettled.clear();
  }
}

const OVER = `
  SELECT w.id, true AS is_over FROM unnest($1::uuid[]) AS w (id)
  WHERE NOT EXISTS (SELECT FROM portico_jobs.live l WHERE l.id = w.id)`;

/** Also jobs whose progress was reported since the last poll, or shortly before. */
const OVER_OR_REPORTED = `${OVER}
  UNION ALL
  SELECT p.job, false FROM portico_jobs.progress p
  WHERE p.job = ANY ($1) AND p.reported_at > clock_timestamp() - interval '${2 * POLL_MS} milliseconds'`;

const RESULT = `
  SELECT id, queue, state, accepted_at, NULL::jsonb AS output, NULL::jsonb AS errors, NULL::text AS reason
  FROM portico_jobs.live
  WHERE id = $1 AND kind = $2 AND queue = $3 AND ($4::jsonb IS NULL OR owner = $4)
  UNION ALL
  SELECT id, queue, state, accepted_at, output, errors, reason FROM portico_jobs.finished
  WHERE id = $1 AND kind = $2 AND queue = $3 AND ($4::jsonb IS NULL OR owner = $4) AND finished_at >= $5
  UNION ALL
  SELECT id, queue, 'dead', accepted_at, NULL, errors, reason FROM portico_jobs.dead
  WHERE id = $1 AND kind = $2 AND queue = $3 AND ($4::jsonb IS NULL OR owner = $4) AND finished_at >= $5
  LIMIT 1`;

const RESULT_WITH_PROGRESS = `
  SELECT result.*, p.report, p.reported_at FROM (${RESULT}) AS result
  LEFT JOIN portico_jobs.current_progress($1) AS p ON result.state = 'running'`;
