import { createHash, randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PGlite } from '@electric-sql/pglite';
import { PGLiteSocketServer } from '@electric-sql/pglite-socket';
import { migrate } from '../../auth-service/database/index.ts';
import { withWholeBatches } from '../../platform/pglite-batches.ts';
import { START_PARAMETERS } from '../../start/embedded-database/database.ts';
import { migrationsHash } from './migrations-hash.ts';
import { packFiles } from './packed-files.ts';
import { PreparedMemory } from './prepared-memory.ts';

/** Under node_modules, so it is ignored by git and shared by all runs on this machine. */
const CACHE = fileURLToPath(new URL('../../node_modules/.cache/portico/', import.meta.url));
/** What every PostgreSQL client appends to a socket's folder. */
const SOCKET_NAME = '.s.PGSQL.5432';
const PGLITE_MANIFEST = fileURLToPath(new URL('../../node_modules/@electric-sql/pglite/package.json', import.meta.url));
const MAX_CONNECTIONS = 200;
/** The files of template1 and template0, two thirds of all: PGlite makes no databases of them. */
const TEMPLATE_FILES = /^\/base\/[14]\//;

export interface PgliteDatabase {
  url: string;
  drop(): Promise<void>;
}

/** A database in this process's memory, behind a Unix socket. */
export async function createPgliteDatabase(migrated: boolean): Promise<PgliteDatabase> {
  const fs = new PreparedMemory(await snapshot(migrated));
  return serve(await PGlite.create({ fs, startParams: [...START_PARAMETERS] }));
}

async function serve(db: PGlite): Promise<PgliteDatabase> {
  const folder = await mkdtemp(join(tmpdir(), 'portico-db-'));
  const server = new PGLiteSocketServer({
    db: withWholeBatches(db),
    path: join(folder, SOCKET_NAME),
    maxConnections: MAX_CONNECTIONS,
  });
  await server.start();
  return {
    url: `postgresql://postgres@localhost/postgres?host=${folder}`,
    async drop() {
      await server.stop();
      await db.close();
      await rm(folder, { recursive: true });
    },
  };
}

/**
 * A prepared data directory, packed: making one takes seconds, loading one a fraction. Made once per state of its sources. The
 * database in it has been closed: one that was not would repeat, at each start, what was written to it since its last checkpoint.
 */
async function snapshot(migrated: boolean): Promise<Buffer> {
  const kind = migrated ? 'migrated' : 'empty';
  const file = join(CACHE, `${kind}-${await sourcesHash()}.files`);
  return (await readIfThere(file)) ?? makeSnapshot(file, kind);
}

async function makeSnapshot(file: string, kind: string): Promise<Buffer> {
  // Written aside and then moved, because another worker may be reading or writing the same name.
  const aside = join(CACHE, `.${randomBytes(6).toString('hex')}`);
  await mkdir(CACHE, { recursive: true });
  const dataDir = `${aside}-data`;
  const { url, drop } = await serve(await PGlite.create(dataDir));
  if (kind === 'migrated') await migrate(url);
  await drop();
  const bytes = await packFiles(dataDir, TEMPLATE_FILES);
  await rm(dataDir, { recursive: true });

  for (const old of await readdir(CACHE)) if (old.startsWith(`${kind}-`)) await rm(join(CACHE, old), { force: true });
  await writeFile(aside, bytes);
  await rename(aside, file);
  return bytes;
}

async function sourcesHash(): Promise<string> {
  const hash = createHash('sha256')
    .update(await readFile(PGLITE_MANIFEST))
    .update(await migrationsHash());
  return hash.digest('hex').slice(0, 16);
}

async function readIfThere(file: string): Promise<Buffer | undefined> {
  try {
    return await readFile(file);
  } catch {
    return undefined;
  }
}
