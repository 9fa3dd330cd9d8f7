import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, relative } from 'node:path';

/** Something as it was in a commit, put into a directory of its own. */
export interface Checkout {
  readonly path: string;
  remove(): void;
}

/**
 * Takes a directory or file out of a commit of the git repository that it is in.
 *
 * @returns undefined when `ref` is no commit or has nothing there.
 */
export function checkOut(ref: string, location: string): Checkout | undefined {
  const isFile = statSync(location, { throwIfNoEntry: false })?.isFile() ?? false;
  const within = isFile ? dirname(location) : location;
  const git = (...args: string[]) =>
    execFileSync('git', args, { cwd: within, maxBuffer: 1 << 28, stdio: ['ignore', 'pipe', 'ignore'] });
  const target = mkdtempSync(join(tmpdir(), 'portico-check-'));
  const remove = () => rmSync(target, { recursive: true, force: true });
  try {
    const top = git('rev-parse', '--show-toplevel').toString().trim();
    const prefix = git('rev-parse', '--show-prefix').toString().trim();
    const commit = git('rev-parse', '--verify', '--end-of-options', `${ref}^{commit}`).toString().trim();
    const wanted = isFile ? prefix + basename(location) : prefix || '.';
    const files = git('-C', top, 'ls-tree', '-r', '-z', '--name-only', commit, '--', wanted)
      .toString()
      .split('\0')
      .filter(Boolean);
    for (const file of files) {
      const copy = join(target, relative(prefix, file));
      mkdirSync(dirname(copy), { recursive: true });
      writeFileSync(copy, git('-C', top, 'show', `${commit}:${file}`));
    }
    if (files.length > 0) return { path: isFile ? join(target, basename(location)) : target, remove };
  } catch {
    // No repository, no such commit, or no git.
  }
  remove();
  return undefined;
}
