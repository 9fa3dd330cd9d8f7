// How builds write what processes may be loading at the same time.
import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Files of earlier builds stay so long: a process that runs from them may load another one. */
const KEPT_MS = 24 * 3_600_000;

/** Writes a file atomically: another command that starts meanwhile never reads half of it. */
export function replace(file, content) {
  mkdirSync(dirname(file), { recursive: true });
  const aside = `${file}.${randomUUID()}`;
  writeFileSync(aside, content);
  renameSync(aside, file);
}

/**
 * Removes what earlier builds, or interrupted ones, have left in a directory.
 *
 * @param {string} directory
 * @param {{ has(name: string): boolean }} current the files that stay, by their paths in the directory
 */
export function removeOld(directory, current) {
  if (!existsSync(directory)) return;
  for (const name of readdirSync(directory, { recursive: true, encoding: 'utf8' })) {
    const stats = statSync(join(directory, name), { throwIfNoEntry: false });
    if (stats?.isFile() && !current.has(name) && Date.now() - stats.mtimeMs > KEPT_MS)
      rmSync(join(directory, name), { force: true });
  }
}
