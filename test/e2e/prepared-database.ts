import { createHash, randomBytes } from 'node:crypto';
import { cp, mkdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { PGlite } from '@electric-sql/pglite';

const MODULES = resolve(import.meta.dirname, '../../node_modules');

/** Puts the files of an empty database into `files`: copies of a database that is made once and kept. */
export async function putEmptyDatabase(files: string): Promise<void> {
  const manifest = await readFile(join(MODULES, '@electric-sql/pglite/package.json'));
  const version = createHash('sha256').update(manifest).digest('hex').slice(0, 16);
  const kept = join(MODULES, `.cache/portico/database-files-${version}`);
  if (!(await isThere(kept))) await make(kept);
  await cp(kept, files, { recursive: true });
}

async function make(kept: string): Promise<void> {
  const aside = `${kept}.${randomBytes(6).toString('hex')}`;
  await mkdir(aside, { recursive: true });
  const db = await PGlite.create(aside);
  await db.close();
  try {
    await rename(aside, kept);
  } catch {
    // Another test worker was quicker.
    await rm(aside, { recursive: true });
  }
}

async function isThere(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
