import pg from 'pg';
import { destroyConnection, type Logger, POOL_CONNECTIONS } from '../../../../platform/index.ts';
import { DatabaseClock } from './clock.ts';
import { isConnectionLost, JobsDatabaseUnusable, unusableDatabase } from './errors.ts';
import { limitedQuery } from './limited-query.ts';
import { migrateJobs, requireMigrated } from './migrate.ts';

/** How long a statement may take, in milliseconds; the server cancels it, and a connection that is silent is closed. */
const STATEMENT_TIMEOUT_MS = 15_000;
const ANSWER_ALLOWANCE_MS = 2_000;
/** Days for which there are partitions already, so that making one may fail for that long. */
const DAYS_AHEAD = 7;
const MAKE_PARTITIONS =
  'SELECT portico_jobs.make_partitions($1), extract(epoch FROM clock_timestamp())::float8 * 1000 AS now_ms';

export interface JobsDatabaseOptions {
  /** Such as `postgresql://portico_jobs@db/portico_jobs`. */
  readonly url: string;
  /** Connections at most, beside the one that listens. */
  readonly size: number;
  readonly log: Logger;
  /** Whether its schema is migrated, as by default; if not, one that is missing or older is an error. */
  readonly migrates?: boolean | undefined;
}

/** The database of the jobs. It is migrated, or its schema is checked, at the first statement that reaches it. */
export class JobsDatabase {
  readonly url: string;
  /** Set once a statement has reached the database. */
  readonly clock = new DatabaseClock();
  readonly #pool: pg.Pool;
  readonly #log: Logger;
  readonly #migrates: boolean;
  #migrated: Promise<void> | undefined;
  #reported: string | undefined;

  constructor({ url, size, log, migrates = true }: JobsDatabaseOptions) {
    this.url = url;
    this.#log = log;
    this.#migrates = migrates;
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
    this.#migrated ??= (this.#migrates ? this.#migrate() : this.#check()).catch((thrown: unknown) => {
      this.#migrated = undefined;
      const error = unusableDatabase(thrown, this.url);
      this.#report(error);
      throw error;
    });
    return this.#migrated;
  }

  /** What an operator has to change is said once, and again when it is something else. */
  #report(error: unknown): void {
    if (!(error instanceof JobsDatabaseUnusable) || error.code === this.#reported) return;
    this.#reported = error.code;
    const { code, message: reason } = error;
    this.#log.error({ event: 'jobs.database_unusable', code, reason }, 'the database for jobs cannot be used');
  }

  async #migrate(): Promise<void> {
    const connection = await this.#pool.connect();
    try {
      const { applied, version, known } = await withDeadline(
        connection,
        migrateJobs(connection),
        4 * STATEMENT_TIMEOUT_MS,
      );
      // After a pause of weeks there is no partition for today. Those of later days are made beside the jobs.
      const made = connection.query<{ now_ms: number }>(MAKE_PARTITIONS, [1]);
      const { rows } = await withDeadline(connection, made, STATEMENT_TIMEOUT_MS + ANSWER_ALLOWANCE_MS);
      for (const { now_ms: nowMs } of rows) this.clock.set(nowMs);
      connection.release();
      if (applied.length > 0)
        this.#log.info({ event: 'jobs.migrated', migrations: applied }, 'migrated the database for jobs');
      if (version > known)
        this.#log.info(
          { event: 'jobs.schema_newer', version, known },
          'a newer version has migrated the database for jobs; this version is compatible with it',
        );
    } catch (error) {
      connection.release(true);
      throw error;
    }
  }

  async #check(): Promise<void> {
    const connection = await this.#pool.connect();
    try {
      await withDeadline(connection, requireMigrated(connection), STATEMENT_TIMEOUT_MS);
      connection.release();
    } catch (error) {
      connection.release(true);
      throw error;
    }
  }

  async #query<Row extends pg.QueryResultRow>(text: string, values: readonly unknown[]): Promise<readonly Row[]> {
    const connection = await this.#pool.connect();
    try {
      const answer = limitedQuery<Row>(connection, text, values, STATEMENT_TIMEOUT_MS);
      const rows = await withDeadline(connection, answer, STATEMENT_TIMEOUT_MS + ANSWER_ALLOWANCE_MS);
      connection.release();
      return rows;
    } catch (error) {
      // An error of the server is an answer: the connection is sound. What it says of itself is not a failure of it.
      connection.release(!(error instanceof pg.DatabaseError) || isConnectionLost(error));
      throw error;
    }
  }

  /** Makes the partitions of the next days. @throws Error when it could not, for now. */
  async makePartitions(): Promise<void> {
    const rows = await this.query<{ now_ms: number }>(MAKE_PARTITIONS, [DAYS_AHEAD]);
    for (const { now_ms: nowMs } of rows) this.clock.set(nowMs);
  }

  async close(): Promise<void> {
    await this.#pool.end();
  }
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
