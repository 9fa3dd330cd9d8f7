import { existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { errorCode } from '../error-code.ts';
import { removeEmptyDirectories } from './remove-empty-directories.ts';

/**
 * Like `makeDirectory`, but synchronous, for commands and starts. If it throws, none of the directories that it made are left.
 *
 * @returns the directories that were made, the innermost first.
 * @throws the file system's error: EEXIST or ENOTDIR if the path or one above it is a file or a broken symbolic link.
 */
export function makeDirectorySync(directory: string, mode?: number): readonly string[] {
  if (isDirectory(directory)) return [];
  const parent = dirname(directory);
  const above = parent === directory ? [] : makeDirectorySync(parent, mode);
  try {
    mkdirSync(directory, { mode });
  } catch (error) {
    // Another process may have made the directory meanwhile.
    if (errorCode(error) === 'EEXIST' && isDirectory(directory)) return above;
    removeEmptyDirectories(above);
    throw error;
  }
  return [directory, ...above];
}

function isDirectory(path: string): boolean {
  // With the trailing slash, the result is false for a file.
  return existsSync(`${path}/`);
}
