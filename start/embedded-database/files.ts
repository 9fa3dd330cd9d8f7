import { join } from 'node:path';

/** Where the database's own files are, inside the data directory. */
export function databaseFiles(dataDir: string): string {
  return join(dataDir, 'postgres');
}
