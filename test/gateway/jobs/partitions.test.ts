import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { done } from '../../../gateway/jobs/engine/index.ts';
import { availableEngines, createTestDatabase, type TestDatabase } from '../../database/index.ts';
import { eventually, type JobsDatabaseUnderTest, jobsOn, recorder, WORK } from './jobs-harness.ts';

const OLD = `CREATE TABLE portico_jobs.finished_20200101 PARTITION OF portico_jobs.finished
  FOR VALUES FROM ('2020-01-01') TO ('2020-01-02')`;
const PARTITIONS = `SELECT c.relname FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
  WHERE i.inhparent = 'portico_jobs.finished'::regclass ORDER BY 1`;

describe.each(await availableEngines())('partitions of jobs on %s', (engine) => {
  let database: TestDatabase;
  let jobsOfTest: JobsDatabaseUnderTest;
  beforeAll(async () => {
    database = await createTestDatabase({ engine, migrated: false });
  });
  afterEach(async () => {
    await jobsOfTest.close();
    await jobsOfTest.dropSchema();
  });
  afterAll(() => database.drop());
  const onServer = engine === 'postgres' ? test : test.skip;

  test('those of the next days are made, have the rules and indexes of their table, and are dropped with age', async () => {
    jobsOfTest = jobsOn(database);
    const { admin } = jobsOfTest.open();
    await admin.makePartitions();
    expect(await jobsOfTest.sql(PARTITIONS)).toHaveLength(9);
    const [row] = await jobsOfTest.sql(`SELECT count(*)::int AS indexes FROM pg_indexes
      WHERE schemaname = 'portico_jobs' AND tablename = 'finished_' || to_char(timezone('UTC', now()), 'YYYYMMDD')`);
    const [parent] = await jobsOfTest.sql(
      "SELECT count(*)::int AS indexes FROM pg_indexes WHERE schemaname = 'portico_jobs' AND tablename = 'finished'",
    );
    expect(row).toEqual(parent);
    await jobsOfTest.sql(OLD);
    expect(await admin.dropPartition(7, 30)).toBe('finished_20200101');
    expect(await admin.dropPartition(7, 30)).toBeUndefined();
  });

  onServer(
    'a reader of hours keeps partitions from being dropped, and keeps no job and no new partition waiting',
    async () => {
      jobsOfTest = jobsOn(database);
      const { worker, sql } = jobsOfTest;
      const jobs = worker(recorder(() => done()).run);
      await jobs.admin.makePartitions();
      const [last] = (await sql(PARTITIONS)).slice(-1);
      await sql(`DROP TABLE portico_jobs.${last?.relname}`);
      await sql(OLD);
      const reader = new pg.Client({ connectionString: database.url });
      await reader.connect();
      try {
        await reader.query('BEGIN');
        await reader.query('SELECT count(*) FROM portico_jobs.finished');
        const dropping = jobs.admin.dropPartition(7, 30).catch(({ code }: { code: string }) => code);
        await jobs.enqueue(WORK);
        await eventually(async () => (await jobs.admin.list({ states: ['done'] })).length === 1);
        expect(await dropping).toBe('55P03');
        await jobs.admin.makePartitions();
        expect((await sql(PARTITIONS)).at(-1)).toEqual(last);
        await reader.query('COMMIT');
      } finally {
        await reader.end();
      }
      expect(await jobs.admin.dropPartition(7, 30)).toBe('finished_20200101');
    },
  );

  test('a day without a partition costs no job its result', async () => {
    jobsOfTest = jobsOn(database);
    const { worker, sql } = jobsOfTest;
    const work = recorder(() => done('kept'));
    const jobs = worker(work.run);
    await jobs.admin.makePartitions();
    for (const { relname } of await sql(PARTITIONS)) await sql(`DROP TABLE portico_jobs.${relname}`);
    const { id } = await jobs.enqueue(WORK);
    await eventually(() => work.jobs.length === 1);
    await jobs.admin.makePartitions();
    const asked = { id, kind: 'work', queue: 'one', owner: undefined };
    await eventually(async () => (await jobs.result(asked))?.output === 'kept');
    expect(work.jobs).toHaveLength(1);
  });

  test('settings of a statement end with it', async () => {
    jobsOfTest = jobsOn(database);
    const { open, sql } = jobsOfTest;
    const settings = () =>
      sql("SELECT current_setting('statement_timeout') AS timeout, current_setting('synchronous_commit') AS commit");
    const before = await settings();
    const { admin } = open();
    await admin.makePartitions();
    await admin.stats();
    expect(await settings()).toEqual(before);
  });
});
