import type { Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { migrate, pendingMigrations } from '../../../auth-service/database/index.ts';
import { isMigrationLockHeld } from '../../../auth-service/database/migration-lock.ts';
import { runScript } from '../../../auth-service/database/run-script.ts';
import { availableEngines } from '../../database/index.ts';
import { type SessionClient, sessionClient, type Tokens } from '../session-client.ts';
import { until } from '../until.ts';
import { createWorld, type World } from '../world.ts';

const PASSWORD = 'a password of alice that is long';
const INDEX = 'sessions_revoked_at_idx';
const MIGRATION = '20261121050200_sessions_by_revocation';
const ALTERATION = '20261123010100_tenant_tokens_valid_from';

if ((await availableEngines()).includes('postgres'))
  describe('migrating while people log in and refresh', () => {
    let world: World;
    let client: SessionClient;
    let tokens: Tokens;
    /** Somebody with a long transaction, such as a backup. */
    let slow: pg.Client;
    let pool: pg.Pool;

    beforeEach(async () => {
      world = await createWorld('postgres');
      client = sessionClient(world.service.url);
      await world.addTenant(1, 'acme');
      await world.addUser(1, 'alice', PASSWORD);
      tokens = await client.login('alice', PASSWORD, 1);
      slow = new pg.Client({ connectionString: world.databaseUrl });
      pool = new pg.Pool({ connectionString: world.databaseUrl });
      await slow.connect();
    });
    afterEach(async () => {
      await slow.end();
      await pool.end();
      await world.close();
    });

    async function refresh(): Promise<void> {
      const { result } = await client.refresh(tokens.refresh_token);
      if (!result.data) throw new Error(`refused: ${result.error_message}`);
      tokens = result.data;
    }

    const waitsForLock = () =>
      until('a change stands in the queue', async () => {
        const { rows } = await pool.query(
          "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%ALTER%'",
        );
        return rows.length > 0;
      });
    const isIndexValid = async () => {
      const sql = 'SELECT indisvalid AS valid FROM pg_index WHERE indexrelid = to_regclass($1)';
      const { rows } = await pool.query(sql, [INDEX]);
      return rows[0]?.valid as boolean | undefined;
    };
    const takeIndexBack = async () => {
      await pool.query(`DROP INDEX ${INDEX}`);
      await pool.query('DELETE FROM _prisma_migrations WHERE migration_name = $1', [MIGRATION]);
    };

    test('an index on sessions waits for a long transaction, and blocks no other statement', async () => {
      await takeIndexBack();
      await slow.query('BEGIN; UPDATE sessions SET user_agent = NULL WHERE false');
      const first = migrate(world.databaseUrl);
      const second = migrate(world.databaseUrl);
      await until('it is being built', async () => (await isIndexValid()) === false);
      for (let count = 0; count < 20; count += 1) await refresh();

      expect(await isIndexValid()).toBe(false);
      await slow.query('COMMIT');
      expect((await Promise.all([first, second])).flat()).toEqual([MIGRATION]);
      expect(await isIndexValid()).toBe(true);
    });

    test('an index that was left half built is built again', async () => {
      await takeIndexBack();
      await slow.query('BEGIN; UPDATE sessions SET user_agent = NULL WHERE false');
      const interrupted = migrate(world.databaseUrl).catch((error: Error) => error.message);
      await until('it is being built', async () => (await isIndexValid()) === false);
      await pool.query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
         WHERE datname = current_database() AND query LIKE '%CREATE INDEX%' AND pid <> pg_backend_pid()`,
      );
      expect(await interrupted).toMatch(/^DATABASE_URL: cannot use database /);
      await slow.query('COMMIT');
      expect(await isIndexValid()).toBe(false);
      expect(await pendingMigrations(world.databaseUrl)).toEqual([MIGRATION]);

      expect(await migrate(world.databaseUrl)).toEqual([MIGRATION]);
      expect(await isIndexValid()).toBe(true);
    });

    test('an index is taken as it is when the process was killed before it could note that it is built', async () => {
      await pool.query('UPDATE _prisma_migrations SET finished_at = NULL WHERE migration_name = $1', [MIGRATION]);
      expect(await migrate(world.databaseUrl)).toEqual([MIGRATION]);
      expect(await pendingMigrations(world.databaseUrl)).toEqual([]);
    });

    test('a script that PostgreSQL carries out after its process was killed is waited for, and not begun again', async () => {
      await pool.query('ALTER TABLE tenants DROP COLUMN tokens_valid_from');
      await pool.query('UPDATE _prisma_migrations SET finished_at = NULL WHERE migration_name = $1', [ALTERATION]);
      const killed = new pg.Pool({ connectionString: world.databaseUrl });
      killed.on('connect', (connection) => {
        void waitsForLock().then(() =>
          (connection as unknown as { connection: { stream: Socket } }).connection.stream.destroy(),
        );
      });
      await slow.query('BEGIN; SELECT 1 FROM tenants');
      const alteration = 'SET lock_timeout = 0; ALTER TABLE tenants ADD COLUMN tokens_valid_from timestamptz(3)';
      await expect(runScript(killed, alteration)).rejects.toThrow();
      await killed.end();

      const restarted = migrate(world.databaseUrl);
      await until('it has the lock', () => isMigrationLockHeld(slow));
      for (let count = 0; count < 20; count += 1) await pool.query('SELECT pg_sleep(0.01)');
      const notes = 'SELECT finished_at, rolled_back_at FROM _prisma_migrations WHERE migration_name = $1';
      expect((await pool.query(notes, [ALTERATION])).rows).toEqual([{ finished_at: null, rolled_back_at: null }]);
      await slow.query('COMMIT');
      expect(await restarted).toEqual([]);
      expect((await pool.query(notes, [ALTERATION])).rows).toEqual([
        { finished_at: expect.any(Date), rolled_back_at: null },
      ]);
    });

    test('an index whose name something else has fails, and is not tried for ever', async () => {
      const script = 'CREATE INDEX CONCURRENTLY "tenants" ON "users"("tenant_id")';
      await expect(runScript(pool, script)).rejects.toThrow('relation "tenants" already exists');
    });

    test('a change of a locked table lets other statements pass while it waits', async () => {
      await slow.query('BEGIN; SELECT 1 FROM sessions');
      const changing = runScript(pool, 'ALTER TABLE sessions ADD COLUMN extra int');
      await waitsForLock();
      // Behind it in the queue: this would wait for the end of the long transaction.
      await refresh();
      await slow.query('COMMIT');
      await changing;

      const { rows } = await pool.query("SELECT 1 FROM information_schema.columns WHERE column_name = 'extra'");
      expect(rows).toHaveLength(1);
    });

    test('a script is done as a whole or not at all', async () => {
      await expect(runScript(pool, 'CREATE TABLE half (id int); SELECT nonsense')).rejects.toThrow('nonsense');

      expect((await pool.query("SELECT to_regclass('half') AS half")).rows).toEqual([{ half: null }]);
    });
  });
else test.todo('NOT TESTED WITHOUT POSTGRESQL: migrations beside the traffic');
