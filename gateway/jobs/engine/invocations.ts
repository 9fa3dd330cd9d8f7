import type { JobsDatabase } from './database/index.ts';
import type { RunningJob } from './job.ts';
import { uuidV7 } from './uuid-v7.ts';

/** The request to a webhook and its response in one attempt of a job. */
export interface NewInvocation {
  /** Null if the webhook did not respond. */
  readonly status: number | null;
  readonly request: unknown;
  readonly response: unknown;
}

export interface Invocation extends NewInvocation {
  readonly id: string;
  readonly job: string;
  readonly createdAt: Date;
}

/** The filter of a page of invocations or jobs, the newest first. */
export interface PageOf {
  readonly kind: string;
  readonly queue?: string | undefined;
  readonly job?: string | undefined;
  readonly limit: number;
  readonly offset: number;
}

interface InvocationRow {
  readonly id: string;
  readonly job: string;
  readonly status: number | null;
  readonly request: string;
  readonly response: string;
  readonly createdAt: Date;
}

/** The log of webhook calls. Entries are kept for as long as finished jobs. */
export class Invocations {
  readonly #database: JobsDatabase;

  constructor(database: JobsDatabase) {
    this.#database = database;
  }

  /** @throws Error if the entry could not be written. */
  async record({ id, kind, queue }: RunningJob, { status, request, response }: NewInvocation): Promise<void> {
    const values = [
      uuidV7(this.#database.clock.now()),
      id,
      kind,
      queue,
      status,
      JSON.stringify(request),
      JSON.stringify(response),
    ];
    await this.#database.query(
      'INSERT INTO portico_jobs.invocation VALUES ($1, $2, $3, $4, $5, $6, $7, clock_timestamp())',
      values,
    );
  }

  /** @throws Error if the database does not respond. */
  async page({ limit, offset, ...filter }: PageOf): Promise<readonly Invocation[]> {
    const rows = await this.#database.query<InvocationRow>(
      `SELECT id, job, status, request, response, created_at AS "createdAt" FROM portico_jobs.invocation
      WHERE ${MATCHES} ORDER BY created_at DESC, id DESC LIMIT $4 OFFSET $5`,
      [...valuesOf(filter), limit, offset],
    );
    return rows.map((row) => ({ ...row, request: JSON.parse(row.request), response: JSON.parse(row.response) }));
  }

  /** Counts the invocations. @throws Error if the database does not respond. */
  async count(filter: Omit<PageOf, 'limit' | 'offset'>): Promise<number> {
    const [row] = await this.#database.query<{ count: number }>(
      `SELECT count(*)::int AS count FROM portico_jobs.invocation WHERE ${MATCHES}`,
      valuesOf(filter),
    );
    return row?.count ?? 0;
  }
}

const MATCHES = 'kind = $1 AND ($2::text IS NULL OR queue = $2) AND ($3::uuid IS NULL OR job = $3)';

function valuesOf({ kind, queue, job }: Omit<PageOf, 'limit' | 'offset'>): readonly unknown[] {
  return [kind, queue ?? null, job ?? null];
}
