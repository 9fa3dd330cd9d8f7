import { existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * As `makeDirectory`, for commands and starts, which do one thing after the other.
 *
 * @returns the directories that were made, the innermost first.
 * @throws the file system's error; EEXIST or ENOTDIR where the path or one above it is a file.
 */
export function makeDirectorySync(directory: string, mode?: number): readonly string[] {
  // The slash makes it false for a file.
  if (existsSync(`${directory}/`)) return [];
  const parent = dirname(directory);
  const above = parent === directory ? [] : makeDirectorySync(parent, mode);
  mkdirSync(directory, { mode });
  return [directory, ...above];
}
