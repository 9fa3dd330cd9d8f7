import { accessSync, constants } from 'node:fs';
import { makeDirectorySync, StartError, unwritableReason } from '../platform/index.ts';

/** Creates the data directory if it is missing. @throws StartError when it cannot be created or written to. */
export function prepareDataDir(dataDir: string): void {
  try {
    makeDirectorySync(dataDir, 0o700);
    // The slash makes it fail for a file.
    accessSync(`${dataDir}/`, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    throw new StartError(`PORTICO_DATA_DIR: ${unwritableReason(dataDir, error)}`);
  }
}
