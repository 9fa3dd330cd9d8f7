import { readdirSync, readFileSync } from 'node:fs';
import type pg from 'pg';

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

/** A database that a newer Portico has migrated. */
export class SchemaTooNew extends Error {}

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
  // A lock of the session, before the transaction: one that began before another process committed its migration would look
  // the tables up in a cache without them. A connection that ends gives it back.
  await connection.query('SELECT pg_advisory_lock($1, $2)', [...MIGRATION_LOCK]);
  await connection.query('BEGIN');
  try {
    const applied = await applyPending(connection, migrations, last);
    await connection.query('COMMIT');
    await connection.query('SELECT pg_advisory_unlock($1, $2)', [...MIGRATION_LOCK]);
    return applied;
  } catch (error) {
    await connection.query('ROLLBACK').catch(() => {});
    await connection.query('SELECT pg_advisory_unlock($1, $2)', [...MIGRATION_LOCK]).catch(() => {});
    throw error;
  }
}

async function applyPending(
  connection: pg.ClientBase,
  migrations: readonly Migration[],
  last: number,
): Promise<readonly string[]> {
  const version = await versionOf(connection);
  if (version > last) throw new SchemaTooNew(`the schema portico_jobs has version ${version}, newer than ${last}`);
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

/** 0 where there is no schema yet. */
async function versionOf(connection: pg.ClientBase): Promise<number> {
  const { rows: found } = await connection.query<{ table: string | null }>(
    "SELECT to_regclass('portico_jobs.migration')::text AS table",
  );
  if (!found[0]?.table) return 0;
  const { rows } = await connection.query<{ version: number | null }>(
    'SELECT max(version) AS version FROM portico_jobs.migration',
  );
  return rows[0]?.version ?? 0;
}
