import { readdirSync, readFileSync } from 'node:fs';
import type pg from 'pg';
import { assetUrl } from '../../../../platform/index.ts';
import { JobsDatabaseUnusable } from './errors.ts';

const MIGRATIONS = assetUrl('gateway/jobs/engine/database/migrations/');
/** The advisory lock of transactions that change the schema. Claims, partitions and statistics have other locks of this class. */
const MIGRATION_LOCK = [2006, 3] as const;
/** The first line of a migration beside which older gateways work: the version of the oldest. */
const OLDEST_COMPATIBLE = /^-- oldest compatible: (\d+)$/m;

export interface JobsMigration {
  readonly version: number;
  readonly name: string;
  readonly sql: string;
  /** The oldest version whose gateways work with the schema that this makes: its own, unless it says another one. */
  readonly oldestCompatible: number;
}

/** The schema of a database. */
export interface SchemaVersion {
  /** The newest migration's version; 0 where there is none. */
  readonly version: number;
  /** Gateways that know this version or a newer one work with it. */
  readonly oldestCompatible: number;
}

export interface MigrationResult extends SchemaVersion {
  /** The names of the migrations that were applied now. */
  readonly applied: readonly string[];
  /** The newest version that this process knows. */
  readonly known: number;
}

/** The files `0001-name.sql` and on, in their order. */
export function readJobsMigrations(): readonly JobsMigration[] {
  return readdirSync(MIGRATIONS)
    .filter((file) => file.endsWith('.sql'))
    .sort()
    .map((file) => {
      const sql = readFileSync(new URL(file, MIGRATIONS), 'utf8');
      const version = Number.parseInt(file, 10);
      const oldestCompatible = Number(OLDEST_COMPATIBLE.exec(sql)?.[1] ?? version);
      return { version, name: file.replace(/\.sql$/, ''), sql, oldestCompatible };
    });
}

/**
 * Brings the schema `portico_jobs` to the current version, in one transaction. Any number of processes may call it at once:
 * one migrates, the others wait and find nothing left to do. A schema that a newer version has made is used as it is, where its
 * migrations say that this version may.
 *
 * @param connection on which no transaction is open.
 * @throws JobsDatabaseUnusable for a newer schema that this version does not work with.
 */
export async function migrateJobs(
  connection: pg.ClientBase,
  migrations: readonly JobsMigration[] = readJobsMigrations(),
): Promise<MigrationResult> {
  const known = migrations.at(-1)?.version ?? 0;
  const found = await readVersion(connection);
  if (found.version >= known) return { ...compatible(found, known), applied: [], known };
  await connection.query('BEGIN');
  try {
    // Of the transaction: a pooler may give the next statement of a session to another one.
    await connection.query('SELECT pg_advisory_xact_lock($1, $2)', [...MIGRATION_LOCK]);
    const applied = await applyPending(connection, migrations, compatible(await readVersion(connection), known));
    const migrated = await readVersion(connection);
    await connection.query('COMMIT');
    return { ...migrated, applied, known };
  } catch (error) {
    await connection.query('ROLLBACK').catch(() => {});
    throw error;
  }
}

/**
 * Changes nothing.
 *
 * @throws JobsDatabaseUnusable where the schema is missing, older than this version's, or newer and not for this version.
 */
export async function requireMigrated(
  connection: pg.ClientBase,
  migrations: readonly JobsMigration[] = readJobsMigrations(),
): Promise<void> {
  const known = migrations.at(-1)?.version ?? 0;
  const { version } = compatible(await readVersion(connection), known);
  if (version >= known) return;
  const found =
    version === 0 ? 'has no schema portico_jobs' : `has the schema portico_jobs in version ${version}, not ${known}`;
  throw new JobsDatabaseUnusable(
    'schema-too-old',
    `the database ${found}: a gateway or runner of this version that uses it migrates it when it starts`,
  );
}

function compatible(schema: SchemaVersion, known: number): SchemaVersion {
  if (schema.oldestCompatible > known)
    throw new JobsDatabaseUnusable(
      'schema-too-new',
      `a newer Portico has migrated the schema portico_jobs to version ${schema.version}, which requires a Portico that knows version ${schema.oldestCompatible}; this one knows ${known}`,
    );
  return schema;
}

async function applyPending(
  connection: pg.ClientBase,
  migrations: readonly JobsMigration[],
  { version }: SchemaVersion,
): Promise<readonly string[]> {
  const pending = migrations.filter((migration) => migration.version > version);
  if (pending.length === 0) return [];
  if (version === 0) {
    await requireUtf8(connection);
    await connection.query('CREATE SCHEMA IF NOT EXISTS portico_jobs');
    await connection.query(
      'CREATE TABLE IF NOT EXISTS portico_jobs.migration (version int PRIMARY KEY, name text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now())',
    );
  }
  await connection.query('ALTER TABLE portico_jobs.migration ADD COLUMN IF NOT EXISTS oldest_compatible int');
  for (const { version, name, sql, oldestCompatible } of pending) {
    await connection.query(sql);
    await connection.query(
      'INSERT INTO portico_jobs.migration (version, name, oldest_compatible) VALUES ($1, $2, $3)',
      [version, name, oldestCompatible],
    );
  }
  return pending.map(({ name }) => name);
}

/** Inputs and results are any text, which other encodings lack characters for. @throws JobsDatabaseUnusable */
async function requireUtf8(connection: pg.ClientBase): Promise<void> {
  const { rows } = await connection.query<{ name: string; encoding: string }>(
    'SELECT current_database() AS name, pg_encoding_to_char(encoding) AS encoding FROM pg_database WHERE datname = current_database()',
  );
  for (const { name, encoding } of rows)
    if (encoding !== 'UTF8')
      throw new JobsDatabaseUnusable(
        'encoding',
        `the database "${name}" has the encoding ${encoding}: drop it, and make it again with ENCODING 'UTF8' TEMPLATE template0`,
      );
}

/**
 * The tables of the catalog are read, and not the cache of names, which may be older than the wait for the lock: opening them
 * makes the session take in what others have committed.
 */
async function readVersion(connection: pg.ClientBase): Promise<SchemaVersion> {
  const none = { version: 0, oldestCompatible: 0 };
  const { rowCount } = await connection.query(
    "SELECT FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = 'portico_jobs' AND c.relname = 'migration'",
  );
  if (!rowCount) return none;
  // A table of before version 7 lacks the column.
  const { rows } = await connection.query<SchemaVersion>(`
    SELECT coalesce(max(version), 0) AS version,
      coalesce(max(coalesce((to_jsonb(m) ->> 'oldest_compatible')::int, version)), 0) AS "oldestCompatible"
    FROM portico_jobs.migration m`);
  return rows[0] ?? none;
}
