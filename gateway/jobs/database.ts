import pg from 'pg';
import { destroyConnection, type Logger, POOL_CONNECTIONS } from '../../platform/index.ts';
import { migrateJobs } from './migrate.ts';

/** How long a statement may take, in milliseconds; the server cancels it, and a connection that is silent is closed. */
const STATEMENT_TIMEOUT_MS = 15_000;
const ANSWER_ALLOWANCE_MS = 2_000;
const MAKE_PARTITIONS = 'SELECT portico_jobs.maintain(36500, 36500)';

export interface JobsDatabaseOptions {
  /** Such as `postgresql://portico_jobs@db/portico_jobs`. */
  readonly url: string;
  /** Connections at most, beside the one that listens. */
  readonly size: number;
  readonly log: Logger;
}

/** The database of the jobs. It is migrated at the first statement that reaches it. */
export class JobsDatabase {
  readonly url: string;
  readonly #pool: pg.Pool;
  readonly #log: Logger;
  #migrated: Promise<void> | undefined;

  constructor({ url, size, log }: JobsDatabaseOptions) {
    this.url = url;
    this.#log = log;
    this.#pool = new pg.Pool({
      ...POOL_CONNECTIONS,
      connectionString: url,
      max: size,
      application_name: 'portico-jobs',
    });
    // Without listeners, the loss of a connection would end the process; the statement under way is rejected.
    this.#pool.on('error', () => {});
    this.#pool.on('connect', (connection) => {
      connection.on('error', () => {});
      // What was accepted has to survive the server, whatever it is configured to.
      connection.query(`SET statement_timeout = ${STATEMENT_TIMEOUT_MS}; SET synchronous_commit = on`).catch(() => {});
    });
  }

  /**
   * Runs one statement, in a transaction of its own.
   *
   * @throws Error when the database cannot be reached or rejects it.
   */
  async query<Row extends pg.QueryResultRow>(text: string, values: readonly unknown[] = []): Promise<readonly Row[]> {
    await this.migrate();
    return this.#query<Row>(text, values);
  }

  /** @throws Error when it cannot be migrated now; the next call tries again. */
  migrate(): Promise<void> {
    this.#migrated ??= this.#migrate().catch((error: unknown) => {
      this.#migrated = undefined;
      throw error;
    });
    return this.#migrated;
  }

  async #migrate(): Promise<void> {
    const connection = await this.#pool.connect();
    try {
      const applied = await withDeadline(connection, migrateJobs(connection), 4 * STATEMENT_TIMEOUT_MS);
      // After a pause of weeks there is no partition for today. This makes it, and drops nothing.
      await withDeadline(connection, connection.query(MAKE_PARTITIONS), STATEMENT_TIMEOUT_MS + ANSWER_ALLOWANCE_MS);
      connection.release();
      if (applied.length > 0)
        this.#log.info({ event: 'jobs.migrated', migrations: applied }, 'migrated the database of jobs');
    } catch (error) {
      connection.release(true);
      throw error;
    }
  }

  async #query<Row extends pg.QueryResultRow>(text: string, values: readonly unknown[]): Promise<readonly Row[]> {
    const connection = await this.#pool.connect();
    try {
      const answer = connection.query<Row>(text, [...values]);
      const { rows } = await withDeadline(connection, answer, STATEMENT_TIMEOUT_MS + ANSWER_ALLOWANCE_MS);
      connection.release();
      return rows;
    } catch (error) {
      // An error of the server is an answer: the connection is sound. What it says of itself is not a failure of it.
      connection.release(!(error instanceof pg.DatabaseError) || isConnectionLost(error));
      throw error;
    }
  }

  async close(): Promise<void> {
    await this.#pool.end();
  }
}

/** Classes 08 (connection exception) and 57P0x (the server stops) of PostgreSQL's manual, appendix A. */
function isConnectionLost({ code = '' }: pg.DatabaseError): boolean {
  return code.startsWith('08') || code.startsWith('57P0');
}

/**
 * Classes of errors that another try may not meet, whatever the values are: connections (08), transactions, such as on a
 * server that only reads (25), logins (28), names and rights (3D, 3F, 42), conflicts (40), resources (53), states of objects
 * (55), cancelled statements and shutdown (57), the system (58).
 */
const NOT_OF_VALUES = new Set(['08', '25', '28', '3D', '3F', '40', '42', '53', '55', '57', '58']);

/**
 * Whether a statement failed for its values, such as for their size or depth: the same values fail again. All other errors
 * are those of a database that cannot be used for now.
 */
export function isOfValues(error: unknown): boolean {
  if (error instanceof pg.DatabaseError) return !NOT_OF_VALUES.has((error.code ?? '').slice(0, 2));
  // Of the runtime: a text longer than it can be.
  return error instanceof RangeError;
}

/** Destroys a connection that does not answer in time: the driver would wait for ever. */
export async function withDeadline<T>(connection: pg.ClientBase, answer: Promise<T>, deadlineMs: number): Promise<T> {
  const timer = setTimeout(() => destroyConnection(connection), deadlineMs);
  try {
    return await answer;
  } finally {
    clearTimeout(timer);
  }
}
