import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { done, type Jobs, type NewJob } from '../../../gateway/jobs/engine/index.ts';
import { availableEngines } from '../../database/index.ts';
import { eventually, type JobsDatabaseUnderTest, openJobsDatabase } from './jobs-harness.ts';

const WAITING = `SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted
  AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;

describe.each(await availableEngines())('quotas of jobs on %s', (engine) => {
  let jobs: JobsDatabaseUnderTest;
  beforeAll(async () => {
    jobs = await openJobsDatabase(engine);
  });
  afterEach(() => jobs.sql('DELETE FROM portico_jobs.live'));
  afterAll(() => jobs.close());

  const jobOf = (user: string | undefined, tenant = 'acme', more: Partial<NewJob> = {}): NewJob => ({
    kind: 'action',
    queue: 'make',
    tenant,
    maxAttempts: 3,
    payload: {},
    owner: user === undefined ? {} : { 'x-hasura-user-id': user },
    isLimited: true,
    ...more,
  });

  /** Asks for all of them in one turn. @returns `ok`, or the message of the refusal, of each. */
  const enqueueAll = (process: Jobs, list: readonly NewJob[]) =>
    Promise.all(
      list.map((job) =>
        process.enqueue(job).then(
          () => 'ok',
          (error: Error) => error.message.split(' ')[1],
        ),
      ),
    );

  const metricsOf = (process: Jobs, name: string) => process.metrics().find((metric) => metric.name === name)?.samples;

  test('hold within one batch, in its order, for users and their tenant', async () => {
    const process = jobs.open({ mode: 'accept', quotas: { user: 2, tenant: 3 } });
    const asked = ['a', 'a', 'a', 'b', 'b', 'c'].map((user) => jobOf(user));
    expect(await enqueueAll(process, [...asked, jobOf('a', 'other')])).toEqual([
      'ok',
      'ok',
      'user',
      'ok',
      'tenant',
      'tenant',
      'ok',
    ]);
    expect(await jobs.sql('SELECT count(*)::int AS n FROM portico_jobs.live')).toEqual([{ n: 4 }]);
  });

  const onServer = engine === 'postgres' ? test : test.skip;

  onServer('hold over two processes: one waits for what the other is about to commit', async () => {
    const process = jobs.open({ mode: 'accept', quotas: { user: 2, tenant: 2 } });
    expect(await enqueueAll(process, [jobOf('a')])).toEqual(['ok']);
    const other = new pg.Client({ connectionString: jobs.database.url });
    await other.connect();
    try {
      const theirs = { index: 0, id: randomUUID(), kind: 'action', queue: 'make', tenant: 'acme', max_attempts: 1 };
      const more = { owner: { 'x-hasura-user-id': 'a' }, is_watched: false, is_limited: true };
      await other.query('BEGIN');
      await other.query('SELECT portico_jobs.accept_within($1::jsonb, 2, 2)', [
        JSON.stringify([{ ...theirs, ...more }]),
      ]);
      let answers: readonly (string | undefined)[] | undefined;
      const asked = enqueueAll(process, [jobOf('a'), jobOf('b'), jobOf('a', 'other')]).then((all) => {
        answers = all;
      });
      await eventually(async () => answers !== undefined || (await jobs.sql(WAITING)).length > 0);
      await other.query('COMMIT');
      await asked;
      expect(answers).toEqual(['user', 'tenant', 'ok']);
    } finally {
      await other.end();
    }
  });

  test('leave room again for each job that ends, and count those that run', async () => {
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const process = jobs.open({ quotas: { user: 1 } });
    process.handle('action', {
      run: async () => {
        await held;
        return done();
      },
    });
    process.start();
    await process.enqueue(jobOf('a'));
    await eventually(
      async () => (await jobs.sql("SELECT FROM portico_jobs.live WHERE state = 'running'")).length === 1,
    );
    expect(await enqueueAll(process, [jobOf('a')])).toEqual(['user']);
    release();
    await eventually(async () => (await enqueueAll(process, [jobOf('a')]))[0] === 'ok');
    await process.stop(1_000);
  });

  test('are for limited jobs alone, and tell callers without an id from users, and users with long ids apart', async () => {
    const process = jobs.open({ mode: 'accept', quotas: { user: 1, tenant: 3 } });
    const long = (end: string) => jobOf('x'.repeat(5_000) + end, '');
    expect(await enqueueAll(process, [long('1'), long('2'), long('2')])).toEqual(['ok', 'ok', 'user']);
    // Without a tenant there is none whose quota it could be.
    const others = [undefined, undefined, 'a', 'b', 'c', 'd'].map((user) => jobOf(user, ''));
    expect(await enqueueAll(process, others)).toEqual(['ok', 'user', 'ok', 'ok', 'ok', 'ok']);
    const unlimited = [0, 1, 2].map(() => jobOf('a', 'acme', { isLimited: false }));
    expect(await enqueueAll(process, unlimited)).toEqual(['ok', 'ok', 'ok']);
    // What is not limited counts all the same.
    expect(await enqueueAll(process, [jobOf('a')])).toEqual(['user']);
  });

  test('hold for jobs with an order, too', async () => {
    const process = jobs.open({ mode: 'accept', quotas: { user: 2 } });
    const ordered = { orderKey: 'one' };
    expect(
      await enqueueAll(
        process,
        [1, 2, 3].map(() => jobOf('a', 'acme', ordered)),
      ),
    ).toEqual(['ok', 'ok', 'user']);
  });

  test('refuse none where they are off, and are counted apart from failures of the database', async () => {
    const process = jobs.open({ mode: 'accept' });
    expect(await enqueueAll(process, [jobOf('a'), jobOf('a'), jobOf('a')])).toEqual(['ok', 'ok', 'ok']);
    // A rate needs the series before the first refusal.
    expect(metricsOf(process, 'portico_jobs_over_quota_total')).toEqual([
      { labels: { kind: 'action', quota: 'user' }, value: 0 },
      { labels: { kind: 'action', quota: 'tenant' }, value: 0 },
    ]);
    const limited = jobs.open({ mode: 'accept', quotas: { user: 2 } });
    expect(await enqueueAll(limited, [jobOf('a'), jobOf('a')])).toEqual(['user', 'user']);
    expect(metricsOf(limited, 'portico_jobs_over_quota_total')).toEqual([
      { labels: { kind: 'action', quota: 'user' }, value: 2 },
    ]);
    expect(metricsOf(limited, 'portico_jobs_refused_total')).toEqual([]);
  });
});
