import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { MigrationList } from '@prisma/schema-engine-wasm/schema_engine_bg';
import { StartError } from '../../platform/index.ts';
import { fromPackageRoot } from '../package-root.ts';
import { type ConnectOptions, connectToDatabase } from './connect.ts';
import { openSchemaEngine } from './schema-engine.ts';

const MIGRATIONS = 'prisma/migrations';
const LOCKFILE = 'migration_lock.toml';
const SCRIPT = 'migration.sql';

/** Any number that no other program locks in the same database. */
const MIGRATION_LOCK = 7_467_842_601;

/**
 * Brings the database to the current schema and returns the names of the migrations that it applied, none when it was
 * current. Any number of processes may call it at once: one migrates, the others wait and find nothing left to do.
 *
 * @throws StartError when the database cannot be reached or its migrations cannot be applied.
 */
export async function migrate(url: string, options: ConnectOptions = {}): Promise<readonly string[]> {
  // A connection of its own, because a session's lock lives as long as its connection.
  const lock = await connectToDatabase(url, options);
  try {
    await lock.query('SELECT pg_advisory_lock($1)', [MIGRATION_LOCK]);
    return await applyMigrations(url);
  } finally {
    await lock.query('SELECT pg_advisory_unlock($1)', [MIGRATION_LOCK]).catch(() => {});
    await lock.end();
  }
}

/**
 * The names of the migrations that the database does not have yet. Changes nothing.
 *
 * @throws StartError when the database cannot be reached.
 */
export async function pendingMigrations(url: string, options: ConnectOptions = {}): Promise<readonly string[]> {
  const client = await connectToDatabase(url, options);
  try {
    const { rows: tables } = await client.query("SELECT to_regclass('_prisma_migrations') IS NOT NULL AS there");
    const { rows } = tables[0]?.there
      ? await client.query('SELECT migration_name AS name FROM _prisma_migrations WHERE finished_at IS NOT NULL')
      : { rows: [] };
    const applied = new Set(rows.map(({ name }) => String(name)));
    const { migrationDirectories } = await readMigrations();
    return migrationDirectories.map(({ path }) => path).filter((name) => !applied.has(name));
  } finally {
    await client.end();
  }
}

async function applyMigrations(url: string): Promise<readonly string[]> {
  const { engine, close } = await openSchemaEngine(url);
  try {
    const { appliedMigrationNames } = await engine.applyMigrations({
      migrationsList: await readMigrations(),
      filters: { externalTables: [], externalEnums: [] },
    });
    return appliedMigrationNames;
  } catch (error) {
    throw new StartError(`DATABASE_URL: the database cannot be migrated: ${oneLine(error)}`);
  } finally {
    await close();
  }
}

/** The folder of migrations in the form that Prisma's engine takes it. */
export async function readMigrations(): Promise<MigrationList> {
  const baseDir = fromPackageRoot(MIGRATIONS);
  const entries = await readdir(baseDir, { withFileTypes: true });
  const names = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
  return {
    baseDir,
    lockfile: { path: LOCKFILE, content: await readFile(join(baseDir, LOCKFILE), 'utf8') },
    shadowDbInitScript: '',
    migrationDirectories: await Promise.all(
      names.sort().map(async (path) => ({
        path,
        migrationFile: {
          path: SCRIPT,
          content: { tag: 'ok' as const, value: await readFile(join(baseDir, path, SCRIPT), 'utf8') },
        },
      })),
    ),
  };
}

function oneLine(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  // Below the message stands the engine's own call stack, in numbered lines.
  const [reason = message] = message.split(/\n\s*0: /);
  return reason.replace(/\s+/g, ' ').trim();
}
