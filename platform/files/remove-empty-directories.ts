import { rmdirSync } from 'node:fs';

/**
 * Removes directories that are not needed after a failure, if they are empty. It never throws, so that the original error is
 * reported.
 *
 * @param directories the innermost first.
 */
export function removeEmptyDirectories(directories: readonly string[]): void {
  try {
    for (const directory of directories) rmdirSync(directory);
  } catch {
    // The parents of a remaining directory are not empty either.
  }
}
