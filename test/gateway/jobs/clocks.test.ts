import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { done } from '../../../gateway/jobs/engine/index.ts';
import { availableEngines, createTestDatabase, type TestDatabase } from '../../database/index.ts';
import { eventually, type JobsDatabaseUnderTest, jobsOn, recorder, WORK } from './jobs-harness.ts';

const HOURS_MS = 3_600_000;
const clockOfMachine = Date.now;
const now = () => clockOfMachine.call(Date);

// PGlite has the clock of the test's own process.
const withPostgres = (await availableEngines()).includes('postgres') ? describe : describe.skip;

withPostgres('clocks that differ from that of the database', () => {
  let database: TestDatabase;
  let jobsOfTest: JobsDatabaseUnderTest;
  beforeAll(async () => {
    database = await createTestDatabase({ engine: 'postgres', migrated: false });
  });
  afterEach(async () => {
    Date.now = clockOfMachine;
    await jobsOfTest.close();
  });
  afterAll(() => database.drop());

  test.each([
    ['ahead', 48 * HOURS_MS],
    ['behind', -48 * HOURS_MS],
  ])('a process whose clock is %s accepts jobs that are run in time and whose results are found', async (_, skewMs) => {
    jobsOfTest = jobsOn(database);
    const { worker, open } = jobsOfTest;
    const work = recorder(() => done('fine'));
    Date.now = () => now() + skewMs;
    const accepting = open({ mode: 'accept' });
    const { id } = await accepting.enqueue({ ...WORK, validForMs: HOURS_MS });
    const later = await accepting.enqueue({ ...WORK, queue: 'later', runAt: now() + HOURS_MS, validForMs: HOURS_MS });
    const jobs = worker(work.run);
    await eventually(async () => (await jobs.admin.list({ states: ['done', 'expired'] })).length === 1);
    expect(await jobs.result({ id, kind: 'work', queue: 'one', owner: undefined })).toMatchObject({
      state: 'done',
      output: 'fine',
    });
    expect(await jobs.admin.list({ queue: 'later' })).toMatchObject([{ id: later.id, state: 'scheduled' }]);
  });
});
