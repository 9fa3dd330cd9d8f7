import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { withScriptLock } from './migration-lock.ts';
import { withTableLocks } from './table-locks.ts';

const BUILDING_RETRY_MS = 200;
const DUPLICATE_TABLE = '42P07';

/**
 * Marks the started migration as finished in the transaction of its script. PostgreSQL finishes a script even if the process
 * that sent it is killed. Running the script again would always fail. Prisma's engine makes the same change afterwards. Only
 * one migration has started, since the next process waits for the script (`withMigrationLock`).
 */
const NOTE_FINISHED = `
;UPDATE _prisma_migrations SET finished_at = now() WHERE finished_at IS NULL AND rolled_back_at IS NULL`;

/**
 * Runs a migration's script while other processes use the database.
 *
 * A script is one message and so one transaction: it runs completely or not at all. An index that is built CONCURRENTLY must be
 * a separate script. It takes as long as necessary without blocking others. An incomplete index of an earlier attempt is
 * removed first, and a complete one is kept.
 *
 * @throws pg.DatabaseError
 */
export async function runScript(pool: pg.Pool, script: string): Promise<void> {
  const index = /\bINDEX CONCURRENTLY "([^"]+)"/.exec(script)?.[1];
  const client = await pool.connect();
  // A lost connection emits 'error', and without a listener that would end the process.
  client.on('error', () => {});
  try {
    await withScriptLock(client, async () => {
      if (index === undefined) return withTableLocks(client, () => client.query(script + NOTE_FINISHED));
      await client.query('SET lock_timeout = 0');
      await buildIndex(client, index, script);
    });
  } finally {
    // All clients of the embedded database share one session, so the setting outlives the connection.
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
        // The index was built by an attempt whose process was killed, and which had not begun when this attempt checked. Or the
        // name belongs to another object.
        const isTaken = (error as { code?: unknown }).code === DUPLICATE_TABLE;
        if (!isTaken || (await findIndex(client, name)) === undefined) throw error;
      }
    }
  }
}

/** Returns an index as a text for SQL. `building`: whether a session is building it, possibly of a killed process. */
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
