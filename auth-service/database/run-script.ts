import type pg from 'pg';
import { withTableLocks } from './table-locks.ts';

/**
 * Runs a migration's script beside those who use the database.
 *
 * A script is one message and so one transaction: all of it happens, or nothing. An index that is built CONCURRENTLY must
 * be a script of its own; it waits for as long as it takes, without blocking others. What an attempt before this one has left
 * of it is taken away first.
 *
 * @throws pg.DatabaseError
 */
export async function runScript(pool: pg.Pool, script: string): Promise<void> {
  const concurrently = /\bCONCURRENTLY\b/.test(script);
  const client = await pool.connect();
  // A connection that is lost reports here too, and an unheard 'error' event ends the process.
  client.on('error', () => {});
  try {
    if (!concurrently) return await withTableLocks(client, () => client.query(script));
    await client.query('SET lock_timeout = 0');
    await dropUnfinished(client, script);
    await client.query(script);
  } finally {
    // The embedded database has one session for all, so the setting does not go with the connection.
    if (concurrently) await client.query('RESET lock_timeout').catch(() => {});
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
