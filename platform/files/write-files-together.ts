import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Writes files of a directory under other names first, so that a full disk leaves the earlier ones as they were.
 *
 * @param files texts by names.
 * @throws the file system's error.
 */
export function writeFilesTogether(directory: string, files: ReadonlyMap<string, string>): void {
  const written = [...files].map(([name, text], index) => ({
    file: join(directory, name),
    unfinished: join(directory, `.unfinished-${process.pid}-${index}`),
    text,
  }));
  try {
    for (const { unfinished, text } of written) writeFileSync(unfinished, text);
    for (const { unfinished, file } of written) renameSync(unfinished, file);
  } catch (error) {
    for (const { unfinished } of written) rmSync(unfinished, { force: true });
    throw error;
  }
}
