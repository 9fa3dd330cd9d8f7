import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { withScriptLock } from './migration-lock.ts';
import { withTableLocks } from './table-locks.ts';

const BUILDING_RETRY_MS = 200;
const DUPLICATE_TABLE = '42P07';

/**
 * Notes the migration that has begun as finished, in the transaction of its script: PostgreSQL carries a script out also where the
 * process that has sent it is killed meanwhile, and done twice it would fail for ever. Prisma's engine notes the same afterwards.
 * One migration only has begun: the next process waits for the script (`withMigrationLock`).
 */
const NOTE_FINISHED = `
;UPDATE _prisma_migrations SET finished_at = now() WHERE finished_at IS NULL AND rolled_back_at IS NULL`;

/**
 * Runs a migration's script beside those who use the database.
 *
 * A script is one message and so one transaction: all of it happens, or nothing. An index that is built CONCURRENTLY must
 * be a script of its own; it waits for as long as it takes, without blocking others. What an attempt before this one has left
 * of it is taken away first, and what it has completed stays.
 *
 * @throws pg.DatabaseError
 */
export async function runScript(pool: pg.Pool, script: string): Promise<void> {
  const index = /\bINDEX CONCURRENTLY "([^"]+)"/.exec(script)?.[1];
  const client = await pool.connect();
  // A connection that is lost reports here too, and an unheard 'error' event ends the process.
  client.on('error', () => {});
  try {
    await withScriptLock(client, async () => {
      if (index === undefined) return withTableLocks(client, () => client.query(script + NOTE_FINISHED));
      await client.query('SET lock_timeout = 0');
      await buildIndex(client, index, script);
    });
  } finally {
    // The embedded database has one session for all, so the setting does not go with the connection.
    if (index !== undefined) await client.query('RESET lock_timeout').catch(() => {});
    client.release(true);
  }
}

async function buildIndex(client: pg.PoolClient, name: string, script: string): Promise<void> {
  for (;;) {
    const found = await findIndex(client, name);
    if (found?.valid) return;
    if (found?.building) await sleep(BUILDING_RETRY_MS);
    else {
      if (found) await client.query(`DROP INDEX CONCURRENTLY ${found.index}`);
      try {
        await client.query(script);
        return;
      } catch (error) {
        // Built by an attempt whose process was killed, which had not begun when it was looked for; or the name is of something else.
        const isTaken = (error as { code?: unknown }).code === DUPLICATE_TABLE;
        if (!isTaken || (await findIndex(client, name)) === undefined) throw error;
      }
    }
  }
}

/** An index, as a text for SQL. `building`: by a session of a process that may have been killed. */
async function findIndex(
  client: pg.PoolClient,
  name: string,
): Promise<{ index: string; valid: boolean; building: boolean } | undefined> {
  const { rows } = await client.query(
    `SELECT oid::regclass::text AS index, indisvalid AS valid,
       EXISTS (SELECT FROM pg_stat_progress_create_index WHERE index_relid = pg_class.oid) AS building
     FROM pg_class JOIN pg_index ON indexrelid = oid
     WHERE relnamespace = current_schema()::regnamespace AND relname = $1`,
    [name],
  );
  return rows[0];
}
