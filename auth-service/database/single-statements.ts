/*
 * Statements in PostgreSQL's extended protocol, past Prisma and the driver's own queries. A refresh sends two. Measured over
 * 3,200 refreshes each, in alternating rounds on 2 cores under load, with the database on the same machine:
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

/** The most prepared statements. There are a few dozen; each takes memory in each connection of the server. */
const MAX_STATEMENT_NAMES = 100;

/** A prepared statement is not there (PostgreSQL manual, appendix A). */
const NOT_PREPARED = '26000';

/** The classes of errors with which a server takes its leave. */
const ENDS_CONNECTION = /^(57P|08|58|XX)/;

/** A statement that the database did not carry out. The driver's own errors quote values. */
export class StatementError extends Error {
  /** PostgreSQL's code, or node's where the connection failed. */
  readonly code: string;

  constructor(code: string) {
    super(`the database did not carry a statement out (${code})`);
    this.name = 'StatementError';
    this.code = code;
  }
}

/** @param rowSecurity gives no rows. */
export type RunStatement = (rowSecurity: Statement, statement: Statement) => Promise<readonly Row[]>;

/**
 * Sends single statements over the pool, each as a transaction of its own and in one round trip. They are prepared under
 * names on each connection, so there should be few texts. A pooler may switch the server's connection from one transaction
 * to the next; as soon as a prepared statement is missing, no more statements are prepared.
 */
export function createRunStatement(pool: GuardedPool): RunStatement {
  const names = new Map<string, string>();
  const known = new WeakMap<pg.PoolClient, Set<string>>();
  let isPreparing = true;

  function nameOf(text: string): string | undefined {
    if (!isPreparing) return undefined;
    const name = names.get(text);
    if (name !== undefined || names.size >= MAX_STATEMENT_NAMES) return name;
    // One name is one text, also for another version of this program behind the same pooler.
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
    // Without a listener, the loss of a connection would end the process. The promise of the result rejects instead.
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
        // Nothing of it was done. Another one that was under way may have found out before.
        isPreparing = false;
        return sendStatement(rowSecurity, statement);
      });
    } catch (error) {
      throw error instanceof TypeError ? error : new StatementError(sqlStateOf(error));
    }
  };
}

/** Whether the connection can run further statements: after PostgreSQL's own errors, except those that end it. */
function isUsableAfter(error: unknown): boolean {
  return 'severity' in (error as object) && !ENDS_CONNECTION.test(sqlStateOf(error));
}

/** The SQLSTATE; `connection_failure` (08006) where the driver gives none for a connection that failed or was unavailable. */
function sqlStateOf(error: unknown): string {
  return String((error as { code?: unknown }).code ?? (isDatabaseUnavailable(error) ? '08006' : 'unknown'));
}
