import { readdirSync, readFileSync } from 'node:fs';
import type pg from 'pg';
import { JobsDatabaseUnusable } from './errors.ts';

const MIGRATIONS = new URL('migrations/', import.meta.url);
/** Of the transactions that change the schema; claims and maintenance have the others of this class. */
const MIGRATION_LOCK = [2006, 3] as const;

interface Migration {
  readonly version: number;
  readonly name: string;
  readonly sql: string;
}

/** The files `0001-name.sql` and on, in their order. */
function readMigrations(): readonly Migration[] {
  return readdirSync(MIGRATIONS)
    .filter((file) => file.endsWith('.sql'))
    .sort()
    .map((file) => ({
      version: Number.parseInt(file, 10),
      name: file.replace(/\.sql$/, ''),
      sql: readFileSync(new URL(file, MIGRATIONS), 'utf8'),
    }));
}

/**
 * Brings the schema `portico_jobs` to the current version, in one transaction. Any number of processes may call it at once:
 * one migrates, the others wait and find nothing left to do.
 *
 * @param connection on which no transaction is open.
 * @returns the names of the migrations that it applied.
 */
export async function migrateJobs(connection: pg.ClientBase): Promise<readonly string[]> {
  const migrations = readMigrations();
  const last = migrations.at(-1)?.version ?? 0;
  if ((await versionOf(connection)) === last) return [];
  await connection.query('BEGIN');
  try {
    // Of the transaction: a pooler may give the next statement of a session to another one.
    await connection.query('SELECT pg_advisory_xact_lock($1, $2)', [...MIGRATION_LOCK]);
    const applied = await applyPending(connection, migrations, last);
    await connection.query('COMMIT');
    return applied;
  } catch (error) {
    await connection.query('ROLLBACK').catch(() => {});
    throw error;
  }
}

async function applyPending(
  connection: pg.ClientBase,
  migrations: readonly Migration[],
  last: number,
): Promise<readonly string[]> {
  const version = await versionOf(connection);
  if (version > last)
    throw new JobsDatabaseUnusable(
      'schema-too-new',
      `a newer Portico has migrated the schema portico_jobs to version ${version}; this one knows ${last}`,
    );
  if (version === 0) {
    await connection.query('CREATE SCHEMA IF NOT EXISTS portico_jobs');
    await connection.query(
      'CREATE TABLE IF NOT EXISTS portico_jobs.migration (version int PRIMARY KEY, name text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now())',
    );
  }
  const pending = migrations.filter((migration) => migration.version > version);
  for (const migration of pending) {
    await connection.query(migration.sql);
    await connection.query('INSERT INTO portico_jobs.migration (version, name) VALUES ($1, $2)', [
      migration.version,
      migration.name,
    ]);
  }
  return pending.map(({ name }) => name);
}

/**
 * 0 where there is no schema yet. The tables of the catalog are read, and not the cache of names, which may be older than the
 * wait for the lock: opening them makes the session take in what others have committed.
 */
async function versionOf(connection: pg.ClientBase): Promise<number> {
  const { rowCount } = await connection.query(
    "SELECT FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = 'portico_jobs' AND c.relname = 'migration'",
  );
  if (!rowCount) return 0;
  const { rows } = await connection.query<{ version: number | null }>(
    'SELECT max(version) AS version FROM portico_jobs.migration',
  );
  return rows[0]?.version ?? 0;
}
