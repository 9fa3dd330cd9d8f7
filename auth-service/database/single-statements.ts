import { createHash } from 'node:crypto';
import type pg from 'pg';
import type { GuardedPool } from './guarded-pool.ts';
import { isDatabaseAway } from './is-away.ts';
import { type PreparedNames, type Row, type Statement, StatementInSight } from './statement-in-sight.ts';

/** How many texts get a name. There are a few dozen; each takes memory in each connection of the server. */
const MAX_NAMES = 100;

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

/** @param sight gives no rows. */
export type SendStatement = (sight: Statement, statement: Statement) => Promise<readonly Row[]>;

/**
 * Sends single statements over the pool, each as a transaction of its own and in one round trip. They are prepared under
 * names on each connection, so their texts should be few. A pooler between us and the database may change the connection
 * behind ours from one transaction to the next; as soon as a prepared statement is missing, none is relied on any more.
 */
export function createSendStatement(pool: GuardedPool): SendStatement {
  const names = new Map<string, string>();
  const known = new WeakMap<pg.PoolClient, Set<string>>();
  let isPreparing = true;

  function nameOf(text: string): string | undefined {
    if (!isPreparing) return undefined;
    const name = names.get(text);
    if (name !== undefined || names.size >= MAX_NAMES) return name;
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

  function queryOn(connection: pg.PoolClient, sight: Statement, statement: Statement): StatementInSight {
    try {
      return new StatementInSight(sight, statement, preparedOn(connection));
    } catch (error) {
      connection.release();
      throw error;
    }
  }

  async function send(sight: Statement, statement: Statement): Promise<readonly Row[]> {
    const connection = await pool.connect();
    const query = queryOn(connection, sight, statement);
    // Without a listener, the loss of a connection would end the process. Whoever waits for the result hears of it.
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

  return async (sight, statement) => {
    try {
      return await send(sight, statement).catch((error) => {
        if (codeOf(error) !== NOT_PREPARED) throw error;
        // Nothing of it was done. Another one that was under way may have found out before.
        isPreparing = false;
        return send(sight, statement);
      });
    } catch (error) {
      throw error instanceof TypeError ? error : new StatementError(codeOf(error));
    }
  };
}

/** After most of PostgreSQL's errors; after any other it is not known what comes. */
function isUsableAfter(error: unknown): boolean {
  return 'severity' in (error as object) && !ENDS_CONNECTION.test(codeOf(error));
}

/** Where the driver gives no code for a connection that failed or was not to be had: connection_failure. */
function codeOf(error: unknown): string {
  return String((error as { code?: unknown }).code ?? (isDatabaseAway(error) ? '08006' : 'unknown'));
}
