import { randomBytes } from 'node:crypto';
import pg from 'pg';

/** A server where databases may be made and dropped. */
export const POSTGRES_URL = process.env.TEST_DATABASE_URL || 'postgresql://postgres@127.0.0.1:5432/postgres';

/**
 * Whether there is a PostgreSQL to test on.
 *
 * @throws Error when TEST_DATABASE_URL is set and nothing answers there: who sets it wants it used.
 */
export async function postgresAnswers(): Promise<boolean> {
  const client = new pg.Client({ connectionString: POSTGRES_URL, connectionTimeoutMillis: 5_000 });
  try {
    await client.connect();
    await client.end();
    return true;
  } catch (error) {
    if (process.env.TEST_DATABASE_URL) throw new Error('TEST_DATABASE_URL cannot be used', { cause: error });
    return false;
  }
}

/** An empty database on the server. */
export async function createPostgresDatabase(): Promise<{ url: string; drop(): Promise<void> }> {
  const name = `portico_test_${randomBytes(6).toString('hex')}`;
  await onServer(`CREATE DATABASE ${name}`);
  return { url: createDatabaseOn(POSTGRES_URL, name), drop: () => onServer(`DROP DATABASE ${name} WITH (FORCE)`) };
}

/** `url` with another database's name in it. */
export function createDatabaseOn(url: string, name: string): string {
  const changed = new URL(url);
  changed.pathname = `/${name}`;
  return changed.href;
}

async function onServer(statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: POSTGRES_URL });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
