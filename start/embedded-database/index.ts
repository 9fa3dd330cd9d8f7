import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { compiledFile } from '../../platform/index.ts';
import { DEMO_DATA_VERSION } from '../demo-accounts.ts';
import { isDataLocked } from './data-lock.ts';
import { databaseFiles } from './files.ts';
import { embeddedDatabaseUrl, socketDirectoryOf } from './socket-directory.ts';

/** The embedded database of a data directory, for other processes. */
export interface EmbeddedDatabase {
  /** Its URL for PostgreSQL clients. */
  readonly url: string;
  /** Where its files are. */
  readonly files: string;
  /** The compiled script that runs it, and its arguments. */
  readonly process: { readonly script: string; readonly arguments: readonly string[] };
  /** Whether its files exist. */
  exists(): boolean;
  /** Whether a process runs it now. */
  isRunning(): Promise<boolean>;
  /** Whether the demo data of this version was added once. Demo data that was deleted since is not added again. */
  hasDemoData(): boolean;
  /** Whether demo data of another version was added. */
  hasOtherDemoData(): boolean;
  recordDemoData(): void;
}

/** The first version was recorded without its number. */
const DEMO_RECORD = `The demo tenants and users have been put into this database, version ${DEMO_DATA_VERSION}.\n`;

/** @throws StartError on a system that cannot run it. */
export function embeddedDatabaseIn(dataDir: string): EmbeddedDatabase {
  const files = databaseFiles(dataDir);
  const demoRecord = join(files, 'portico-demo-data');
  return {
    url: embeddedDatabaseUrl(dataDir),
    files,
    process: { script: compiledFile('start/embedded-database/main.js'), arguments: [dataDir] },
    exists: () => existsSync(files),
    isRunning: () => isDataLocked(socketDirectoryOf(dataDir)),
    hasDemoData: () => existsSync(demoRecord) && readFileSync(demoRecord, 'utf8') === DEMO_RECORD,
    hasOtherDemoData: () => existsSync(demoRecord) && readFileSync(demoRecord, 'utf8') !== DEMO_RECORD,
    recordDemoData: () => writeFileSync(demoRecord, DEMO_RECORD),
  };
}
