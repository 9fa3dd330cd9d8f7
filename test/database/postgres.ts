import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { migrate } from '../../auth-service/database/index.ts';
import { migrationsHash } from './migrations-hash.ts';

/** A server where databases may be made and dropped. */
export const POSTGRES_URL = process.env.TEST_DATABASE_URL || 'postgresql://postgres@127.0.0.1:5432/postgres';

/** A database on the server, empty or with the current schema. */
export async function createPostgresDatabase(migrated: boolean): Promise<{ url: string; drop(): Promise<void> }> {
  const name = newName();
  await onServer(`CREATE DATABASE ${name} ${migrated ? `TEMPLATE ${await migratedTemplate()}` : ''}`);
  return { url: createDatabaseOn(POSTGRES_URL, name), drop: () => onServer(`DROP DATABASE ${name} WITH (FORCE)`) };
}

const TEMPLATES = 'portico_test_template_';
/** Keeps test processes from making the same template at once. */
const TEMPLATE_LOCK = 7_290_411_308;

/** What migrated databases are copied from: migrating one takes seconds. Made once per state of the migrations. */
async function migratedTemplate(): Promise<string> {
  const name = `${TEMPLATES}${await migrationsHash()}`;
  const client = new pg.Client({ connectionString: POSTGRES_URL });
  await client.connect();
  try {
    await client.query('SELECT pg_advisory_lock($1)', [TEMPLATE_LOCK]);
    const { rows } = await client.query('SELECT FROM pg_database WHERE datname = $1', [name]);
    if (rows.length > 0) return name;
    const making = newName();
    await client.query(`CREATE DATABASE ${making}`);
    await migrate(createDatabaseOn(POSTGRES_URL, making));
    // Only now does it have the name that others look for.
    await client.query(`ALTER DATABASE ${making} RENAME TO ${name}`);
    return name;
  } finally {
    await client.end();
  }
}

function newName(): string {
  return `portico_test_${randomBytes(6).toString('hex')}`;
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
