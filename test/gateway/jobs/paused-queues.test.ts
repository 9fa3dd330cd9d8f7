import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { done, failed, type JobOutcome, postponed, retryLater } from '../../../gateway/jobs/engine/index.ts';
import { PausedQueues } from '../../../gateway/jobs/engine/paused-queues.ts';
import { availableEngines, createTestDatabase, type TestDatabase } from '../../database/index.ts';
import { eventually, type JobsDatabaseUnderTest, jobsOn, recorder, WORK } from './jobs-harness.ts';

describe.each(await availableEngines())('pauses of queues on %s', (engine) => {
  let database: TestDatabase;
  let jobs: JobsDatabaseUnderTest;
  beforeAll(async () => {
    database = await createTestDatabase({ engine, migrated: false });
  });
  afterEach(() => jobs.close());
  afterAll(() => database.drop());

  test('are seen by other processes with their first beginning, until a job of the queue has run', async () => {
    jobs = jobsOn(database);
    const asked = jobs.open({ mode: 'accept' });
    expect(await asked.admin.pauses()).toEqual([]);
    let outcome: () => JobOutcome = () => postponed('circuit-open', 50);
    const work = recorder(() => outcome());
    jobs.worker(work.run);
    await asked.enqueue(WORK);
    const read = async () => (await asked.admin.pauses())[0];
    await eventually(async () => (await read()) !== undefined);
    const first = await read();
    expect(first).toEqual({
      kind: 'work',
      queue: 'one',
      tenant: null,
      reason: 'circuit-open',
      since: expect.any(Date),
      until: expect.any(Date),
      processes: 1,
      ofProcesses: 1,
    });
    // Each try that is postponed is another pause, and they are one.
    await eventually(async () => Number((await read())?.until) > Number(first?.until));
    expect((await read())?.since).toEqual(first?.since);
    outcome = () => done();
    await eventually(async () => (await asked.admin.pauses()).length === 0);
    expect((await asked.admin.list({ states: ['done'] })).length).toBe(1);
  });

  test('are counted over processes, and end with them', async () => {
    jobs = jobsOn(database);
    const run = async ({ queue, tenant }: { queue: string; tenant: string }) =>
      queue === 'one' ? postponed('overloaded', 60_000) : postponed('no-tenant', 60_000, tenant ? 'tenant' : 'queue');
    const workers = [jobs.worker(run), jobs.worker(run)];
    const [asked] = workers as [(typeof workers)[0]];
    for (let job = 0; job < 200; job++) await asked.enqueue(WORK);
    await asked.enqueue({ ...WORK, queue: 'two', tenant: '7' });
    const pauses = async () =>
      (await asked.admin.pauses()).map((one) => [one.queue, one.tenant, one.processes, one.ofProcesses]);
    // The other process may come later.
    await eventually(async () => (await pauses())[1]?.[3] === 2);
    expect((await pauses())[1]).toEqual(['two', '7', 1, 2]);
    await Promise.all(workers.map((worker) => worker.stop(0)));
    expect(await jobs.open().admin.pauses()).toEqual([]);
  });

  test('of a process whose lease has ended, or that another one does not follow, are no more', async () => {
    jobs = jobsOn(database);
    const asked = jobs.open({ mode: 'accept' });
    jobs.worker(async () => postponed('unknown-action', 600_000));
    await asked.enqueue(WORK);
    await eventually(async () => (await asked.admin.pauses()).length === 1);
    await jobs.sql("UPDATE portico_jobs.runner SET lease_until = now() - interval '1 second'");
    expect(await asked.admin.pauses()).toEqual([]);
    const old = `jsonb_build_array(pauses->0 || jsonb_build_object('until', now() - interval '61 seconds'))`;
    await jobs.sql(`UPDATE portico_jobs.runner SET lease_until = now() + interval '1 minute', pauses = ${old}`);
    expect(await asked.admin.pauses()).toEqual([]);
  });
});

describe('a pause', () => {
  const LANE = { kind: 'work', queue: 'one', tenant: '1' };

  test('is for a queue or a tenant of it, and holds for the longest of what was asked', () => {
    const paused = new PausedQueues();
    expect(paused.nextEndMs(performance.now())).toBe(Number.POSITIVE_INFINITY);
    expect(paused.ended(LANE, postponed('a', 60_000))).toBe(true);
    expect(paused.ended(LANE, postponed('b', 1_000))).toBe(true);
    expect(paused.ended(LANE, postponed('c', 1_000, 'tenant'))).toBe(true);
    expect(paused.list()).toMatchObject([
      { tenant: null, reason: 'b' },
      { tenant: '1', reason: 'c' },
    ]);
    const [one] = paused.list();
    expect(Math.round(Number(one?.until) - Number(one?.since))).toBeGreaterThanOrEqual(60_000);
    expect(paused.keys(performance.now())).toEqual(['work\x01one', 'work\x01one\x011']);
  });

  test('is nothing that an interruption or another outcome makes, and holds although a job has run beside it', () => {
    const paused = new PausedQueues();
    for (const outcome of [postponed('interrupted', 0), retryLater('http-5xx'), done()])
      expect(paused.ended(LANE, outcome)).toBe(false);
    expect(paused.list()).toEqual([]);
    paused.ended(LANE, postponed('a', 60_000));
    for (const outcome of [done(), failed('http-4xx')]) expect(paused.ended(LANE, outcome)).toBe(false);
    expect(paused.keys(performance.now())).toHaveLength(1);
  });

  test('that ended while jobs were claimed ends now for who left its queue alone', async () => {
    const paused = new PausedQueues();
    paused.ended({ ...LANE, queue: 'two' }, postponed('b', 60_000));
    paused.ended(LANE, postponed('a', 5));
    const claimedAt = performance.now();
    expect(paused.keys(claimedAt)).toHaveLength(2);
    await eventually(() => paused.keys(performance.now()).length === 1);
    expect(paused.nextEndMs(claimedAt)).toBeLessThanOrEqual(0);
    expect(paused.nextEndMs(performance.now())).toBeGreaterThan(0);
  });
});
