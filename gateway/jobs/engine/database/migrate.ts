import { readdirSync, readFileSync } from 'node:fs';
import type pg from 'pg';
import { assetUrl } from '../../../../platform/index.ts';
import { JobsDatabaseUnusable } from './errors.ts';

const SCHEMA = assetUrl('gateway/jobs/engine/database/schema/');
/** The version whose tables `tables.sql` creates. */
const TABLES_VERSION = 11;
/** The oldest version that can be upgraded. It has the tables of `TABLES_VERSION`. */
const OLDEST_UPGRADABLE = 10;
/** A later change of tables. */
const NUMBERED = /^\d{4}-.+\.sql$/;
/** How many days ahead partitions exist, and so how long creating them may fail. */
export const DAYS_AHEAD = 7;
/**
 * The advisory lock of transactions that change the schema. Claims, partitions and statistics use other locks of this class.
 */
const MIGRATION_LOCK = [2006, 3] as const;
/** The first line of a migration that older gateways can work with. It names the oldest version. */
const OLDEST_COMPATIBLE = /^-- oldest compatible: (\d+)$/m;

export interface JobsMigration {
  readonly version: number;
  readonly name: string;
  readonly sql: string;
  /**
   * The oldest version whose gateways work with the schema after this migration: its own version, unless the file names another
   * one.
   */
  readonly oldestCompatible: number;
}

/** The version of a database's schema. */
export interface SchemaVersion {
  /** The version of the newest migration. 0 if there is none. */
  readonly version: number;
  /** Gateways that know this version or a newer one work with the schema. */
  readonly oldestCompatible: number;
}

export interface MigrationResult extends SchemaVersion {
  /** The names of the migrations that were applied by this call. */
  readonly applied: readonly string[];
  /** The newest version that this process knows. */
  readonly known: number;
}

/** Reads `tables.sql`, then the files `0012-name.sql` and on, in their order. */
export function readJobsMigrations(): readonly JobsMigration[] {
  const numbered = readdirSync(SCHEMA)
    .filter((file) => NUMBERED.test(file))
    .sort()
    .map((file) => readMigration(file, Number.parseInt(file, 10), file.replace(/\.sql$/, '')));
  return [readMigration('tables.sql', TABLES_VERSION, '0011-schema'), ...numbered];
}

function readMigration(file: string, version: number, name: string): JobsMigration {
  const sql = readFileSync(new URL(file, SCHEMA), 'utf8');
  const oldestCompatible = Number(OLDEST_COMPATIBLE.exec(sql)?.[1] ?? version);
  return { version, name, sql, oldestCompatible };
}

/**
 * Brings the schema `portico_jobs` to the current version in one transaction: applies the missing migrations, then creates the
 * functions of `functions.sql` again. Any number of processes may call it at once: one migrates, the others wait and find nothing
 * left to do. A newer schema is used unchanged if its migrations allow this version.
 *
 * @param connection without an open transaction.
 * @throws JobsDatabaseUnusable for a newer schema that does not allow this version, and for a schema that cannot be upgraded.
 */
export async function migrateJobs(
  connection: pg.ClientBase,
  migrations: readonly JobsMigration[] = readJobsMigrations(),
): Promise<MigrationResult> {
  const known = migrations.at(-1)?.version ?? 0;
  const found = await readVersion(connection);
  if (found.version >= known) return { ...usable(found, known), applied: [], known };
  await connection.query('BEGIN');
  try {
    // The lock belongs to the transaction: a pooler may run the next statement of a session on another connection.
    await connection.query('SELECT pg_advisory_xact_lock($1, $2)', [...MIGRATION_LOCK]);
    const applied = await applyPending(connection, migrations, usable(await readVersion(connection), known));
    const migrated = await readVersion(connection);
    await connection.query('COMMIT');
    return { ...migrated, applied, known };
  } catch (error) {
    await connection.query('ROLLBACK').catch(() => {});
    throw error;
  }
}

/**
 * Checks the schema without changing it.
 *
 * @throws JobsDatabaseUnusable if the schema is missing, older than this version's, or newer and not compatible with this
 * version.
 */
export async function requireMigrated(
  connection: pg.ClientBase,
  migrations: readonly JobsMigration[] = readJobsMigrations(),
): Promise<void> {
  const known = migrations.at(-1)?.version ?? 0;
  const { version } = usable(await readVersion(connection), known);
  if (version >= known) return;
  const found =
    version === 0 ? 'has no schema portico_jobs' : `has the schema portico_jobs in version ${version}, not ${known}`;
  throw new JobsDatabaseUnusable(
    'schema-too-old',
    `the database ${found}: a gateway or runner of this version that uses it migrates it when it starts`,
  );
}

/** @throws JobsDatabaseUnusable */
function usable(schema: SchemaVersion, known: number): SchemaVersion {
  if (schema.oldestCompatible > known)
    throw new JobsDatabaseUnusable(
      'schema-too-new',
      `a newer Portico has migrated the schema portico_jobs to version ${schema.version}, which requires a Portico that knows version ${schema.oldestCompatible}; this one knows ${known}`,
    );
  if (schema.version > 0 && schema.version < OLDEST_UPGRADABLE)
    throw new JobsDatabaseUnusable(
      'schema-too-old',
      `the schema portico_jobs has version ${schema.version}, made by a development version of Portico, and cannot be upgraded to version ${known}: drop the schema portico_jobs, which deletes all jobs, or first start a version of Portico whose schema is ${OLDEST_UPGRADABLE}`,
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
  if (version === 0) await requireUtf8(connection);
  for (const migration of pending) {
    // Version 10 has the tables already.
    if (version === 0 || migration.version > TABLES_VERSION) await connection.query(migration.sql);
    await connection.query(
      'INSERT INTO portico_jobs.migration (version, name, oldest_compatible) VALUES ($1, $2, $3)',
      [migration.version, migration.name, migration.oldestCompatible],
    );
  }
  await connection.query(readFileSync(new URL('functions.sql', SCHEMA), 'utf8'));
  // Processes that start at once wait for this transaction, and then need no lock to make partitions.
  if (version === 0) await connection.query('SELECT portico_jobs.make_partitions($1)', [DAYS_AHEAD]);
  return pending.map(({ name }) => name);
}

/** Inputs and results may be any text, and other encodings lack characters for it. @throws JobsDatabaseUnusable */
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
 * Reads the tables of the catalog rather than the cache of names, which may date from before the wait for the lock. Opening
 * these tables makes the session see what others have committed.
 */
async function readVersion(connection: pg.ClientBase): Promise<SchemaVersion> {
  const none = { version: 0, oldestCompatible: 0 };
  const { rowCount } = await connection.query(
    "SELECT FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = 'portico_jobs' AND c.relname = 'migration'",
  );
  if (!rowCount) return none;
  // Tables from before version 7 lack the column.
  const { rows } = await connection.query<SchemaVersion>(`
    SELECT coalesce(max(version), 0) AS version,
      coalesce(max(coalesce((to_jsonb(m) ->> 'oldest_compatible')::int, version)), 0) AS "oldestCompatible"
    FROM portico_jobs.migration m`);
  return rows[0] ?? none;
}
