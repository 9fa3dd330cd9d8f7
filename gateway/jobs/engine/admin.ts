import type { JobsDatabase } from './database/index.ts';
import type { JobState, JobSummary, Json } from './job.ts';
import {
  ANY_ID,
  firstBehind,
  type IdOrder,
  type IdRange,
  type JobFilter,
  jobsOf,
  listStatement,
  SUMMARY,
  tablesOf,
} from './job-statements.ts';
import { type QueuePause, readPauses } from './paused-queues.ts';

/** The jobs of a queue in one state. */
export interface QueueStats {
  readonly kind: string;
  readonly queue: string;
  readonly state: JobState;
  /** For dead jobs, `MAX_COUNTED_DEAD` at most: there may be more. */
  readonly count: number;
  /** How long the oldest job has been due, in seconds. For finished and dead jobs: how long ago it was accepted. */
  readonly oldestSeconds: number;
}

/** A job with everything that the database stores of it. */
export interface JobDetails extends JobSummary {
  readonly payload: Json;
  readonly owner: Json;
  readonly output: Json;
  readonly errors: Json;
}

/** The most dead jobs of a queue that are counted, the same as in the SQL function `count_jobs`. */
export const MAX_COUNTED_DEAD = 10_000;

/** The newest jobs that a filter found within its time limit. */
export interface JobPage {
  readonly jobs: readonly JobSummary[];
  /** `after` for the filter of the next page. Undefined on the last page. */
  readonly next: string | undefined;
}

const MAX_LISTED = 1_000;
/** How many jobs one statement scans. It begins with few, since the newest jobs usually match. */
const LOOKED_THROUGH = { first: 2_000, most: 100_000 };
/** How long one page is searched for if few jobs match the filter. */
const PAGE_MS = 5_000;
const MAX_CHANGED = 10_000;
/**
 * The most jobs that one transaction changes. Each order key is a lock, and a server has only some thousands of locks for all.
 */
const MAX_CHANGED_AT_ONCE = 500;

/** Excludes jobs that are scheduled for later, such as one-off events and the times of cron triggers. */
const TRIED = "(state = 'dead' OR attempts > 0)";

/** The operators' view of jobs and their actions on them. */
export class JobsAdmin {
  readonly #database: JobsDatabase;

  constructor(database: JobsDatabase) {
    this.#database = database;
  }

  /**
   * Lists jobs among all that are kept, the newest first, at most `limit` (1,000). This may take long if few jobs match the
   * filter.
   */
  async list(filter: JobFilter, limit = 100): Promise<readonly JobSummary[]> {
    const { jobs } = await this.#walk(filter, {
      limit: Math.min(limit, MAX_LISTED),
      withinMs: Number.POSITIVE_INFINITY,
    });
    return jobs;
  }

  /**
   * Lists jobs, the newest first, at most `limit` (1,000). After `withinMs` milliseconds it returns the jobs that it found so
   * far. Such a page may have fewer jobs or none, and still a `next`.
   */
  async page(filter: JobFilter, limit = 100, withinMs = PAGE_MS): Promise<JobPage> {
    const most = Math.min(limit, MAX_LISTED);
    const { jobs, next } = await this.#walk(filter, { limit: most + 1, withinMs });
    // One more row than the limit shows whether there is another page.
    return jobs.length > most ? { jobs: jobs.slice(0, most), next: jobs[most - 1]?.id } : { jobs, next };
  }

  /** Searches for jobs with a series of statements, each of which scans a limited range. */
  async #walk(filter: JobFilter, { limit, withinMs }: { limit: number; withinMs: number }): Promise<JobPage> {
    const endsAt = performance.now() + withinMs;
    const jobs: JobSummary[] = [];
    for await (const range of this.#rangesOf(filter, 'DESC')) {
      const { text, values } = listStatement(filter, limit - jobs.length, range);
      jobs.push(...(await this.#database.query<JobSummary>(text, values)));
      if (jobs.length >= limit) break;
      if (range.upTo !== undefined && performance.now() >= endsAt) return { jobs, next: range.upTo };
    }
    return { jobs, next: undefined };
  }

  /** Yields consecutive ranges of ids until there are no more. If the filter names ids, one range covers all. */
  async *#rangesOf(filter: JobFilter, order: IdOrder): AsyncGenerator<IdRange> {
    if (tablesOf(filter).length === 0) return;
    let behind = order === 'DESC' ? firstBehind(filter) : undefined;
    const last = order === 'ASC' ? firstBehind(filter) : undefined;
    for (let size = LOOKED_THROUGH.first; ; size = Math.min(size * 10, LOOKED_THROUGH.most)) {
      const upTo = filter.ids ? undefined : await this.#idAfter(filter, order, behind, size);
      yield { order, behind, upTo };
      if (upTo === undefined || (last !== undefined && upTo >= last)) return;
      behind = upTo;
    }
  }

  /**
   * Returns the id of the job `count` places behind another one, in the table that needs the shorter step. Undefined if no
   * table has that many.
   */
  async #idAfter(filter: JobFilter, order: IdOrder, behind: string | undefined, count: number) {
    const condition = behind === undefined ? 'true' : `id ${order === 'DESC' ? '<' : '>'} $2::uuid`;
    const ids = tablesOf(filter).map(
      ({ name }) => `(SELECT id FROM portico_jobs.${name} WHERE ${condition} ORDER BY id ${order} OFFSET $1 LIMIT 1)`,
    );
    const [row] = await this.#database.query<{ id: string | null }>(
      `SELECT ${order === 'DESC' ? 'greatest' : 'least'}(${ids.join()}) AS id`,
      behind === undefined ? [count] : [count, behind],
    );
    return row?.id ?? undefined;
  }

  /**
   * Returns a job with its details. Payload, owner and results are personal data: show them only to a caller who asked for
   * them.
   */
  async show(id: string): Promise<JobDetails | undefined> {
    const { text, values } = jobsOf({ ids: [id] }, ANY_ID, 1);
    const [job] = await this.#database.query<JobDetails>(
      `SELECT ${SUMMARY}, payload, owner, output, errors FROM ${text}`,
      values,
    );
    return job;
  }

  /**
   * Runs dead jobs again with all of their attempts, and starts the next attempt of waiting jobs now. Jobs that are scheduled
   * for later keep their time. Changes at most 10,000 jobs a call.
   */
  retry(filter: JobFilter): Promise<number> {
    return this.#change(filter, ['dead', 'scheduled'], 'SELECT portico_jobs.replay($1) AS changed', TRIED);
  }

  /** Cancels jobs. Running jobs are aborted, but their webhook may have been called already. */
  cancel(filter: JobFilter): Promise<number> {
    return this.#change(
      filter,
      ['scheduled', 'waiting', 'queued', 'running'],
      'SELECT portico_jobs.cancel($1) AS changed',
    );
  }

  /** Deletes dead jobs. They cannot be replayed afterwards. */
  purge(filter: JobFilter): Promise<number> {
    return this.#change(filter, ['dead'], 'SELECT portico_jobs.purge($1) AS changed');
  }

  async #change(filter: JobFilter, possible: readonly JobState[], statement: string, also = 'true'): Promise<number> {
    const states = filter.states?.filter((state) => possible.includes(state)) ?? possible;
    if (states.length === 0) return 0;
    const ids: string[] = [];
    for await (const range of this.#rangesOf({ ...filter, states }, 'ASC')) {
      const { text, values } = jobsOf({ ...filter, states }, range, MAX_CHANGED - ids.length, also);
      const found = await this.#database.query<{ id: string }>(`SELECT id FROM ${text}`, values);
      ids.push(...found.map(({ id }) => id));
      if (ids.length >= MAX_CHANGED) break;
    }
    let changed = 0;
    for (let from = 0; from < ids.length; from += MAX_CHANGED_AT_ONCE) {
      const some = ids.slice(from, from + MAX_CHANGED_AT_ONCE);
      const [row] = await this.#database.query<{ changed: number }>(statement, [some]);
      changed += row?.changed ?? 0;
    }
    return changed;
  }

  /**
   * Counts live and dead jobs by queue and state.
   *
   * @param maxAgeMs the maximum age of the counts. 0 counts now, which takes a while if many jobs wait. Above 0, such as for a
   * page that refreshes itself, one process counts for all, and the others read its last counts. Those are older than
   * `maxAgeMs` where counting would take more than a twentieth of the time.
   */
  stats(maxAgeMs = 0): Promise<readonly QueueStats[]> {
    return this.#database.query<QueueStats>(
      'SELECT kind, queue, state, count, oldest_seconds AS "oldestSeconds" FROM portico_jobs.queue_stats($1)',
      [maxAgeMs],
    );
  }

  /** Lists the queues, and the tenants of queues, that processes have paused. */
  pauses(): Promise<readonly QueuePause[]> {
    return readPauses(this.#database);
  }

  /** Deletes the progress of attempts that are over. Attempts delete their own unless their process is killed. */
  async sweepProgress(): Promise<void> {
    await this.#database.query('SELECT portico_jobs.sweep_progress()');
  }

  /** Returns the percentage that the running attempt of a job has reported last. Null if there is none. */
  async percentOf(id: string): Promise<number | null> {
    const [row] = await this.#database.query<{ percent: number | null }>(
      "SELECT (report ->> 'percent')::float8 AS percent FROM portico_jobs.current_progress($1)",
      [id],
    );
    return row?.percent ?? null;
  }

  /** Creates the partitions of the next days. @throws Error if they cannot be created now. */
  makePartitions(): Promise<void> {
    return this.#database.makePartitions();
  }

  /**
   * Drops the oldest expired partition and returns its name, or undefined if there is none.
   *
   * @throws Error if the partition cannot be dropped now, such as while a query reads it.
   */
  async dropPartition(retentionDays: number, deadRetentionDays: number): Promise<string | undefined> {
    const [row] = await this.#database.query<{ name: string | null }>(
      'SELECT portico_jobs.drop_partition($1, $2) AS name',
      [retentionDays, deadRetentionDays],
    );
    return row?.name ?? undefined;
  }
}
