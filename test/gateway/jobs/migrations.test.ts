import { readFileSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { type JobsMigration, migrateJobs, readJobsMigrations } from '../../../gateway/jobs/engine/database/migrate.ts';
import { done, openJobsAdmin } from '../../../gateway/jobs/engine/index.ts';
import { createLogger } from '../../../platform/index.ts';
import { availableEngines, createTestDatabase, type TestDatabase } from '../../database/index.ts';
import { eventually, type JobsDatabaseUnderTest, jobsOn, recorder, WORK } from './jobs-harness.ts';

const FUNCTIONS = `SELECT p.proname || '(' || pg_get_function_identity_arguments(p.oid) || ') ' || pg_get_function_result(p.oid) AS name
  FROM pg_proc p WHERE p.pronamespace = 'portico_jobs'::regnamespace`;
const COLUMNS = `SELECT table_name || '.' || column_name || ' ' || data_type AS name FROM information_schema.columns
  WHERE table_schema = 'portico_jobs' AND table_name !~ '_[0-9]{8}$'`;
const REQUIRED = `SELECT table_name || '.' || column_name AS name FROM information_schema.columns
  WHERE table_schema = 'portico_jobs' AND table_name !~ '_[0-9]{8}$' AND is_nullable = 'NO' AND column_default IS NULL`;

/** All that the schema is made of but partitions, with the rows of `migration` left out. */
const CATALOG = `
  SELECT 'column' AS kind, c.relname || '.' || a.attname AS name,
    concat_ws(' ', row_number() OVER (PARTITION BY c.oid ORDER BY a.attnum), format_type(a.atttypid, a.atttypmod), n.collname,
      a.attnotnull, pg_get_expr(d.adbin, d.adrelid)) AS definition
  FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid LEFT JOIN pg_collation n ON n.oid = a.attcollation
  LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum
  WHERE c.relnamespace = 'portico_jobs'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
    AND a.attnum > 0 AND NOT a.attisdropped
  UNION ALL
  SELECT 'table', c.relname, concat_ws(' ', c.relkind, c.relpersistence, c.reloptions::text, pg_get_partkeydef(c.oid))
  FROM pg_class c WHERE c.relnamespace = 'portico_jobs'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
  UNION ALL
  SELECT 'index', c.relname, concat_ws(' ', pg_get_indexdef(i.indexrelid), i.indisvalid)
  FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
  WHERE c.relnamespace = 'portico_jobs'::regnamespace AND NOT c.relispartition
    AND NOT (SELECT t.relispartition FROM pg_class t WHERE t.oid = i.indrelid)
  UNION ALL
  SELECT 'constraint', c.relname || '.' || k.conname, pg_get_constraintdef(k.oid)
  FROM pg_constraint k JOIN pg_class c ON c.oid = k.conrelid
  WHERE c.relnamespace = 'portico_jobs'::regnamespace AND NOT c.relispartition
  UNION ALL
  SELECT 'sequence', sequencename, concat_ws(' ', data_type, start_value, min_value, max_value, increment_by, cycle, cache_size)
  FROM pg_sequences WHERE schemaname = 'portico_jobs'
  UNION ALL
  SELECT 'function', p.oid::regprocedure::text, pg_get_functiondef(p.oid)
  FROM pg_proc p WHERE p.pronamespace = 'portico_jobs'::regnamespace
  ORDER BY 1, 2`;

/** A schema that a gateway of version 10 has made. Its versions 6 to 9 have nothing that it lacks. */
const VERSION_10 = readFileSync(new URL('schema-version-10.sql', import.meta.url), 'utf8');
const ACCEPT_IN_VERSION_10 = `SELECT id FROM portico_jobs.accept(jsonb_build_array(
  jsonb_build_object('index', 0, 'id', gen_random_uuid(), 'kind', 'work', 'queue', 'one', 'tenant', '', 'max_attempts', 3,
    'payload', 'plain', 'is_watched', false),
  jsonb_build_object('index', 1, 'id', gen_random_uuid(), 'kind', 'work', 'queue', 'one', 'tenant', '', 'max_attempts', 3,
    'payload', 'first of its key', 'is_watched', false, 'order_key', 'a'),
  jsonb_build_object('index', 2, 'id', gen_random_uuid(), 'kind', 'work', 'queue', 'one', 'tenant', '', 'max_attempts', 3,
    'payload', 'second of its key', 'is_watched', false, 'order_key', 'a', 'given_key', 'once')))`;

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
  const migrate = async (known: readonly JobsMigration[]) => {
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    try {
      return await migrateJobs(client, known);
    } finally {
      await client.end();
    }
  };
  /** Applies what a newer Portico would. */
  const migrateTo = (...newer: readonly { version: number; oldestCompatible: number; sql?: string }[]) => {
    const more = newer.map((one) => ({ name: `${one.version}-newer`, sql: 'SELECT 1', ...one }));
    return migrate([...migrations, ...more]);
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

  test('a numbered migration is applied, and the functions are created again', async () => {
    jobs = jobsOn(database);
    await jobs.open().admin.makePartitions();
    const dropped = 'DROP FUNCTION portico_jobs.purge(uuid[])';
    await migrateTo({ version: newest + 1, oldestCompatible: newest, sql: dropped });
    expect(await jobs.sql("SELECT to_regprocedure('portico_jobs.purge(uuid[])') IS NOT NULL AS is_there")).toEqual([
      { is_there: true },
    ]);
    const rows = await jobs.sql('SELECT version, oldest_compatible FROM portico_jobs.migration ORDER BY version');
    expect(rows.slice(-1)).toEqual([{ version: newest + 1, oldest_compatible: newest }]);
  });

  test('a database of version 10 is upgraded to the schema of a new one, and its jobs are run', async () => {
    jobs = jobsOn(database);
    await jobs.sql(VERSION_10);
    await jobs.sql('SELECT portico_jobs.make_partitions(1)');
    // A function with another body than the current one.
    await jobs.sql("CREATE OR REPLACE FUNCTION portico_jobs.purge(ids uuid[]) RETURNS int LANGUAGE sql AS 'SELECT 0'");
    const accepted = (await jobs.sql(ACCEPT_IN_VERSION_10)).map(({ id }) => id);
    const { lines, log } = logged();
    const work = recorder(() => done());
    const worker = jobs.worker(work.run, { log });
    await eventually(async () => (await worker.admin.list({ states: ['done'] })).length === accepted.length);
    expect(work.jobs.map(({ id }) => id).sort()).toEqual([...accepted].sort());
    expect(lines).toMatchObject([{ event: 'jobs.migrated', migrations: migrations.map(({ name }) => name) }]);
    const { id, isKnown } = await worker.enqueue({ ...WORK, orderKey: 'a', idempotencyKey: 'once' });
    expect([id, isKnown]).toEqual([work.jobs.find(({ idempotencyKey }) => idempotencyKey === 'once')?.id, true]);

    await worker.stop(1_000);
    const upgraded = await jobs.sql(CATALOG);
    await jobs.dropSchema();
    await jobs.open().admin.makePartitions();
    const made = await jobs.sql(CATALOG);
    expect(upgraded).toEqual(made);
    expect(made.length).toBeGreaterThan(100);
  });

  test('a database of version 11 gets what came later, and keeps its jobs', async () => {
    jobs = jobsOn(database);
    await jobs.sql(VERSION_10);
    await jobs.sql(
      "INSERT INTO portico_jobs.migration (version, name, oldest_compatible) VALUES (11, '0011-schema', 6)",
    );
    await jobs.sql('SELECT portico_jobs.make_partitions(1)');
    const accepted = (await jobs.sql(ACCEPT_IN_VERSION_10)).map(({ id }) => id);
    const { lines, log } = logged();
    const worker = jobs.worker(recorder(() => done()).run, { log });
    await eventually(async () => (await worker.admin.list({ states: ['done'] })).length === accepted.length);
    const later = migrations.filter(({ version }) => version > 11).map(({ name }) => name);
    expect(lines).toMatchObject([{ event: 'jobs.migrated', migrations: later }]);
    expect(later).toEqual(['0012-progress']);
    await worker.stop(1_000);
    const upgraded = await jobs.sql(CATALOG);
    await jobs.dropSchema();
    await jobs.open().admin.makePartitions();
    expect(upgraded).toEqual(await jobs.sql(CATALOG));
  });

  test('processes that start at once upgrade a database once', async () => {
    jobs = jobsOn(database);
    await jobs.sql(VERSION_10);
    // A process that waits for another one to make partitions gives up after half a second.
    await jobs.sql('SELECT portico_jobs.make_partitions(7)');
    const { lines, log } = logged();
    await Promise.all([1, 2, 3].map(() => jobs.open({ log }).admin.makePartitions()));
    expect(lines).toMatchObject([{ event: 'jobs.migrated' }]);
    const versions = await jobs.sql('SELECT version FROM portico_jobs.migration WHERE version > 10 ORDER BY version');
    expect(versions).toEqual(migrations.map(({ version }) => ({ version })));
  });

  test.each([6, 10])('a gateway that knows version %i works beside the schema', async (known) => {
    jobs = jobsOn(database);
    await jobs.open().admin.makePartitions();
    const older = { version: known, name: `${known}-older`, sql: 'SELECT 1', oldestCompatible: known };
    expect(await migrate([older])).toMatchObject({ applied: [], version: newest, known });
  });

  test('schemas of versions 1 to 9 are refused and left as they are, and the log says what to do', async () => {
    jobs = jobsOn(database);
    await jobs.sql(VERSION_10);
    for (const version of [9, 8, 7, 6, 5, 4, 3, 2, 1]) {
      await jobs.sql(`DELETE FROM portico_jobs.migration WHERE version > ${version}`);
      // The column came with version 7.
      if (version === 6) await jobs.sql('ALTER TABLE portico_jobs.migration DROP COLUMN oldest_compatible');
      const { lines, log } = logged();
      const opened = jobs.open({ log });
      await expect(opened.enqueue(WORK)).rejects.toMatchObject({ code: 'service-unavailable' });
      const reason = expect.stringMatching(
        new RegExp(`portico_jobs has version ${version}, .* development version of .* drop the schema portico_jobs`),
      );
      expect(lines).toMatchObject([{ event: 'jobs.database_unusable', code: 'schema-too-old', reason }]);
      const command = openJobsAdmin({ url: database.url, log });
      await expect(command.admin.stats()).rejects.toMatchObject({ code: 'schema-too-old', message: reason });
      await Promise.all([command.close(), opened.stop(0)]);
      const [row] = await jobs.sql('SELECT max(version) AS version FROM portico_jobs.migration');
      expect(row).toEqual({ version });
    }
  });

  test('an operator’s command does not upgrade a database of version 10', async () => {
    jobs = jobsOn(database);
    await jobs.sql(VERSION_10);
    const { admin, close } = openJobsAdmin({ url: database.url, log: logged().log });
    await expect(admin.stats()).rejects.toMatchObject({
      code: 'schema-too-old',
      message: expect.stringContaining(`in version 10, not ${newest}`),
    });
    await close();
  });

  // What an older process calls and writes has to be there. Once a migration excludes version 10, this compares with the version that
  // it is compatible with.
  test('the schema keeps what version 10 has, and requires nothing new of its rows', async () => {
    jobs = jobsOn(database);
    const namesOf = async (text: string) => (await jobs.sql(text)).map(({ name }) => String(name));
    const read = async () => ({
      interface: [...(await namesOf(FUNCTIONS)), ...(await namesOf(COLUMNS))],
      tables: new Set((await namesOf(COLUMNS)).map((name) => name.split('.')[0])),
      required: await namesOf(REQUIRED),
    });
    await jobs.sql(VERSION_10);
    const before = await read();
    await migrateTo();
    const after = await read();
    expect(before.interface.length).toBeGreaterThan(50);
    expect(before.interface.filter((name) => !after.interface.includes(name))).toEqual([]);
    const inOldTables = after.required.filter((name) => before.tables.has(name.split('.')[0]));
    expect(inOldTables.filter((name) => !before.required.includes(name))).toEqual([]);
  });
});
