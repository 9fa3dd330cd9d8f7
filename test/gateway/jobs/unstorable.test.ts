import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { done, type Json } from '../../../gateway/jobs/engine/index.ts';
import { availableEngines, createTestDatabase, type TestDatabase } from '../../database/index.ts';
import { eventually, type JobsDatabaseUnderTest, jobsOn, recorder, WORK } from './jobs-harness.ts';

function nested(depth: number): Json {
  return JSON.parse('['.repeat(depth) + ']'.repeat(depth)) as Json;
}

describe.each(await availableEngines())('jobs that cannot be stored on %s', (engine) => {
  let database: TestDatabase;
  let jobsOfTest: JobsDatabaseUnderTest;
  beforeAll(async () => {
    database = await createTestDatabase({ engine, migrated: false });
  });
  afterEach(async () => {
    await jobsOfTest.close();
    await jobsOfTest.sql('ALTER TABLE portico_jobs.finished DROP CONSTRAINT IF EXISTS refuses');
    await jobsOfTest.sql('DROP FUNCTION IF EXISTS portico_jobs.fail CASCADE');
  });
  afterAll(() => database.drop());
  const openDatabase = (): JobsDatabaseUnderTest => {
    jobsOfTest = jobsOn(database);
    return jobsOfTest;
  };

  test('an answer that is too deep fails its job alone, and the deepest that is allowed is stored', async () => {
    const { worker } = openDatabase();
    const jobs = worker(recorder(({ payload }) => done(nested(Number(payload)))).run);
    const ids = await Promise.all([512, 6_500, 2].map((payload) => jobs.enqueue({ ...WORK, payload })));
    await eventually(async () => (await jobs.admin.list({ states: ['done', 'failed'] })).length === 3);
    const results = await Promise.all(
      ids.map(({ id }) => jobs.result({ id, kind: 'work', queue: 'one', owner: undefined })),
    );
    expect(results).toMatchObject([
      { state: 'done', output: nested(512) },
      { state: 'failed', reason: 'too-large', output: null },
      { state: 'done', output: [[]] },
    ]);
  });

  test('a job whose outcome the database refuses is dead without it, and the others of its batch are done', async () => {
    const { worker, open, sql } = openDatabase();
    await open().admin.makePartitions();
    await sql(
      `ALTER TABLE portico_jobs.finished ADD CONSTRAINT refuses CHECK (output IS DISTINCT FROM '"refused"'::jsonb)`,
    );
    const jobs = worker(recorder(({ payload }) => done(payload)).run);
    const ids = await Promise.all(['a', 'refused', 'b'].map((payload) => jobs.enqueue({ ...WORK, payload })));
    await eventually(async () => (await jobs.admin.list({ states: ['done', 'dead'] })).length === 3);
    const results = await Promise.all(
      ids.map(({ id }) => jobs.result({ id, kind: 'work', queue: 'one', owner: undefined })),
    );
    expect(results).toMatchObject([
      { state: 'done', output: 'a' },
      { state: 'dead', reason: 'unstorable', output: null, errors: null },
      { state: 'done', output: 'b' },
    ]);
  });

  test.each([
    ['a page that cannot be read', 'XX001'],
    ['an exception of a trigger', 'P0001'],
    ['a missing table', '42P01'],
    ['a disk that is full', '53100'],
  ])('%s while an outcome is written costs no job its result, and delays no other', async (_what, code) => {
    const { worker, open, sql } = openDatabase();
    await open().admin.makePartitions();
    await sql(`CREATE FUNCTION portico_jobs.fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      IF NEW.output = '"failing"' THEN RAISE EXCEPTION 'no' USING ERRCODE = '${code}'; END IF; RETURN NEW; END $$`);
    await sql(
      'CREATE TRIGGER fails BEFORE INSERT ON portico_jobs.finished FOR EACH ROW EXECUTE FUNCTION portico_jobs.fail()',
    );
    const work = recorder(({ payload }) => done(payload));
    const jobs = worker(work.run);
    const ids = await Promise.all(['a', 'failing', 'b'].map((payload) => jobs.enqueue({ ...WORK, payload })));
    const doneJobs = async () => (await jobs.admin.list({ states: ['done', 'dead'] })).length;
    // An error that is not that of a row is the same for all.
    const isOfRow = code === 'XX001' || code === 'P0001';
    await eventually(async () => work.jobs.length === 3 && (!isOfRow || (await doneJobs()) === 2));
    await sql('DROP TRIGGER fails ON portico_jobs.finished');
    await eventually(async () => (await doneJobs()) === 3);
    const results = await Promise.all(
      ids.map(({ id }) => jobs.result({ id, kind: 'work', queue: 'one', owner: undefined })),
    );
    expect(results).toMatchObject(['a', 'failing', 'b'].map((output) => ({ state: 'done', output })));
    expect(work.jobs).toHaveLength(3);
  });
});
