import { execFile } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { PGlite } from '@electric-sql/pglite';
import { migrationsHash } from '../database/migrations-hash.ts';

const PACKAGE_DIR = resolve(import.meta.dirname, '../..');
/** Under node_modules, so it is ignored by git and shared by all runs on this machine. */
const CACHE = join(PACKAGE_DIR, 'node_modules/.cache/portico');
const PGLITE_MANIFEST = join(PACKAGE_DIR, 'node_modules/@electric-sql/pglite/package.json');
/** The hashes of the compiled sources, see build/compile.mjs. */
const COMPILED_RECORD = join(PACKAGE_DIR, 'dist/.compiled.json');
/** The code that makes secrets and demo accounts. */
const ROOMS_OF_ACCOUNTS = /^(auth-service|platform|start)\//;
const LOOK_EVERY_MS = 50;

/** Puts the files of an empty database into `files`: copies of a database that is made once and kept. */
async function putEmptyDatabase(files: string): Promise<void> {
  const kept = join(CACHE, `database-files-${hashOf(await readFile(PGLITE_MANIFEST))}`);
  await makeOnce(kept, async (aside) => {
    const db = await PGlite.create(aside);
    await db.close();
  });
  await copyFiles(kept, files);
}

/**
 * Puts a data directory into `dataDir` in which Portico has been started before, so that its database has the demo accounts:
 * a copy of one that is made once for the current code, and kept.
 *
 * @param start starts Portico in a directory with an empty database, and stops it when the accounts are there.
 */
export async function putDataWithAccounts(dataDir: string, start: (dataDir: string) => Promise<void>): Promise<void> {
  const { files } = JSON.parse(await readFile(COMPILED_RECORD, 'utf8')) as { files: Record<string, { hash: string }> };
  const code = Object.entries(files).filter(([file]) => ROOMS_OF_ACCOUNTS.test(file));
  const sources = code.map(([file, { hash }]) => `${file} ${hash}`).sort();
  const version = hashOf(await readFile(PGLITE_MANIFEST), await migrationsHash(), sources.join('\n'));
  const kept = join(CACHE, `data-with-accounts-${version}`);
  await makeOnce(kept, async (aside) => {
    await putEmptyDatabase(join(aside, 'postgres'));
    await start(aside);
  });
  await copyFiles(kept, dataDir);
}

/** Node's own `cp` takes twice the processor time for the thousand files of a database. */
async function copyFiles(from: string, to: string): Promise<void> {
  await mkdir(to, { recursive: true });
  await promisify(execFile)('cp', ['-Rp', `${from}/.`, to]);
}

/** Has `make` fill a directory that becomes `kept`, unless that exists. Other workers wait meanwhile. */
async function makeOnce(kept: string, make: (aside: string) => Promise<void>): Promise<void> {
  const lock = `${kept}.lock`;
  await mkdir(CACHE, { recursive: true });
  while (!existsSync(kept)) {
    if (!(await takeLock(lock))) {
      await sleep(LOOK_EVERY_MS);
      continue;
    }
    const aside = `${kept}.${randomBytes(6).toString('hex')}`;
    try {
      if (existsSync(kept)) return;
      await removeOlder(kept);
      await mkdir(aside);
      await make(aside);
      // Unless a run that took the lock for an abandoned one was quicker.
      await rename(aside, kept).catch((error) => {
        if (!existsSync(kept)) throw error;
      });
    } finally {
      await rm(aside, { recursive: true, force: true });
      await rm(lock, { force: true });
    }
  }
}

/** What was kept for another state of the sources is not needed again. */
async function removeOlder(kept: string): Promise<void> {
  const kind = basename(kept).replace(/-[0-9a-f]+$/, '');
  for (const name of await readdir(dirname(kept)))
    if (new RegExp(`^${kind}-[0-9a-f]+$`).test(name)) await rm(join(dirname(kept), name), { recursive: true });
}

/** Whether this process has the lock now. That of a process that has ended is removed. */
async function takeLock(lock: string): Promise<boolean> {
  try {
    await writeFile(lock, String(process.pid), { flag: 'wx' });
    return true;
  } catch {
    const holder = Number(await readFile(lock, 'utf8').catch(() => ''));
    if (holder !== 0 && !isRunning(holder)) await rm(lock, { force: true });
    return false;
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** 16 hexadecimal digits. */
function hashOf(...parts: readonly (string | Buffer)[]): string {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest('hex').slice(0, 16);
}
