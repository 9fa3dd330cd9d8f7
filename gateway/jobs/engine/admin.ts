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

/** Jobs of a queue in a state. */
export interface QueueStats {
  readonly kind: string;
  readonly queue: string;
  readonly state: JobState;
  /** Of dead ones no more than 10,000 are counted: it is `MAX_COUNTED_DEAD` then, and there may be more. */
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

/** The most dead jobs of a queue that are counted, as in the SQL function `count_jobs`. */
export const MAX_COUNTED_DEAD = 10_000;

/** The newest jobs of a filter, as far as they were looked for. */
export interface JobPage {
  readonly jobs: readonly JobSummary[];
  /** What `after` of the filter is for those behind them; undefined where there are none. */
  readonly next: string | undefined;
}

const MAX_LISTED = 1_000;
/** Jobs that one statement looks through: first few, since mostly the first ones are what is looked for. */
const LOOKED_THROUGH = { first: 2_000, most: 100_000 };
/** How long jobs of a filter that fits few of them are looked for, for one page. */
const PAGE_MS = 5_000;
const MAX_CHANGED = 10_000;
/** Of one transaction: each order key is a lock, of which a server has some thousands for all. */
const MAX_CHANGED_AT_ONCE = 500;

/** Not those that are planned for later, such as one-off events and times of cron triggers. */
const TRIED = "(state = 'dead' OR attempts > 0)";

/** What operators do with jobs. */
export class JobsAdmin {
  readonly #database: JobsDatabase;

  constructor(database: JobsDatabase) {
    this.#database = database;
  }

  /** The newest first, `limit` of them at most (1,000), among all that are kept: that may take long where the filter fits few of them. */
  async list(filter: JobFilter, limit = 100): Promise<readonly JobSummary[]> {
    const { jobs } = await this.#walk(filter, {
      limit: Math.min(limit, MAX_LISTED),
      withinMs: Number.POSITIVE_INFINITY,
    });
    return jobs;
  }

  /**
   * The newest first, `limit` of them at most (1,000). After `withinMs` milliseconds it returns what was found so far: there may be
   * fewer, or none, and a `next`.
   */
  async page(filter: JobFilter, limit = 100, withinMs = PAGE_MS): Promise<JobPage> {
    const most = Math.min(limit, MAX_LISTED);
    const { jobs, next } = await this.#walk(filter, { limit: most + 1, withinMs });
    // One more says whether there is another page.
    return jobs.length > most ? { jobs: jobs.slice(0, most), next: jobs[most - 1]?.id } : { jobs, next };
  }

  /** Looks for jobs of a filter with one statement after another, none of which looks through all that is kept. */
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

  /** Ranges of ids, one after another, until there are no more; where ids are named, all. */
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

  /** The id of the job that is `count` jobs behind another one in the table with the most of them; undefined: there are fewer. */
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

  /** Payload, owner and results are personal data: show them only to a caller who asked for them. */
  async show(id: string): Promise<JobDetails | undefined> {
    const { text, values } = jobsOf({ ids: [id] }, ANY_ID, 1);
    const [job] = await this.#database.query<JobDetails>(
      `SELECT ${SUMMARY}, payload, owner, output, errors FROM ${text}`,
      values,
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
   * Live and dead jobs by queue and state.
   *
   * @param maxAgeMs how old the numbers may be. 0: they are counted now, which takes a while where many jobs wait. Above 0, such as
   * for a page that refreshes itself: one process at a time counts for all, the others have its last numbers, which are older than
   * that where counting takes more than a twentieth of the time.
   */
  stats(maxAgeMs = 0): Promise<readonly QueueStats[]> {
    return this.#database.query<QueueStats>(
      'SELECT kind, queue, state, count, oldest_seconds AS "oldestSeconds" FROM portico_jobs.queue_stats($1)',
      [maxAgeMs],
    );
  }

  /** Queues, and tenants of queues, of which processes begin no job for now. */
  pauses(): Promise<readonly QueuePause[]> {
    return readPauses(this.#database);
  }

  /** Makes the partitions of the next days. @throws Error when it could not, for now. */
  makePartitions(): Promise<void> {
    return this.#database.makePartitions();
  }

  /**
   * Drops the oldest partition that is too old, and returns its name; undefined where there is none.
   *
   * @throws Error when it could not for now, such as while something reads it.
   */
  async dropPartition(retentionDays: number, deadRetentionDays: number): Promise<string | undefined> {
    const [row] = await this.#database.query<{ name: string | null }>(
      'SELECT portico_jobs.drop_partition($1, $2) AS name',
      [retentionDays, deadRetentionDays],
    );
    return row?.name ?? undefined;
  }
}
