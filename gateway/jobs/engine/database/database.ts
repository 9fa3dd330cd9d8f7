import pg from 'pg';
import { destroyConnection, type Logger, POOL_CONNECTIONS } from '../../../../platform/index.ts';
import { DatabaseClock } from './clock.ts';
import { isConnectionLost, JobsDatabaseUnusable, unusableDatabase } from './errors.ts';
import { limitedQuery } from './limited-query.ts';
import { DAYS_AHEAD, migrateJobs, requireMigrated } from './migrate.ts';

/**
 * How long a statement may take, in milliseconds. The server cancels a longer statement. If the server stays silent, the
 * connection is closed.
 */
const STATEMENT_TIMEOUT_MS = 15_000;
const ANSWER_ALLOWANCE_MS = 2_000;
const MAKE_PARTITIONS =
  'SELECT portico_jobs.make_partitions($1), extract(epoch FROM clock_timestamp())::float8 * 1000 AS now_ms';

export interface JobsDatabaseOptions {
  /** A URL such as `postgresql://portico_jobs@db/portico_jobs`. */
  readonly url: string;
  /** The most connections, not counting the one that listens. */
  readonly size: number;
  readonly log: Logger;
  /** Whether to migrate the schema (default). If false, a missing or older schema is an error. */
  readonly migrates?: boolean | undefined;
}

/** The database of the jobs. The first statement that reaches the database migrates its schema or checks it. */
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
    // Without listeners, a lost connection would end the process. The running statement is rejected either way.
    this.#pool.on('error', () => {});
    this.#pool.on('connect', (connection) => {
      connection.on('error', () => {});
    });
  }

  /**
   * Runs one statement in its own transaction.
   *
   * @throws Error if the database is unreachable or rejects the statement.
   */
  async query<Row extends pg.QueryResultRow>(text: string, values: readonly unknown[] = []): Promise<readonly Row[]> {
    await this.migrate();
    return this.#query<Row>(text, values);
  }

  /** @throws Error if the schema cannot be migrated now. The next call tries again. */
  migrate(): Promise<void> {
    this.#migrated ??= (this.#migrates ? this.#migrate() : this.#check()).catch((thrown: unknown) => {
      this.#migrated = undefined;
      const error = unusableDatabase(thrown, this.url);
      this.#report(error);
      throw error;
    });
    return this.#migrated;
  }

  /** A problem that an operator has to solve is logged once, until the problem changes. */
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
      // After weeks without a gateway there is no partition for today. Maintenance creates those of later days while jobs run.
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
      // After an error from the server the connection is sound, unless the error reports a lost connection.
      connection.release(!(error instanceof pg.DatabaseError) || isConnectionLost(error));
      throw error;
    }
  }

  /** Creates the partitions of the next days. @throws Error if they cannot be created now. */
  async makePartitions(): Promise<void> {
    const rows = await this.query<{ now_ms: number }>(MAKE_PARTITIONS, [DAYS_AHEAD]);
    for (const { now_ms: nowMs } of rows) this.clock.set(nowMs);
  }

  async close(): Promise<void> {
    await this.#pool.end();
  }
}

/** Destroys a connection that does not respond in time. The driver itself would wait indefinitely. */
export async function withDeadline<T>(connection: pg.ClientBase, answer: Promise<T>, deadlineMs: number): Promise<T> {
  const timer = setTimeout(() => destroyConnection(connection), deadlineMs);
  try {
    return await answer;
  } finally {
    clearTimeout(timer);
  }
}
