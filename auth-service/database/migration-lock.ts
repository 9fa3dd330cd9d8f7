import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';

/** Any numbers that no other program locks in the same database. */
const MIGRATION_LOCK = 7_467_842_601;
const SCRIPT_LOCK = 7_467_842_602;
const LOCK_RETRY_MS = 200;

/**
 * Runs `work` while no other process changes the tables, their owners or the rights to them: PostgreSQL refuses two of such
 * changes at once ("tuple concurrently updated"). The lock is the session's, and so lives no longer than `client`. It
 * holds for one database, not for the roles, which belong to the server.
 */
export async function withMigrationLock<Result>(client: pg.Client, work: () => Promise<Result>): Promise<Result> {
  return withLock(client, MIGRATION_LOCK, async () => {
    // A process that was killed has lost the lock at once, and PostgreSQL carries its script out all the same.
    await withLock(client, SCRIPT_LOCK, async () => {});
    return work();
  });
}

/**
 * Runs `work`, a migration's script, in the session of `client`. Taken before the script is sent, the lock lives until
 * PostgreSQL is done with it, also where its process is killed meanwhile: `withMigrationLock` waits for that.
 */
export async function withScriptLock<Result>(client: pg.ClientBase, work: () => Promise<Result>): Promise<Result> {
  return withLock(client, SCRIPT_LOCK, work);
}

async function withLock<Result>(client: pg.ClientBase, lock: number, work: () => Promise<Result>): Promise<Result> {
  await takeLock(client, lock);
  try {
    return await work();
  } finally {
    await client.query('SELECT pg_advisory_unlock($1)', [lock]).catch(() => {});
  }
}

/**
 * Asked for again and again, and not waited for: who waits inside a statement is in a transaction, and an index that is
 * built concurrently waits for all transactions, of those too who wait for it.
 */
async function takeLock(client: pg.ClientBase, lock: number): Promise<void> {
  for (;;) {
    const { rows } = await client.query('SELECT pg_try_advisory_lock($1) AS taken', [lock]);
    if (rows[0]?.taken) return;
    await sleep(LOCK_RETRY_MS);
  }
}

/** Whether any session holds the migration lock of this database. Takes no lock, so it works through a pooler. */
export async function isMigrationLockHeld(client: pg.Client): Promise<boolean> {
  // How pg_locks splits a lock's number: PostgreSQL 17's manual, section 52.12.
  const { rows } = await client.query(
    `SELECT EXISTS (SELECT FROM pg_locks WHERE locktype = 'advisory' AND objsubid = 1 AND granted
       AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
       AND (classid::bigint << 32) | objid::bigint = $1::bigint) AS held`,
    [MIGRATION_LOCK],
  );
  return rows[0]?.held === true;
}
