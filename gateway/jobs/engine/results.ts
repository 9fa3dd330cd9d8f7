import type { JobsDatabase } from './database/index.ts';
import { resultsUnavailable } from './errors.ts';
import type { JobResult, JobState, Json } from './job.ts';
import { CLOCK_SKEW_MS, timeOfUuid } from './uuid-v7.ts';

/** For jobs whose end was not announced, in milliseconds. */
const POLL_MS = 2_000;

/** Which job is asked for, and by whom. */
export interface ResultQuery {
  readonly id: string;
  readonly kind: string;
  readonly queue: string;
  /** The job's owner has to be equal to it; undefined for an admin, who sees all. */
  readonly owner: Readonly<Record<string, string>> | undefined;
}

interface ResultRow {
  readonly id: string;
  readonly queue: string;
  readonly state: JobState;
  readonly accepted_at: Date;
  readonly output: Json;
  readonly errors: Json;
  readonly reason: string | null;
}

/** Results of jobs, and who waits for them. */
export class JobResults {
  readonly #database: JobsDatabase;
  readonly #watchers = new Map<string, Set<() => void>>();
  /** Of those that are watched: whose end is still to come, as far as is known. */
  readonly #unsettled = new Set<string>();
  #timer: NodeJS.Timeout | undefined;

  constructor(database: JobsDatabase) {
    this.#database = database;
  }

  /**
   * A job as far as it is; undefined where there is none, or it is another owner's: that cannot be told apart.
   *
   * @throws GatewayError when the database cannot be asked.
   */
  async result(query: ResultQuery): Promise<JobResult | undefined> {
    const time = timeOfUuid(query.id);
    // Ids of ours have their time in them. It spares looking through the partitions before.
    if (time === undefined) return undefined;
    const { id, kind, queue, owner } = query;
    const values = [
      id,
      kind,
      queue,
      owner === undefined ? null : JSON.stringify(owner),
      new Date(time - CLOCK_SKEW_MS),
    ];
    const rows = await this.#database.query<ResultRow>(RESULT, values).catch((error: unknown) => {
      throw Object.assign(resultsUnavailable(), { cause: error });
    });
    const [row] = rows;
    if (!row) return undefined;
    const { state, accepted_at: acceptedAt, output, errors, reason } = row;
    return { id: row.id, queue: row.queue, state, acceptedAt, output, errors, reason };
  }

  /**
   * Calls `onChange` when the job may have finished, any number of times, until the returned function is called.
   */
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

  /** @param id undefined: any of those that are watched. */
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
      const rows = await this.#database.query<{ id: string }>(
        'SELECT w.id FROM unnest($1::uuid[]) AS w (id) WHERE NOT EXISTS (SELECT FROM portico_jobs.live l WHERE l.id = w.id)',
        [ids],
      );
      for (const { id } of rows) {
        this.#unsettled.delete(id);
        this.settled(id);
      }
    } catch {
      // The next poll asks again; who runs jobs reports a database that is away.
    }
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#watchers.clear();
    this.#unsettled.clear();
  }
}

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
