import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { MAX_COUNTED_DEAD } from '../../../gateway/jobs/engine/admin.ts';
import { availableEngines, createTestDatabase, type TestDatabase } from '../../database/index.ts';
import { type JobsDatabaseUnderTest, jobsOn, WORK } from './jobs-harness.ts';

const HOUR_MS = 3_600_000;
const DEAD = `INSERT INTO portico_jobs.dead
  SELECT gen_random_uuid(), $1, $2, '', NULL, n::text, 1, 1, 'null', NULL, NULL, false,
    now() - n * interval '1 second', now(), now() - n % 2 * interval '1 day', NULL, NULL, NULL
  FROM generate_series(1, $3::int) AS n`;

describe.each(await availableEngines())('statistics of jobs on %s', (engine) => {
  let database: TestDatabase;
  let jobs: JobsDatabaseUnderTest;
  beforeAll(async () => {
    database = await createTestDatabase({ engine, migrated: false });
  });
  afterEach(() => jobs.close());
  afterAll(() => database.drop());
  const onServer = engine === 'postgres' ? test : test.skip;

  test('live and dead jobs are counted by queue and state', async () => {
    jobs = jobsOn(database);
    const { admin, enqueue } = jobs.open({ mode: 'accept' });
    expect(await admin.stats()).toEqual([]);
    await Promise.all([enqueue(WORK), enqueue(WORK), enqueue({ ...WORK, runAt: Date.now() + HOUR_MS })]);
    await jobs.sql(DEAD, ['work', 'one', 30]);
    await jobs.sql(DEAD, ['other', 'one', 20]);
    await jobs.sql(DEAD, ['work', 'two', 10]);
    const stats = await admin.stats();
    expect(stats.map(({ kind, queue, state, count }) => `${kind} ${queue} ${state} ${count}`)).toEqual([
      'other one dead 20',
      'work one dead 30',
      'work one queued 2',
      'work one scheduled 1',
      'work two dead 10',
    ]);
    expect(stats.map(({ oldestSeconds }) => Math.round(oldestSeconds / 10) * 10)).toEqual([20, 30, 0, 0, 10]);
  });

  test('dead jobs are counted up to a limit, by their index', async () => {
    jobs = jobsOn(database);
    const { admin } = jobs.open({ mode: 'accept' });
    await admin.makePartitions();
    await jobs.sql(DEAD, ['work', 'many', MAX_COUNTED_DEAD + 5_000]);
    await jobs.sql(DEAD, ['work', 'rare', 1]);
    await jobs.sql('ANALYZE portico_jobs.dead');
    expect(await admin.stats()).toMatchObject([
      { queue: 'many', count: MAX_COUNTED_DEAD },
      { queue: 'rare', count: 1 },
    ]);
    const [counting] = await jobs.sql("SELECT prosrc, proconfig FROM pg_proc WHERE proname = 'count_dead'");
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    const plan: unknown[] = [];
    try {
      await client.query('BEGIN');
      for (const setting of (counting?.proconfig ?? []) as readonly string[])
        await client.query(`SET LOCAL ${setting}`);
      plan.push(...(await client.query(`EXPLAIN ${counting?.prosrc}`)).rows.map((row) => row['QUERY PLAN']));
    } finally {
      await client.end();
    }
    expect(plan.join('\n')).not.toMatch(/Seq Scan on dead_\d{8}/);
    expect(plan.join('\n')).toMatch(/Index.* Scan .*on dead_\d{8}/);
  });

  test('metrics of several processes are counted once, and an operator has numbers of now', async () => {
    jobs = jobsOn(database);
    const [first, second] = [jobs.open({ mode: 'accept' }), jobs.open({ mode: 'accept' })];
    await first.enqueue(WORK);
    expect(await first.admin.stats(HOUR_MS)).toMatchObject([{ count: 1 }]);
    await first.enqueue(WORK);
    expect(await second.admin.stats(HOUR_MS)).toMatchObject([{ count: 1 }]);
    expect(await second.admin.stats()).toMatchObject([{ count: 2 }]);
    expect(await first.admin.stats(HOUR_MS)).toMatchObject([{ count: 2 }]);
    // Counting that takes a minute is done less often, whatever age is asked for.
    await jobs.sql(
      "UPDATE portico_jobs.queue_snapshot SET took_ms = 60000, counted_at = now() - interval '10 minutes'",
    );
    await first.enqueue(WORK);
    expect(await first.admin.stats(1)).toMatchObject([{ count: 2 }]);
    // A clock that was set back does not stop it.
    await jobs.sql("UPDATE portico_jobs.queue_snapshot SET counted_at = now() + interval '1 day'");
    expect(await first.admin.stats(HOUR_MS)).toMatchObject([{ count: 3 }]);
  });

  onServer('metrics do not wait for a process that counts', async () => {
    jobs = jobsOn(database);
    const { admin, enqueue } = jobs.open({ mode: 'accept' });
    await enqueue(WORK);
    await admin.stats();
    await enqueue(WORK);
    await jobs.sql("UPDATE portico_jobs.queue_snapshot SET counted_at = now() - interval '1 hour', took_ms = 0");
    const counting = new pg.Client({ connectionString: database.url });
    await counting.connect();
    try {
      await counting.query('BEGIN; SELECT pg_advisory_xact_lock(2006, 4)');
      expect(await admin.stats(10_000)).toMatchObject([{ count: 1 }]);
      await counting.query('COMMIT');
    } finally {
      await counting.end();
    }
    expect(await admin.stats(10_000)).toMatchObject([{ count: 2 }]);
  });
});
