import { isServiceThere } from '../found-services.ts';
import { createPgliteDatabase } from './pglite.ts';
import { createPostgresDatabase } from './postgres.ts';

export { openTestClient, PATIENCE_MS, type TestClient } from './client.ts';
export { createDatabaseOn, POSTGRES_URL } from './postgres.ts';

/** PGlite is PostgreSQL compiled to WebAssembly, in the test's own process, behind a socket. */
export type Engine = 'pglite' | 'postgres';

export interface TestDatabase {
  readonly engine: Engine;
  /** A DATABASE_URL that any process on this machine can use. */
  readonly url: string;
  drop(): Promise<void>;
}

export interface TestDatabaseOptions {
  engine: Engine;
  /** Whether it has the current schema. Default: true. */
  migrated?: boolean;
}

/** A database of the caller's own, that is gone after `drop()`. */
export async function createTestDatabase({ engine, migrated = true }: TestDatabaseOptions): Promise<TestDatabase> {
  if (engine === 'pglite') return { engine, ...(await createPgliteDatabase(migrated)) };
  return { engine, ...(await createPostgresDatabase(migrated)) };
}

/** The engines to run a suite on: PGlite always, PostgreSQL where there is one. */
export async function availableEngines(): Promise<readonly Engine[]> {
  return isServiceThere('postgres') ? ['pglite', 'postgres'] : ['pglite'];
}

/** PostgreSQL where there is one: it copies a database, where making one of PGlite takes a fifth of a second of processor time. */
export function preferredEngine(): Engine {
  return isServiceThere('postgres') ? 'postgres' : 'pglite';
}
