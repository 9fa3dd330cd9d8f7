import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { migrateJobs, readJobsMigrations } from '../../../gateway/jobs/engine/database/migrate.ts';
import { done } from '../../../gateway/jobs/engine/index.ts';
import { createLogger } from '../../../platform/index.ts';
import { availableEngines, createTestDatabase, type TestDatabase } from '../../database/index.ts';
import { eventually, type JobsDatabaseUnderTest, jobsOn, recorder, WORK } from './jobs-harness.ts';

const FUNCTIONS = `SELECT p.proname || '(' || pg_get_function_identity_arguments(p.oid) || ') ' || pg_get_function_result(p.oid) AS name
  FROM pg_proc p WHERE p.pronamespace = 'portico_jobs'::regnamespace`;
const COLUMNS = `SELECT table_name || '.' || column_name || ' ' || data_type AS name FROM information_schema.columns
  WHERE table_schema = 'portico_jobs' AND table_name !~ '_[0-9]{8}$'`;
const REQUIRED = `SELECT table_name || '.' || column_name AS name FROM information_schema.columns
  WHERE table_schema = 'portico_jobs' AND table_name !~ '_[0-9]{8}$' AND is_nullable = 'NO' AND column_default IS NULL`;

const migrations = readJobsMigrations();
const newest = migrations.at(-1)?.version ?? 0;

describe.each(await availableEngines())('the schema of jobs on %s', (engine) => {
  let database: TestDatabase;
  let jobs: JobsDatabaseUnderTest;
  beforeAll(async () => {
    database = await createTestDatabase({ engine, migrated: false });
  });
  afterEach(async () => {
    await jobs.close();
    await jobs.dropSchema();
  });
  afterAll(() => database.drop());
  /** Applies what a newer Portico would. */
  const migrateTo = async (...newer: readonly { version: number; oldestCompatible: number; sql?: string }[]) => {
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    try {
      const more = newer.map((one) => ({ name: `${one.version}-newer`, sql: 'SELECT 1', ...one }));
      return await migrateJobs(client, [...migrations, ...more]);
    } finally {
      await client.end();
    }
  };
  const logged = () => {
    const lines: Record<string, unknown>[] = [];
    return { lines, log: createLogger('gateway', 'info', { write: (line: string) => lines.push(JSON.parse(line)) }) };
  };

  test('a process that is rolled back works with a newer schema that says so', async () => {
    jobs = jobsOn(database);
    await jobs.open().admin.makePartitions();
    const added = 'ALTER TABLE portico_jobs.live ADD COLUMN planted text';
    expect(await migrateTo({ version: newest + 1, oldestCompatible: newest, sql: added })).toMatchObject({
      applied: [`${newest + 1}-newer`],
    });
    const { lines, log } = logged();
    const work = recorder(() => done('by the old one'));
    const old = jobs.worker(work.run, { log });
    const { id } = await old.enqueue(WORK);
    await eventually(async () => {
      const result = await old.result({ id, kind: 'work', queue: 'one', owner: undefined });
      return result?.output === 'by the old one';
    });
    expect(lines).toMatchObject([{ event: 'jobs.schema_newer', version: newest + 1, known: newest }]);
    // And the next update finds its schema as it left it.
    expect(await migrateTo({ version: newest + 1, oldestCompatible: newest })).toMatchObject({ applied: [] });
  });

  test('a newer schema that needs newer processes is refused, and the log says why', async () => {
    jobs = jobsOn(database);
    const running = jobs.open();
    await running.enqueue(WORK);
    await migrateTo(
      { version: newest + 1, oldestCompatible: newest + 1 },
      { version: newest + 2, oldestCompatible: newest },
    );
    const { lines, log } = logged();
    await expect(jobs.open({ log }).enqueue(WORK)).rejects.toMatchObject({ code: 'service-unavailable' });
    expect(lines).toMatchObject([{ event: 'jobs.database_unusable', code: 'schema-too-new' }]);
    // One that was started before continues.
    await running.enqueue(WORK);
  });

  test('what a version before this rule has migrated is compatible with nothing older', async () => {
    jobs = jobsOn(database);
    await jobs.open().admin.makePartitions();
    await jobs.sql("INSERT INTO portico_jobs.migration (version, name) VALUES (9999, '9999-newer')");
    await expect(jobs.open().enqueue(WORK)).rejects.toMatchObject({ code: 'service-unavailable' });
  });

  // What an older process calls and writes has to be there.
  test.each(
    migrations
      .filter(({ version, oldestCompatible }) => oldestCompatible < version)
      .map(({ version, oldestCompatible }) => ({ version, oldestCompatible })),
  )(
    'version $version keeps what version $oldestCompatible has, and requires nothing new of its rows',
    async ({ version, oldestCompatible }) => {
      jobs = jobsOn(database);
      const apply = async (upTo: number) => {
        const client = new pg.Client({ connectionString: database.url });
        await client.connect();
        try {
          await migrateJobs(
            client,
            migrations.filter((one) => one.version <= upTo),
          );
        } finally {
          await client.end();
        }
        const namesOf = async (text: string) => (await jobs.sql(text)).map(({ name }) => String(name));
        return {
          interface: [...(await namesOf(FUNCTIONS)), ...(await namesOf(COLUMNS))],
          tables: new Set((await namesOf(COLUMNS)).map((name) => name.split('.')[0])),
          required: await namesOf(REQUIRED),
        };
      };
      const before = await apply(oldestCompatible);
      const after = await apply(version);
      expect(before.interface.length).toBeGreaterThan(50);
      expect(before.interface.filter((name) => !after.interface.includes(name))).toEqual([]);
      const inOldTables = after.required.filter((name) => before.tables.has(name.split('.')[0]));
      expect(inOldTables.filter((name) => !before.required.includes(name))).toEqual([]);
    },
  );
});
