import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';

/** For how long a script may stand in the queue for a table's lock. Everybody who comes after it waits as long. */
const LOCK_TIMEOUT_MS = 2_000;
/** In between, whoever stood behind it gets on. */
const RETRY_MS = 1_000;
const ATTEMPTS = 60;

const LOCK_NOT_AVAILABLE = '55P03';

/**
 * Runs a migration's script beside those who use the database.
 *
 * A script is one message and so one transaction: all of it happens, or nothing. While somebody's long transaction holds
 * a table, it gives up its place in the queue now and then, for three minutes in all, because everybody else stands behind
 * it. An index that is built CONCURRENTLY must be a script of its own; it waits for as long as it takes, which nobody
 * notices. What an attempt before this one has left of it is taken away first.
 *
 * @throws pg.DatabaseError
 */
export async function runScript(pool: pg.Pool, script: string): Promise<void> {
  const concurrently = /\bCONCURRENTLY\b/.test(script);
  const client = await pool.connect();
  // A connection that is lost reports here too, and an unheard 'error' event ends the process.
  client.on('error', () => {});
  try {
    await client.query(`SET lock_timeout = ${concurrently ? 0 : LOCK_TIMEOUT_MS}`);
    if (concurrently) await dropUnfinished(client, script);
    for (let attempt = 1; ; attempt += 1) {
      try {
        await client.query(script);
        return;
      } catch (error) {
        if ((error as { code?: unknown }).code !== LOCK_NOT_AVAILABLE || attempt === ATTEMPTS) throw error;
        await sleep(RETRY_MS);
      }
    }
  } finally {
    // The embedded database has one session for all, so the setting does not go with the connection.
    await client.query('RESET lock_timeout').catch(() => {});
    client.release(true);
  }
}

async function dropUnfinished(client: pg.PoolClient, script: string): Promise<void> {
  const { rows } = await client.query(`
    SELECT relname AS name, oid::regclass::text AS index FROM pg_class JOIN pg_index ON indexrelid = oid
    WHERE relnamespace = current_schema()::regnamespace AND NOT indisvalid`);
  for (const { name, index } of rows)
    if (script.includes(`"${name}"`)) await client.query(`DROP INDEX CONCURRENTLY ${index}`);
}
