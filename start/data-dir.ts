import { accessSync, constants, existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { StartError } from '../platform/index.ts';

/** Makes the data directory where there is none. @throws StartError when it cannot be made or written to. */
export function prepareDataDir(dataDir: string): void {
  try {
    make(dataDir);
    accessSync(dataDir, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    throw new StartError(`PORTICO_DATA_DIR: cannot write to ${dataDir} (${(error as NodeJS.ErrnoException).code})`);
  }
}

// Node's own `recursive` never returns in file systems that refuse with ENOENT, such as /proc.
function make(directory: string): void {
  if (existsSync(directory)) return;
  make(dirname(directory));
  mkdirSync(directory, { mode: 0o700 });
}
