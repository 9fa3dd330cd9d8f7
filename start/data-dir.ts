import { accessSync, constants, existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { StartError } from '../platform/index.ts';

/** Creates the data directory if it is missing. @throws StartError when it cannot be created or written to. */
export function prepareDataDir(dataDir: string): void {
  try {
    makePrivateDirectory(dataDir);
    // The slash makes it fail for a file.
    accessSync(`${dataDir}/`, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const why = code === 'ENOTDIR' ? `${dataDir} is a file, or is within one` : `cannot write to ${dataDir} (${code})`;
    throw new StartError(`PORTICO_DATA_DIR: ${why}`);
  }
}

// Node's own `recursive` never returns in file systems that refuse with ENOENT, such as /proc.
function makePrivateDirectory(directory: string): void {
  if (existsSync(directory)) return;
  makePrivateDirectory(dirname(directory));
  mkdirSync(directory, { mode: 0o700 });
}
