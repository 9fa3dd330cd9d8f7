import { rmdirSync } from 'node:fs';

/**
 * Removes directories that were made in vain, as far as they are empty. It never throws, because the error that is on its way
 * says why they are not needed.
 *
 * @param directories the innermost first.
 */
export function removeEmptyDirectories(directories: readonly string[]): void {
  try {
    for (const directory of directories) rmdirSync(directory);
  } catch {
    // Those above one that stays are not empty either.
  }
}
