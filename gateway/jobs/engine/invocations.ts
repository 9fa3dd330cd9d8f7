import type { JobsDatabase } from './database/index.ts';
import type { RunningJob } from './job.ts';
import { uuidV7 } from './uuid-v7.ts';

/** What a webhook was sent and answered in one attempt of a job. */
export interface NewInvocation {
  /** Null where it did not answer. */
  readonly status: number | null;
  readonly request: unknown;
  readonly response: unknown;
}

export interface Invocation extends NewInvocation {
  readonly id: string;
  readonly job: string;
  readonly createdAt: Date;
}

/** Which invocations or jobs are asked for, the newest first. */
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

/** The log of calls of webhooks, which is kept for as long as finished jobs are. */
export class Invocations {
  readonly #database: JobsDatabase;

  constructor(database: JobsDatabase) {
    this.#database = database;
  }

  /** @throws Error when it could not be written. */
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

  /** @throws Error when the database cannot be asked. */
  async page({ limit, offset, ...filter }: PageOf): Promise<readonly Invocation[]> {
    const rows = await this.#database.query<InvocationRow>(
      `SELECT id, job, status, request, response, created_at AS "createdAt" FROM portico_jobs.invocation
      WHERE ${MATCHES} ORDER BY created_at DESC, id DESC LIMIT $4 OFFSET $5`,
      [...valuesOf(filter), limit, offset],
    );
    return rows.map((row) => ({ ...row, request: JSON.parse(row.request), response: JSON.parse(row.response) }));
  }

  /** How many there are. @throws Error when the database cannot be asked. */
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
