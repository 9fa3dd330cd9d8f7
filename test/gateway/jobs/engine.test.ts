import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { readJobsMigrations } from '../../../gateway/jobs/engine/database/migrate.ts';
import { dead, done, failed, postponed, type RunningJob, retryLater } from '../../../gateway/jobs/engine/index.ts';
import { availableEngines, createTestDatabase, type TestDatabase } from '../../database/index.ts';
import { eventually, type JobsDatabaseUnderTest, jobsOn, recorder, WORK } from './jobs-harness.ts';

describe.each(await availableEngines())('jobs on %s', (engine) => {
  let database: TestDatabase;
  let jobsOfTest: JobsDatabaseUnderTest | undefined;
  beforeAll(async () => {
    database = await createTestDatabase({ engine, migrated: false });
  });
  afterEach(async () => {
    await jobsOfTest?.close();
  });
  afterAll(() => database.drop());
  const openDatabase = (): JobsDatabaseUnderTest => {
    jobsOfTest = jobsOn(database);
    return jobsOfTest;
  };

  test('a job is run once, and its owner alone sees the result', async () => {
    const { worker } = openDatabase();
    const work = recorder(({ payload }) => done({ got: payload }));
    const jobs = worker(work.run);
    const { id, isKnown } = await jobs.enqueue({
      ...WORK,
      payload: { n: 1 },
      owner: { 'x-hasura-user-id': '1', 'x-hasura-role': 'user' },
      isWatched: true,
    });
    const asked = { id, kind: 'work', queue: 'one' };
    const mine = { ...asked, owner: { 'x-hasura-role': 'user', 'x-hasura-user-id': '1' } };
    await eventually(async () => (await jobs.result(mine))?.state === 'done');

    expect(isKnown).toBe(false);
    expect(await jobs.result(mine)).toMatchObject({ state: 'done', output: { got: { n: 1 } }, errors: null });
    expect(await jobs.result({ ...asked, owner: undefined })).toMatchObject({ state: 'done' });
    expect(await jobs.result({ ...mine, owner: { ...mine.owner, 'x-hasura-user-id': '2' } })).toBeUndefined();
    expect(await jobs.result({ ...mine, owner: { 'x-hasura-role': 'user' } })).toBeUndefined();
    expect(await jobs.result({ ...mine, queue: 'other' })).toBeUndefined();
    expect(work.jobs).toMatchObject([{ id, idempotencyKey: id, attempt: 1, tenant: '' }]);
  });

  test('two processes migrate an empty database at once', async () => {
    const { dropSchema, open, sql } = openDatabase();
    await dropSchema();
    await Promise.all([open(), open(), open()].map((jobs) => jobs.admin.makePartitions()));
    const versions = await sql('SELECT version FROM portico_jobs.migration ORDER BY version');
    expect(versions).toEqual(readJobsMigrations().map(({ version }) => ({ version })));
    expect(versions.length).toBeGreaterThan(0);
  });

  test('a failed attempt is repeated with the same key, and after the last one the job is dead', async () => {
    const { worker, sql } = openDatabase();
    const work = recorder(() => retryLater('http-500', { errors: { code: 'unexpected' } }));
    const jobs = worker(work.run);
    const { id } = await jobs.enqueue({ ...WORK, maxAttempts: 2 });
    await eventually(async () => (await jobs.admin.list({ states: ['dead'] })).length === 1);

    expect(work.jobs.map(({ attempt, idempotencyKey }) => [attempt, idempotencyKey])).toEqual([
      [1, id],
      [2, id],
    ]);
    expect(await jobs.result({ id, kind: 'work', queue: 'one', owner: undefined })).toMatchObject({
      state: 'dead',
      errors: { code: 'unexpected' },
      reason: 'http-500',
    });
    expect(await sql('SELECT count(*)::int AS live FROM portico_jobs.live')).toEqual([{ live: 0 }]);
  });

  test('an operator can run a job now that waits for another attempt, and one that is planned keeps its time', async () => {
    const { worker, sql } = openDatabase();
    const work = recorder(({ attempt }) => (attempt === 1 ? retryLater('http-500', { afterMs: 3_600_000 }) : done()));
    const jobs = worker(work.run);
    const { id: planned } = await jobs.enqueue({ ...WORK, runAt: Date.now() + 3_600_000 });
    const { id: tried } = await jobs.enqueue(WORK);
    await eventually(async () => (await jobs.admin.list({ states: ['scheduled'] })).some(({ id }) => id === tried));

    expect(await jobs.admin.retry({ queue: 'one' })).toBe(1);
    expect(await jobs.admin.retry({ ids: [planned] })).toBe(0);
    expect(await sql('SELECT portico_jobs.replay(ARRAY[$1::uuid]) AS changed', [planned])).toEqual([{ changed: 0 }]);
    await eventually(async () => (await jobs.admin.list({ states: ['done'] })).length === 1);
    expect(work.jobs.map(({ id, attempt }) => [id, attempt])).toEqual([
      [tried, 1],
      [tried, 2],
    ]);
    expect(await jobs.admin.list({ states: ['scheduled'] })).toMatchObject([{ id: planned, attempts: 0 }]);
  });

  test('a dead job is replayed with its payload and key', async () => {
    const { worker } = openDatabase();
    let isBroken = true;
    const work = recorder(() => (isBroken ? dead('refused') : done('fine')));
    const jobs = worker(work.run);
    const { id } = await jobs.enqueue({ ...WORK, payload: ['kept'] });
    await eventually(async () => (await jobs.admin.list({ states: ['dead'] })).length === 1);
    isBroken = false;
    expect(await jobs.admin.retry({ states: ['dead'], queue: 'one' })).toBe(1);
    await eventually(async () => (await jobs.admin.list({ states: ['done'] })).length === 1);

    expect(work.jobs.map(({ attempt, payload, idempotencyKey }) => [attempt, payload, idempotencyKey])).toEqual([
      [1, ['kept'], id],
      [1, ['kept'], id],
    ]);
    expect(await jobs.admin.list({ states: ['dead'] })).toEqual([]);
  });

  test('a result that is an error is final', async () => {
    const { worker } = openDatabase();
    const work = recorder(() => failed('http-400', { error: 'no' }));
    const jobs = worker(work.run);
    const { id } = await jobs.enqueue(WORK);
    await eventually(async () => (await jobs.admin.list({ states: ['failed'] })).length === 1);
    expect(await jobs.result({ id, kind: 'work', queue: 'one', owner: undefined })).toMatchObject({
      state: 'failed',
      errors: { error: 'no' },
    });
    expect(work.jobs).toHaveLength(1);
  });

  test('what is too old is marked, and not run', async () => {
    const { worker, open } = openDatabase();
    const work = recorder(() => done());
    const accepting = open({ mode: 'accept' });
    const late = await accepting.enqueue({ ...WORK, validForMs: 0 });
    const never = await accepting.enqueue({ ...WORK, runAt: 1_000, validForMs: 60_000 });
    const jobs = worker(work.run);
    await eventually(async () => (await jobs.admin.list({ states: ['expired'] })).length === 2);
    expect((await jobs.admin.list({})).map(({ id }) => id).sort()).toEqual([late.id, never.id].sort());
    expect(work.jobs).toEqual([]);
  });

  test('a job with a known idempotency key is accepted once, also at the same time and when it is done', async () => {
    const { worker } = openDatabase();
    const work = recorder(() => done());
    const jobs = worker(work.run);
    const same = { ...WORK, idempotencyKey: 'tick 1' };
    const accepted = await Promise.all([1, 2, 3].map(() => jobs.enqueue(same)));
    await eventually(async () => (await jobs.admin.list({ states: ['done'] })).length === 1);
    const again = await jobs.enqueue(same);
    const other = await jobs.enqueue({ ...same, queue: 'two' });

    expect(new Set([...accepted, again].map(({ id }) => id)).size).toBe(1);
    expect([...accepted, again].filter(({ isKnown }) => !isKnown)).toHaveLength(1);
    expect(other.isKnown).toBe(false);
    await eventually(() => work.jobs.length === 2);
    expect(work.jobs.map(({ idempotencyKey }) => idempotencyKey)).toEqual(['tick 1', 'tick 1']);
  });

  test('jobs with the same order key run one after another in their order, others beside them', async () => {
    const { worker, open } = openDatabase();
    const accepting = open({ mode: 'accept' });
    for (let n = 0; n < 6; n++)
      await accepting.enqueue({ ...WORK, payload: n, orderKey: n % 2 === 0 ? 'even' : 'odd' });
    const running = new Map<string, number>();
    const ended: unknown[] = [];
    let most = 0;
    const jobs = worker(async ({ orderKey = '', payload, attempt }: RunningJob) => {
      running.set(orderKey, (running.get(orderKey) ?? 0) + 1);
      most = Math.max(most, ...running.values());
      await new Promise((resolve) => setImmediate(resolve));
      running.set(orderKey, (running.get(orderKey) ?? 0) - 1);
      // The first one needs a second attempt, and the others behind it wait.
      if (payload === 0 && attempt === 1) return retryLater('once');
      ended.push(payload);
      return done();
    });
    await eventually(async () => (await jobs.admin.list({ states: ['done'] })).length === 6);
    expect(ended.filter((n) => (n as number) % 2 === 0)).toEqual([0, 2, 4]);
    expect(ended.filter((n) => (n as number) % 2 === 1)).toEqual([1, 3, 5]);
    expect(most).toBe(1);
  });

  test('tenants take turns, so that the flood of one delays no other', async () => {
    const { worker, open } = openDatabase();
    const accepting = open({ mode: 'accept' });
    await Promise.all(Array.from({ length: 300 }, () => accepting.enqueue({ ...WORK, tenant: 'flood' })));
    await Promise.all(['a', 'b', 'c'].map((tenant) => accepting.enqueue({ ...WORK, tenant })));
    const order: string[] = [];
    const jobs = worker(
      async ({ tenant }) => {
        order.push(tenant);
        return done();
      },
      { slots: 4 },
    );
    await eventually(() => order.length === 303);
    for (const tenant of ['a', 'b', 'c']) expect(order.indexOf(tenant)).toBeLessThan(12);
    await jobs.stop(5_000);
  });

  test('limits of a queue and of its tenants hold over several processes', async () => {
    const { worker, open } = openDatabase();
    const accepting = open({ mode: 'accept' });
    for (const tenant of ['a', 'b'])
      await Promise.all(Array.from({ length: 12 }, () => accepting.enqueue({ ...WORK, tenant })));
    const now = new Map<string, number>();
    let mostOfTenant = 0;
    let most = 0;
    const run = async ({ tenant }: RunningJob) => {
      now.set(tenant, (now.get(tenant) ?? 0) + 1);
      mostOfTenant = Math.max(mostOfTenant, ...now.values());
      most = Math.max(most, (now.get('a') ?? 0) + (now.get('b') ?? 0));
      await new Promise((resolve) => setTimeout(resolve, 5));
      now.set(tenant, (now.get(tenant) ?? 0) - 1);
      return done();
    };
    const limits = () => new Map([['one', { concurrency: 3, tenantConcurrency: 2 }]]);
    const jobs = worker(run, {}, { limits });
    worker(run, {}, { limits });
    await eventually(async () => (await jobs.admin.list({ states: ['done'] })).length === 24);
    expect([most, mostOfTenant]).toEqual([3, 2]);
  });

  test('a queue that cannot be called is left alone, at no cost to others and to the attempts of its jobs', async () => {
    const { worker, open } = openDatabase();
    const accepting = open({ mode: 'accept' });
    await Promise.all(Array.from({ length: 50 }, () => accepting.enqueue({ ...WORK, queue: 'away' })));
    await Promise.all(Array.from({ length: 50 }, () => accepting.enqueue({ ...WORK, queue: 'here' })));
    const calls: string[] = [];
    const jobs = worker(
      async ({ queue }) => {
        calls.push(queue);
        return queue === 'away' ? postponed('circuit-open', 60_000) : done();
      },
      { slots: 4 },
    );
    await eventually(async () => (await jobs.admin.list({ states: ['done'] }, 100)).length === 50);
    expect(calls.filter((queue) => queue === 'away').length).toBeLessThanOrEqual(4);
    expect((await jobs.admin.list({ queue: 'away' }, 100)).every(({ attempts }) => attempts === 0)).toBe(true);
  });

  test('a process whose lease has ended loses its jobs to others, and its outcomes do not count', async () => {
    const { worker, open, sql } = openDatabase();
    const held: (() => void)[] = [];
    const first = worker(() => new Promise((resolve) => held.push(() => resolve(done('late')))), { slots: 1 });
    const { id } = await open({ mode: 'accept' }).enqueue(WORK);
    await eventually(() => held.length === 1);
    await sql("UPDATE portico_jobs.runner SET lease_until = now() - interval '1 second'");
    const second = recorder(() => done('in time'));
    const jobs = worker(second.run);
    await eventually(() => second.jobs.length === 1);
    held[0]?.();
    await eventually(async () => (await jobs.admin.list({ states: ['done'] })).length === 1);
    await first.stop(1_000);
    expect(second.jobs).toMatchObject([{ id, attempt: 2, idempotencyKey: id }]);
    expect(await jobs.result({ id, kind: 'work', queue: 'one', owner: undefined })).toMatchObject({
      output: 'in time',
    });
  });

  test('jobs that wait and jobs that run can be cancelled', async () => {
    const { worker } = openDatabase();
    let begun = 0;
    const jobs = worker(
      (_job, signal) =>
        new Promise((_resolve, reject) => {
          begun++;
          signal.addEventListener('abort', () => reject(new Error('aborted')));
        }),
      { slots: 1, leaseMs: 3_000 },
    );
    const { id } = await jobs.enqueue(WORK);
    await eventually(() => begun === 1);
    const waiting = await jobs.enqueue(WORK);
    expect(await jobs.admin.cancel({ ids: [id, waiting.id] })).toBe(2);
    await eventually(async () => (await jobs.admin.list({ states: ['cancelled'] })).length === 2);
    expect(begun).toBe(1);
  });

  test('a process that stops gives its jobs back at once, and at no cost to their attempts', async () => {
    const { worker } = openDatabase();
    let begun = 0;
    const first = worker(
      (_job, signal) =>
        new Promise((_resolve, reject) => {
          begun++;
          signal.addEventListener('abort', () => reject(new Error('stopping')));
        }),
    );
    await first.enqueue(WORK);
    await eventually(() => begun === 1);
    await first.stop(0);
    const second = recorder(() => done());
    worker(second.run);
    await eventually(() => second.jobs.length === 1);
    expect(second.jobs).toMatchObject([{ attempt: 1 }]);
  });

  const onServer = engine === 'postgres' ? test : test.skip;

  onServer(
    'connections that break during a run lose neither its outcome nor jobs that are accepted after it',
    async () => {
      const { worker, sql } = openDatabase();
      let release = () => {};
      const work = recorder(async ({ payload }) => {
        if (payload === 'held')
          await new Promise<void>((resolve) => {
            release = resolve;
          });
        return done(payload);
      });
      const jobs = worker(work.run);
      await jobs.enqueue({ ...WORK, payload: 'held' });
      await eventually(() => work.jobs.length === 1);
      await sql(
        'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
      );
      release();
      await eventually(async () => {
        const accepted = await jobs.enqueue({ ...WORK, payload: 'later' }).catch(() => undefined);
        return accepted !== undefined;
      });
      await eventually(async () => (await jobs.admin.list({ states: ['done'] })).length === 2);
      expect(work.jobs.filter(({ payload }) => payload === 'held')).toHaveLength(1);
    },
  );

  onServer('a lost commit of an acceptance is found again by its idempotency key', async () => {
    const { open, sql } = openDatabase();
    const jobs = open({ mode: 'accept' });
    const { id } = await jobs.enqueue({ ...WORK, idempotencyKey: 'once' });
    await sql(
      'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
    );
    let again: { id: string } | undefined;
    await eventually(async () => {
      again = await jobs.enqueue({ ...WORK, idempotencyKey: 'once' }).catch(() => undefined);
      return again !== undefined;
    });
    expect(again).toEqual({ id, isKnown: true });
  });
});
