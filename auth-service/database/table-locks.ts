import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';

/** How long a statement may wait for a table's lock. Every later statement on the table waits as long. */
const LOCK_TIMEOUT_MS = 2_000;
/** The delay between attempts, in which the waiting statements proceed. */
const TABLE_LOCK_RETRY_MS = 1_000;
const TABLE_LOCK_ATTEMPTS = 60;

const LOCK_NOT_AVAILABLE = '55P03';

/**
 * Runs a transaction that needs an exclusive lock on a table in use. All other transactions queue behind it, so while a long
 * transaction holds the table, it leaves the queue from time to time and retries, for three minutes in total.
 *
 * @param work is one transaction, so that a failed attempt leaves nothing behind.
 * @throws pg.DatabaseError
 */
export async function withTableLocks(client: pg.ClientBase, work: () => Promise<unknown>): Promise<void> {
  await client.query(`SET lock_timeout = ${LOCK_TIMEOUT_MS}`);
  try {
    for (let attempt = 1; ; attempt += 1) {
      try {
        await work();
        return;
      } catch (error) {
        if ((error as { code?: unknown }).code !== LOCK_NOT_AVAILABLE || attempt === TABLE_LOCK_ATTEMPTS) throw error;
        await sleep(TABLE_LOCK_RETRY_MS);
      }
    }
  } finally {
    // All clients of the embedded database share one session, so the setting outlives the connection.
    await client.query('RESET lock_timeout').catch(() => {});
  }
}
