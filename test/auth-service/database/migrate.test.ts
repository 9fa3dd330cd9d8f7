import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { connectToDatabase, migrate } from '../../../auth-service/database/index.ts';
import { withSchemaEngine } from '../../../auth-service/database/schema-engine.ts';
import { availableEngines, createTestDatabase, type TestDatabase } from '../../database/index.ts';

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url));
const run = promisify(execFile);

/** Everything that makes up the tables, one line each: columns, constraints, indexes, values of enums. Not partitions. */
const CATALOG = `
  SELECT format('column %s.%s %s %s null %s default %s', table_name, column_name, udt_name, datetime_precision,
    is_nullable, column_default) AS line FROM information_schema.columns WHERE table_schema = 'public'
      AND NOT (SELECT relispartition FROM pg_class WHERE oid = table_name::regclass)
  UNION ALL
  SELECT format('constraint %s %s %s', conrelid::regclass, conname, pg_get_constraintdef(pg_constraint.oid))
    FROM pg_constraint JOIN pg_class ON pg_class.oid = conrelid
    WHERE connamespace = 'public'::regnamespace AND contype <> 'n' AND NOT relispartition
  UNION ALL
  SELECT format('index %s', replace(indexdef, ' ON ONLY ', ' ON ')) FROM pg_indexes WHERE schemaname = 'public'
    AND NOT (SELECT relispartition FROM pg_class WHERE oid = tablename::regclass)
  UNION ALL
  SELECT format('value %s %s %s', enumtypid::regtype, enumsortorder, enumlabel) FROM pg_enum
  ORDER BY line`;

async function migrationNames(): Promise<string[]> {
  const entries = await readdir(path('../../../prisma/migrations'), { withFileTypes: true });
  return entries
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .sort();
}

async function catalog(query: (sql: string) => Promise<Record<string, unknown>[]>): Promise<string[]> {
  return (await query(CATALOG)).map(({ line }) => String(line));
}

async function sqlOfSchema(databaseUrl: string): Promise<string> {
  const schema = path('../../../prisma/schema.prisma');
  const files = [{ path: schema, content: await readFile(schema, 'utf8') }];
  const { stdout } = await withSchemaEngine(databaseUrl, (engine) =>
    engine.diff({
      from: { tag: 'empty' },
      to: { tag: 'schemaDatamodel', files },
      script: true,
      exitCode: null,
      filters: { externalTables: [], externalEnums: [] },
    }),
  );
  return stdout ?? '';
}

const MIGRATE = `
  import { migrate } from ${JSON.stringify(path('../../../dist/auth-service/database/index.js'))};
  console.log(JSON.stringify(await migrate(process.env.DATABASE_URL)));
`;

describe.each(await availableEngines())('migrating an empty database, on %s', (engine) => {
  let database: TestDatabase;
  beforeEach(async () => {
    database = await createTestDatabase({ engine, migrated: false });
  });
  afterEach(() => database.drop());

  async function query(sql: string): Promise<Record<string, unknown>[]> {
    const client = await connectToDatabase(database.url);
    try {
      return (await client.query(sql)).rows;
    } finally {
      await client.end();
    }
  }

  test('it is done once, and noted as Prisma Migrate notes it', async () => {
    const first = await migrate(database.url);
    const second = await migrate(database.url);

    expect(first).toEqual(await migrationNames());
    expect(second).toEqual([]);
    const noted = await query(
      'SELECT migration_name, finished_at IS NOT NULL AS finished FROM _prisma_migrations ORDER BY 1',
    );
    expect(noted).toEqual(first.map((name) => ({ migration_name: name, finished: true })));
  });

  test('the migrations make exactly the tables that Prisma would make of the schema', async () => {
    await migrate(database.url);
    const madeByMigrations = await catalog(query);

    await query('DROP SCHEMA public CASCADE');
    await query(await sqlOfSchema(database.url));
    const madeBySchema = await catalog(query);

    expect(madeByMigrations.filter((line) => !line.includes('_prisma_migrations'))).toEqual(madeBySchema);
    expect(madeBySchema.length).toBeGreaterThan(50);
  });

  test('every table of tenants holds tenant_id in its primary key and in every foreign key to another', async () => {
    await migrate(database.url);
    const keys = await query(`
      SELECT conrelid::regclass::text AS "table", contype AS type, pg_get_constraintdef(oid) AS definition
      FROM pg_constraint
      WHERE contype IN ('p', 'f') AND connamespace = 'public'::regnamespace AND conrelid IN (
        SELECT attrelid FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid
        WHERE attname = 'tenant_id' AND NOT attisdropped AND NOT relispartition)
      ORDER BY 1`);

    expect(new Set(keys.map(({ table }) => table))).toEqual(
      new Set(['audit_log', 'oauth_clients', 'refresh_tokens', 'revocations', 'role_claims', 'sessions', 'users']),
    );
    expect(keys.filter(({ type }) => type === 'p')).toHaveLength(7);
    expect(keys.filter(({ type }) => type === 'f')).toHaveLength(5);
    for (const { definition } of keys) expect(definition).toMatch(/^(PRIMARY|FOREIGN) KEY \(tenant_id[,)]/);
  });

  test('a database with tables of others is left alone', async () => {
    await query('CREATE TABLE somebody_elses (id int)');

    await expect(migrate(database.url)).rejects.toThrow(
      /^DATABASE_URL: the database cannot be migrated: The database schema is not empty/,
    );
    expect(await query("SELECT table_name FROM information_schema.tables WHERE table_schema = 'public'")).toEqual([
      { table_name: 'somebody_elses' },
    ]);
  });

  if (engine === 'postgres')
    test('several processes at once migrate it once', async () => {
      const outputs = await Promise.all(
        Array.from({ length: 4 }, () =>
          run(process.execPath, ['--input-type=module', '-e', MIGRATE], {
            env: { ...process.env, NODE_OPTIONS: '', DATABASE_URL: database.url },
          }),
        ),
      );
      const applied = outputs.map(({ stdout }) => JSON.parse(stdout));

      expect(applied.filter((names) => names.length > 0)).toHaveLength(1);
      expect(outputs.map(({ stderr }) => stderr)).toEqual(outputs.map(() => ''));
      expect(await query('SELECT count(*)::int AS count FROM _prisma_migrations')).toEqual([
        { count: (await migrationNames()).length },
      ]);
    });
});
