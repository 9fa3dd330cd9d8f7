// How builds write what processes may be loading at the same time.
import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Files stay so long after the build that has superseded them: a process that runs from them may load another one. */
const KEPT_MS = 24 * 3_600_000;

/** Writes a file atomically: another command that starts meanwhile never reads half of it. */
export function replace(file, content) {
  mkdirSync(dirname(file), { recursive: true });
  const aside = `${file}.${randomUUID()}`;
  writeFileSync(aside, content);
  renameSync(aside, file);
}

/**
 * Makes way for a build, before it writes: what it supersedes gets the present time, and what earlier builds, or interrupted
 * ones, have left and was superseded long ago is removed.
 *
 * @param {string} directory
 * @param {{ has(name: string): boolean }} current the files of the build, by their paths in the directory
 * @param {readonly string[] | undefined} last those of the build before; undefined takes all that are there for them
 */
export function supersede(directory, current, last) {
  if (!existsSync(directory)) return;
  const superseded = last && new Set(last);
  const now = new Date();
  for (const name of readdirSync(directory, { recursive: true, encoding: 'utf8' })) {
    const file = join(directory, name);
    const stats = statSync(file, { throwIfNoEntry: false });
    if (!stats?.isFile() || current.has(name)) continue;
    if (superseded?.has(name) ?? true) utimesSync(file, now, now);
    else if (now.getTime() - stats.mtimeMs > KEPT_MS) rmSync(file, { force: true });
  }
}

/** Whether a directory has all files of a build. */
export function hasAll(directory, names) {
  return names.every((name) => existsSync(join(directory, name)));
}
