/*
 * Statements in PostgreSQL's extended protocol, which bypass Prisma and the driver's own queries. A refresh sends two.
 * They were measured over 3,200 refreshes each, in alternating rounds on 2 cores under load, with the database on the same
 * machine:
 *
 *   these statements                          0.83 ms of processor time a refresh, 164 refreshes/s
 *   pg: BEGIN, prepared statement, COMMIT     1.22 ms, 101 refreshes/s
 *   Prisma: $transaction with $queryRaw       3.35 ms,  44 refreshes/s
 *
 * A login gains little: hashing is nine tenths of it.
 */
import { createHash } from 'node:crypto';
import type pg from 'pg';
import type { GuardedPool } from './guarded-pool.ts';
import { isDatabaseUnavailable } from './is-unavailable.ts';
import { type PreparedNames, type Row, type Statement, TenantScopedQuery } from './tenant-scoped-query.ts';

/** The most prepared statements. There are a few dozen, and each takes memory in each connection of the server. */
const MAX_STATEMENT_NAMES = 100;

/** invalid_sql_statement_name: the prepared statement does not exist (appendix A of PostgreSQL's manual). */
const NOT_PREPARED = '26000';

/** Classes of errors after which the server closes the connection. */
const ENDS_CONNECTION = /^(57P|08|58|XX)/;

/** A failed statement. It replaces the driver's own errors, which quote values. */
export class StatementError extends Error {
  /** PostgreSQL's code, or Node.js's if the connection failed. */
  readonly code: string;

  constructor(code: string) {
    super(`the database did not carry a statement out (${code})`);
    this.name = 'StatementError';
    this.code = code;
  }
}

/** @param rowSecurity a statement that returns no rows. */
export type RunStatement = (rowSecurity: Statement, statement: Statement) => Promise<readonly Row[]>;

/**
 * Sends single statements over the pool, each as a transaction in one round trip. They are prepared by name on each connection,
 * so there should be few texts. A pooler may switch the server's connection between transactions. Once a prepared statement is
 * missing, no more statements are prepared.
 */
export function createRunStatement(pool: GuardedPool): RunStatement {
  const names = new Map<string, string>();
  const known = new WeakMap<pg.PoolClient, Set<string>>();
  let isPreparing = true;

  function nameOf(text: string): string | undefined {
    if (!isPreparing) return undefined;
    const name = names.get(text);
    if (name !== undefined || names.size >= MAX_STATEMENT_NAMES) return name;
    // A name always means the same text, also for another version of this program behind the same pooler.
    const made = `portico_${createHash('sha256').update(text).digest('base64url')}`;
    names.set(text, made);
    return made;
  }

  function preparedOn(connection: pg.PoolClient): PreparedNames {
    const names = known.get(connection) ?? new Set();
    known.set(connection, names);
    return { nameOf, known: names };
  }

  function queryOn(connection: pg.PoolClient, rowSecurity: Statement, statement: Statement): TenantScopedQuery {
    try {
      return new TenantScopedQuery(rowSecurity, statement, preparedOn(connection));
    } catch (error) {
      connection.release();
      throw error;
    }
  }

  async function sendStatement(rowSecurity: Statement, statement: Statement): Promise<readonly Row[]> {
    const connection = await pool.connect();
    const query = queryOn(connection, rowSecurity, statement);
    // Without a listener, the loss of a connection would end the process. The promise of the result is rejected instead.
    const onLost = (error: Error) => query.handleError(error);
    connection.on('error', onLost);
    try {
      connection.query(query);
      pool.watch(connection, query.result);
      const rows = await query.result;
      connection.release();
      return rows;
    } catch (error) {
      connection.release(!isUsableAfter(error));
      throw error;
    } finally {
      connection.off('error', onLost);
    }
  }

  return async (rowSecurity, statement) => {
    try {
      return await sendStatement(rowSecurity, statement).catch((error) => {
        if (sqlStateOf(error) !== NOT_PREPARED) throw error;
        // The statement had no effect. A concurrent one may have disabled preparing before.
        isPreparing = false;
        return sendStatement(rowSecurity, statement);
      });
    } catch (error) {
      throw error instanceof TypeError ? error : new StatementError(sqlStateOf(error));
    }
  };
}

/**
 * Returns whether the connection can run further statements. It can after PostgreSQL's own errors, except those that end it.
 */
function isUsableAfter(error: unknown): boolean {
  return 'severity' in (error as object) && !ENDS_CONNECTION.test(sqlStateOf(error));
}

/** Returns the SQLSTATE, or `connection_failure` (08006) if the driver gives none for a failed or unavailable connection. */
function sqlStateOf(error: unknown): string {
  return String((error as { code?: unknown }).code ?? (isDatabaseUnavailable(error) ? '08006' : 'unknown'));
}
