import { existsSync, mkdirSync, renameSync, rmdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import { PGLiteSocketServer } from '@electric-sql/pglite-socket';
import { keepWasmUnoptimized, type RunningService, StartError } from '../../platform/index.ts';
import { withWholeBatches } from '../../platform/pglite-batches.ts';
import { lockData } from './data-lock.ts';
import { databaseFiles } from './files.ts';
import { prepareSocketDirectory, SOCKET_NAME, socketDirectoryOf } from './socket-directory.ts';

const CLIENTS_AT_MOST = 100;
const CLIENTS_LEAVE_WITHIN_MS = 5_000;

/**
 * Runs PostgreSQL, compiled to WebAssembly, on the files in `dataDir`, and answers PostgreSQL clients on a UNIX socket
 * that only this user can reach. Creates the database if there is none.
 *
 * @throws StartError when the database is in use or cannot be opened.
 */
export async function runEmbeddedDatabase(dataDir: string): Promise<RunningService> {
  // Optimizing takes 2 of 6.5 s of processor time where the database is created and 1.5 of 2.6 s where it is opened, and
  // statements then take a quarter less, which thousands of them win back.
  keepWasmUnoptimized();
  const directory = socketDirectoryOf(dataDir);
  prepareSocketDirectory(directory);
  const lock = await lockData(directory, dataDir);
  const giveBack = async () => {
    await lock.release();
    removeIfEmpty(directory);
  };

  const { db, server } = await serveDatabase(dataDir, join(directory, SOCKET_NAME)).catch(async (error) => {
    await giveBack();
    throw error;
  });

  return {
    port: 5432,
    async stop() {
      // If the launcher was killed, all processes stop at once: the clients may finish their writes.
      await clientsLeft(server);
      await server.stop();
      await db.close();
      await giveBack();
    },
  };
}

async function serveDatabase(dataDir: string, path: string): Promise<{ db: PGlite; server: PGLiteSocketServer }> {
  const db = await openEmbeddedDatabase(databaseFiles(dataDir));
  // With the lock held, an existing socket is left over from a killed process.
  rmSync(path, { force: true });
  const server = new PGLiteSocketServer({ db: withWholeBatches(db), path, maxConnections: CLIENTS_AT_MOST });
  await server.start();
  return { db, server };
}

async function openEmbeddedDatabase(files: string): Promise<PGlite> {
  try {
    if (!existsSync(files)) await createDatabase(files);
    return await PGlite.create(files, { startParams: [...START_PARAMETERS] });
  } catch (error) {
    throw new StartError(`PORTICO_DATA_DIR: cannot open the database in ${files}: ${openFailureReason(error)}`);
  }
}

// Created in a temporary directory and renamed, so that a database whose creation was interrupted is never opened.
async function createDatabase(files: string): Promise<void> {
  const unfinished = `${files}.unfinished`;
  rmSync(unfinished, { recursive: true, force: true });
  mkdirSync(unfinished, { mode: 0o700 });
  const db = await PGlite.create(unfinished, { startParams: [...START_PARAMETERS] });
  await db.close();
  renameSync(unfinished, files);
}

function clientsLeft(server: PGLiteSocketServer): Promise<void> {
  const deadline = performance.now() + CLIENTS_LEAVE_WITHIN_MS;
  return new Promise((resolve) => {
    const look = setInterval(() => {
      if (server.getStats().activeConnections > 0 && performance.now() < deadline) return;
      clearInterval(look);
      resolve();
    }, 20);
  });
}

function removeIfEmpty(directory: string): void {
  try {
    rmdirSync(directory);
  } catch {
    // Another process has already started in it.
  }
}

/**
 * PGlite's file system throws objects that are no `Error` and have no text: `errno` is the number of WASI
 * (`wasi_snapshot_preview1`, `errno`).
 */
interface FileSystemFailure {
  readonly name: 'ErrnoError';
  readonly errno: number;
}

const CAUSES: ReadonlyMap<number, string> = new Map([
  [2, 'this user may not (EACCES)'],
  [19, "this user's disk quota is used up (EDQUOT)"],
  [29, 'the disk cannot be read or written (EIO)'],
  [33, 'too many open files (EMFILE)'],
  [51, 'the disk is full (ENOSPC)'],
  [63, 'this user may not (EPERM)'],
  [69, 'its file system is read-only (EROFS)'],
]);

/** Why the embedded database could not be created or opened, on one line. */
function openFailureReason(error: unknown): string {
  if (isFileSystemFailure(error)) return CAUSES.get(error.errno) ?? `its files fail (errno ${error.errno} of WASI)`;
  return (error instanceof Error ? error.message : String(error)).replaceAll('\n', ' ');
}

function isFileSystemFailure(error: unknown): error is FileSystemFailure {
  return (
    typeof error === 'object' &&
    error !== null &&
    'errno' in error &&
    (error as { name?: unknown }).name === 'ErrnoError'
  );
}

/**
 * What PGlite starts PostgreSQL with. Its default buffers take 128 MB, which are filled with zeros at each start: a third of the
 * processor time of a start, and most of the memory. The files are in the memory of this process, or in the cache of the
 * system, all the same.
 */
export const START_PARAMETERS: readonly string[] = [...PGlite.defaultStartParams, '-c', 'shared_buffers=16MB'];
