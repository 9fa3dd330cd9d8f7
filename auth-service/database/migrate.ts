import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { MigrationList } from '@prisma/schema-engine-wasm/schema_engine_bg';
import type pg from 'pg';
import { StartError } from '../../platform/index.ts';
import { fromPackageRoot } from '../package-root.ts';
import { type ConnectOptions, connectToDatabase, retryWhileUnavailable } from './connect.ts';
import { isDatabaseUnavailable } from './is-unavailable.ts';
import { isMigrationLockHeld, withMigrationLock } from './migration-lock.ts';
import { withSchemaEngine } from './schema-engine.ts';
import { grantTables, isAbovePolicies, prepareServiceRole, prepareServiceRoleOf } from './service-role.ts';

const MIGRATIONS = 'prisma/migrations';
const LOCKFILE = 'migration_lock.toml';
const MIGRATION_SCRIPT = 'migration.sql';

const AWAIT_MIGRATIONS_MS = 500;
/** See appendix A of PostgreSQL's manual. */
const INSUFFICIENT_PRIVILEGE = '42501';

export interface MigrateOptions extends ConnectOptions {
  /** The URL of the tables' owner, who applies migrations. The user of `url` only gets the right to use the tables. */
  ownerUrl?: string | undefined;
  /**
   * Called once with the number of pending migrations if the user of `url` may not apply them. The call then waits up to
   * `waitSeconds` for another process to apply them. Without this function it does not wait.
   */
  onAwaitMigrations?: (pending: number) => void;
}

/**
 * Migrates the database to the current schema, with row-level security enabled. Returns the names of the applied migrations,
 * which are none if the schema was current. Any number of processes may call it at once: one migrates, the others wait and find
 * nothing left to do.
 *
 * @throws StartError if the database is unreachable or the migrations cannot be applied.
 */
export async function migrate(url: string, options: MigrateOptions = {}): Promise<readonly string[]> {
  const { ownerUrl } = options;
  if (ownerUrl === undefined) {
    if (await isReady(url, options)) return [];
    if (await awaitMigrations(url, options)) return [];
    return migrateAs(url, 'DATABASE_URL', options, prepareServiceRole);
  }
  const user = await currentUserOf(url, options);
  const applied = await migrateAs(ownerUrl, 'AUTH_DATABASE_OWNER_URL', options, (owner) => grantTables(owner, user));
  await prepareServiceRoleOf(url, options);
  return applied;
}

/**
 * Returns whether there is nothing to migrate and no role to prepare. If so, no lock is taken: the lock belongs to a session,
 * and a pooler that changes connections between transactions would leave it behind on one of them.
 */
async function isReady(url: string, options: ConnectOptions): Promise<boolean> {
  const client = await connectToDatabase(url, options);
  try {
    return (await pendingOn(client)).length === 0 && !(await isAbovePolicies(client));
  } finally {
    await client.end();
  }
}

/**
 * Waits while migrations are pending that the user may not apply, or while another process has the migration lock, since rights
 * to new tables are granted after the last migration. `waitSeconds` does not limit the latter.
 *
 * @returns whether there is nothing left to do.
 */
async function awaitMigrations(url: string, options: MigrateOptions): Promise<boolean> {
  const { waitSeconds = 0, signal, onAwaitMigrations } = options;
  if (waitSeconds === 0 || onAwaitMigrations === undefined) return false;
  const deadline = Date.now() + waitSeconds * 1000;
  for (let attempt = 1; ; attempt++) {
    const client = await connectToDatabase(url, options);
    try {
      if (await mayChangeSchema(client)) return false;
      const isHeld = await isMigrationLockHeld(client);
      const pending = await pendingOn(client).catch(pendingWithoutRights);
      if (pending.length === 0 && !isHeld) return !(await isAbovePolicies(client));
      if (signal?.aborted || (!isHeld && Date.now() + AWAIT_MIGRATIONS_MS > deadline)) return false;
      if (attempt === 1) onAwaitMigrations(pending.length);
    } finally {
      await client.end();
    }
    await sleep(AWAIT_MIGRATIONS_MS, undefined, signal && { signal }).catch(() => {});
  }
}

/** Until the first set-up has ended, the user may not read the list of migrations. */
async function pendingWithoutRights(error: unknown): Promise<readonly string[]> {
  if ((error as { code?: unknown }).code !== INSUFFICIENT_PRIVILEGE) throw error;
  const { migrationDirectories } = await readMigrations();
  return migrationDirectories.map(({ path }) => path);
}

/**
 * @param giveRights called while the lock is held, since two grants on one table must not run at once.
 * @returns the migrations that the successful attempt applied. An earlier attempt that lost its connection may have applied
 * others.
 */
async function migrateAs(
  url: string,
  variable: string,
  options: ConnectOptions,
  giveRights: (client: pg.Client) => Promise<void>,
): Promise<readonly string[]> {
  return retryWhileUnavailable(url, { ...options, variable }, async () => {
    // A separate connection, since the lock of a session lives as long as its connection.
    const lock = await connectToDatabase(url, { ...options, variable });
    try {
      return await withMigrationLock(lock, async () => {
        const pending = await pendingOn(lock);
        if (pending.length > 0) await requireSchemaRights(lock, variable, pending.length);
        const applied =
          pending.length > 0 ? await applyMigrations(url, variable, await interruptedMigrations(lock)) : [];
        await giveRights(lock);
        return applied;
      });
    } finally {
      await lock.end();
    }
  });
}

async function currentUserOf(url: string, options: ConnectOptions): Promise<string> {
  const client = await connectToDatabase(url, options);
  try {
    const { rows } = await client.query('SELECT current_user AS name');
    return String(rows[0]?.name);
  } finally {
    await client.end();
  }
}

async function requireSchemaRights(client: pg.Client, variable: string, pending: number): Promise<void> {
  if (await mayChangeSchema(client)) return;
  throw new StartError(
    `${variable}: the database lacks ${pending} migrations, and this user may not change its schema: ` +
      'run "portico-auth database setup", or set AUTH_DATABASE_OWNER_URL',
  );
}

async function mayChangeSchema(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query("SELECT has_schema_privilege(current_schema(), 'CREATE') AS may");
  return rows[0]?.may === true;
}

/**
 * Returns migrations that began and did not end. A script runs completely or not at all, and its end is recorded in the same
 * transaction, so these migrations can run again.
 */
async function interruptedMigrations(client: pg.Client): Promise<readonly string[]> {
  if (!(await hasMigrations(client))) return [];
  const { rows } = await client.query(
    'SELECT migration_name AS name FROM _prisma_migrations WHERE finished_at IS NULL AND rolled_back_at IS NULL',
  );
  return rows.map(({ name }) => String(name));
}

async function hasMigrations(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query("SELECT to_regclass('_prisma_migrations') IS NOT NULL AS there");
  return rows[0]?.there === true;
}

/**
 * Returns the names of pending migrations. Changes nothing.
 *
 * @throws StartError if the database is unreachable.
 */
export async function pendingMigrations(url: string, options: ConnectOptions = {}): Promise<readonly string[]> {
  const client = await connectToDatabase(url, options);
  try {
    return await pendingOn(client);
  } finally {
    await client.end();
  }
}

async function pendingOn(client: pg.Client): Promise<readonly string[]> {
  const { rows } = (await hasMigrations(client))
    ? await client.query('SELECT migration_name AS name FROM _prisma_migrations WHERE finished_at IS NOT NULL')
    : { rows: [] };
  const applied = new Set(rows.map(({ name }) => String(name)));
  const { migrationDirectories } = await readMigrations();
  return migrationDirectories.map(({ path }) => path).filter((name) => !applied.has(name));
}

async function applyMigrations(
  url: string,
  variable: string,
  interrupted: readonly string[],
): Promise<readonly string[]> {
  try {
    return await withSchemaEngine(url, async (engine) => {
      for (const migrationName of interrupted) await engine.markMigrationRolledBack({ migrationName });
      const { appliedMigrationNames } = await engine.applyMigrations({
        migrationsList: await readMigrations(),
        filters: { externalTables: [], externalEnums: [] },
      });
      return appliedMigrationNames;
    });
  } catch (error) {
    if (isDatabaseUnavailable(error)) throw error;
    throw new StartError(`${variable}: the database cannot be migrated: ${oneLine(error)}`);
  }
}

/** Reads the folder of migrations in the format of Prisma's engine. */
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
          path: MIGRATION_SCRIPT,
          content: { tag: 'ok' as const, value: await readFile(join(baseDir, path, MIGRATION_SCRIPT), 'utf8') },
        },
      })),
    ),
  };
}

function oneLine(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  // The engine's call stack follows the message in numbered lines.
  const [reason = message] = message.split(/\n\s*0: /);
  return reason.replace(/\s+/g, ' ').trim();
}
