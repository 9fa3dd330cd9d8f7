import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, relative } from 'node:path';

/** The content of a commit, extracted to a directory. */
export interface Checkout {
  readonly path: string;
  remove(): void;
}

/**
 * Extracts a directory or file from a commit of its git repository.
 *
 * @returns undefined if `ref` is not a commit or does not contain the path.
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
    // There is no repository, no such commit, or no git.
  }
  remove();
  return undefined;
}
