import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';

/** Arbitrary numbers that no other program locks in the same database. */
const MIGRATION_LOCK = 7_467_842_601;
const SCRIPT_LOCK = 7_467_842_602;
const LOCK_RETRY_MS = 200;

/**
 * Runs `work` while no other process changes the tables, their owners or their rights. PostgreSQL rejects two concurrent
 * changes of this kind ("tuple concurrently updated"). The lock belongs to the session, so it is released with `client` at the
 * latest. It covers one database, but not the roles, which belong to the server.
 */
export async function withMigrationLock<Result>(client: pg.Client, work: () => Promise<Result>): Promise<Result> {
  return withLock(client, MIGRATION_LOCK, async () => {
    // A killed process loses the lock immediately, but PostgreSQL still finishes its script.
    await withLock(client, SCRIPT_LOCK, async () => {});
    return work();
  });
}

/**
 * Runs `work`, a migration's script, in the session of `client`. The lock is taken before the script is sent and held until
 * PostgreSQL has finished it, even if the process is killed meanwhile. `withMigrationLock` waits for it.
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
 * The lock is polled. A statement that waits for it would be in a transaction, and a concurrent index build waits for all
 * transactions, including those that wait for the lock.
 */
async function takeLock(client: pg.ClientBase, lock: number): Promise<void> {
  for (;;) {
    const { rows } = await client.query('SELECT pg_try_advisory_lock($1) AS taken', [lock]);
    if (rows[0]?.taken) return;
    await sleep(LOCK_RETRY_MS);
  }
}

/** Returns whether any session holds the migration lock of this database. Takes no lock, so it works through a pooler. */
export async function isMigrationLockHeld(client: pg.Client): Promise<boolean> {
  // pg_locks splits a lock's number this way: see section 52.12 of PostgreSQL 17's manual.
  const { rows } = await client.query(
    `SELECT EXISTS (SELECT FROM pg_locks WHERE locktype = 'advisory' AND objsubid = 1 AND granted
       AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
       AND (classid::bigint << 32) | objid::bigint = $1::bigint) AS held`,
    [MIGRATION_LOCK],
  );
  return rows[0]?.held === true;
}
