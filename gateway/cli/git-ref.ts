import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';

/**
 * Takes a directory out of a commit of the git repository that it is in.
 *
 * @returns where it was put and what removes it again; undefined when `ref` is no commit or has no such directory.
 */
export function checkoutDirectory(ref: string, directory: string): { path: string; remove: () => void } | undefined {
  const git = (...args: string[]) =>
    execFileSync('git', args, { cwd: directory, maxBuffer: 1 << 28, stdio: ['ignore', 'pipe', 'ignore'] });
  try {
    const top = git('rev-parse', '--show-toplevel').toString().trim();
    const prefix = git('rev-parse', '--show-prefix').toString().trim();
    const commit = git('rev-parse', '--verify', '--end-of-options', `${ref}^{commit}`).toString().trim();
    const files = git('-C', top, 'ls-tree', '-r', '-z', '--name-only', commit, '--', prefix || '.')
      .toString()
      .split('\0')
      .filter(Boolean);
    if (files.length === 0) return undefined;
    const path = mkdtempSync(join(tmpdir(), 'portico-check-'));
    for (const file of files) {
      const target = join(path, relative(prefix, file));
      mkdirSync(dirname(target), { recursive: true });
      writeFileSync(target, git('-C', top, 'show', `${commit}:${file}`));
    }
    return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
  } catch {
    return undefined;
  }
}
