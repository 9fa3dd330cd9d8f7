import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { done, type JobOutcome, type Jobs, postponed } from '../../../gateway/jobs/engine/index.ts';
import { availableEngines, createTestDatabase, type TestDatabase } from '../../database/index.ts';
import { eventually, type JobsDatabaseUnderTest, jobsOn } from './jobs-harness.ts';

const NIGHTLY = { kind: 'cron', queue: 'nightly', maxAttempts: 6, payload: null } as const;
const YESTERDAY = '2026-03-01T02:00:00.000Z';
const TODAY = '2026-03-02T02:00:00.000Z';
const TOMORROW = '2026-03-03T02:00:00.000Z';

describe.each(await availableEngines())('the last time of a cron trigger on %s', (engine) => {
  let database: TestDatabase;
  let jobs: JobsDatabaseUnderTest;
  beforeAll(async () => {
    database = await createTestDatabase({ engine, migrated: false });
    jobs = jobsOn(database);
  });
  afterEach(() => jobs.close());
  afterAll(() => database.drop());

  const lastOf = async ({ scheduled }: Jobs) => (await scheduled.lastTimes([NIGHTLY.queue])).get(NIGHTLY.queue);

  test('is one that was postponed, and not the one that was done before', async () => {
    let outcome: JobOutcome = done();
    const process = jobs.open();
    process.handle('cron', { run: async () => outcome });
    process.start();
    const last = () => lastOf(process);
    await process.enqueue({ ...NIGHTLY, idempotencyKey: YESTERDAY });
    await eventually(async () => (await last())?.state === 'done');
    outcome = postponed('circuit-open', 60_000);
    await process.enqueue({ ...NIGHTLY, idempotencyKey: TOMORROW, runAt: Date.now() + 3_600_000 });
    expect(await last()).toMatchObject({ idempotencyKey: YESTERDAY, state: 'done' });
    await process.enqueue({ ...NIGHTLY, idempotencyKey: TODAY });
    await eventually(async () => (await last())?.reason === 'circuit-open');
    expect(await last()).toMatchObject({ idempotencyKey: TODAY, state: 'scheduled', attempts: 0 });
  });

  test('is one that has come and that no process has begun', async () => {
    const process = jobs.open({ mode: 'accept' });
    const last = () => lastOf(process);
    await process.enqueue({ ...NIGHTLY, idempotencyKey: TODAY, runAt: Date.now() + 3_600_000 });
    expect(await last()).toBeUndefined();
    await jobs.sql("UPDATE portico_jobs.live SET run_at = now() - interval '1 second'");
    expect(await last()).toMatchObject({ idempotencyKey: TODAY, state: 'scheduled', reason: null });
  });
});
