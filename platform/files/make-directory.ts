import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { errorCode } from '../error-code.ts';

/**
 * Creates a directory and its missing parents. With Node.js's own `recursive`, the call never returns in file systems that
 * refuse with ENOENT, such as /proc, and keeps a thread and the process busy.
 *
 * @throws the file system's error.
 */
export async function makeDirectory(directory: string, mode?: number): Promise<void> {
  const make = () =>
    mkdir(directory, { mode }).catch((error) => {
      if (errorCode(error) !== 'EEXIST') throw error;
    });
  try {
    await make();
  } catch (error) {
    const parent = dirname(directory);
    if (errorCode(error) !== 'ENOENT' || parent === directory) throw error;
    await makeDirectory(parent, mode);
    await make();
  }
}
