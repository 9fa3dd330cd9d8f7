import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { availableEngines, createTestDatabase, type TestDatabase } from '../../database/index.ts';
import { keeper } from '../harness/index.ts';
import { eventually, type JobsDatabaseUnderTest, jobsOn, WORK } from './jobs-harness.ts';

const HEARTBEAT = "SELECT * FROM portico_jobs.heartbeat($1, 'test', 30000, '{}')";
const CLAIM = `SELECT id FROM portico_jobs.claim($1, $2, '{work}', '', '', '', '[]', '{}')`;
const SETTLE = 'SELECT id FROM portico_jobs.settle($1, $2) AS id';
const CANCEL = 'SELECT portico_jobs.cancel($1) AS cancelled';
const LOCK_KEY = "SELECT pg_advisory_xact_lock(portico_jobs.key_lock('work', 'one', $1))";
/** How many statements of this database wait for another one. */
const WAITING = `SELECT count(*)::int AS waiting FROM pg_stat_activity
  WHERE datname = current_database() AND wait_event_type = 'Lock'`;
const STATES = `SELECT id, state FROM portico_jobs.live UNION ALL SELECT id, state FROM portico_jobs.finished
  UNION ALL SELECT id, 'dead' FROM portico_jobs.dead`;

const onServer = (await availableEngines()).includes('postgres') ? describe : describe.skip;

onServer('locks of jobs', () => {
  const { keep, close } = keeper();
  let database: TestDatabase;
  let jobs: JobsDatabaseUnderTest;
  beforeAll(async () => {
    database = await createTestDatabase({ engine: 'postgres', migrated: false });
  });
  afterEach(() => jobs.close());
  afterAll(async () => {
    await close();
    await database.drop();
  });
  const connect = async () => {
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    return keep({ query: client.query.bind(client) as typeof client.query, close: () => client.end() });
  };
  /** Jobs that a process runs, in the order of their acceptance. */
  const runJobs = async (more: readonly object[]) => {
    const { enqueue } = jobs.open({ mode: 'accept' });
    const accepted: string[] = [];
    for (const one of more) accepted.push((await enqueue({ ...WORK, ...one })).id);
    const runner = randomUUID();
    await jobs.sql(HEARTBEAT, [runner]);
    expect(await jobs.sql(CLAIM, [runner, more.length])).toHaveLength(more.length);
    return { runner, ids: accepted };
  };
  const outcomeOf = (id: string, outcome: 'done' | 'scheduled') => ({
    id,
    attempt: 1,
    outcome,
    ...(outcome === 'scheduled' && { after_ms: 60_000, is_attempt: true }),
  });
  const untilWaiting = (count: number) => eventually(async () => (await jobs.sql(WAITING))[0]?.waiting === count);

  test('a heartbeat waits for no job, and leaves those that are locked to the next one', async () => {
    jobs = jobsOn(database);
    const { runner, ids } = await runJobs([{ orderKey: 'a' }, { orderKey: 'b' }, {}, {}]);
    await jobs.sql("UPDATE portico_jobs.runner SET lease_until = now() - interval '1 second' WHERE id = $1", [runner]);
    const [overdue] = [
      await jobs.open({ mode: 'accept' }).enqueue({ ...WORK, runAt: Date.now() + 60_000, orderKey: 'c' }),
    ];
    await jobs.sql("UPDATE portico_jobs.live SET expires_at = now() - interval '1 second' WHERE id = $1", [
      overdue?.id,
    ]);
    const holding = await connect();
    await holding.query('BEGIN');
    await holding.query(LOCK_KEY, ['a']);
    await holding.query(LOCK_KEY, ['c']);
    await holding.query('SELECT FROM portico_jobs.live WHERE id = $1 FOR UPDATE', [ids[2]]);
    const other = randomUUID();
    expect(await jobs.sql(HEARTBEAT, [other])).toMatchObject([{ reclaimed: 2 }]);
    // What the heartbeat has locked is free again: acceptance, which holds one key, gets the next one.
    await holding.query(LOCK_KEY, ['b']);
    await holding.query('COMMIT');
    expect(await jobs.sql(HEARTBEAT, [other])).toMatchObject([{ reclaimed: 2 }]);
    expect(await jobs.sql('SELECT state, count(*)::int FROM portico_jobs.live GROUP BY state')).toEqual([
      { state: 'queued', count: 4 },
    ]);
    expect(await jobs.sql('SELECT id, state FROM portico_jobs.finished')).toEqual([
      { id: overdue?.id, state: 'expired' },
    ]);
  });

  test('outcomes, heartbeats, cancellations and replays of the same jobs never wait for each other in a circle', async () => {
    jobs = jobsOn(database);
    await jobs.open().admin.makePartitions();
    const [settling, beating, cancelling, replaying] = await Promise.all([1, 2, 3, 4].map(connect));
    for (let round = 0; round < 25; round++) {
      const more = Array.from({ length: 40 }, (_, index) => (index % 4 === 0 ? { orderKey: `${round} ${index}` } : {}));
      const { runner, ids } = await runJobs(more);
      await jobs.sql('DELETE FROM portico_jobs.runner');
      const shuffled = () => [...ids].sort(() => Math.random() - 0.5);
      const outcomes = shuffled().map((id, index) => outcomeOf(id, index % 2 === 0 ? 'done' : 'scheduled'));
      const ended = await Promise.allSettled([
        settling?.query(SETTLE, [runner, JSON.stringify(outcomes)]),
        beating?.query(HEARTBEAT, [randomUUID()]),
        cancelling?.query(CANCEL, [shuffled().slice(0, 20)]),
        replaying?.query('SELECT portico_jobs.replay($1)', [shuffled()]),
      ]);
      expect(ended.filter(({ status }) => status === 'rejected')).toEqual([]);
      await jobs.sql('TRUNCATE portico_jobs.live');
    }
  });

  test.each<['done' | 'scheduled', 'finished' | 'cancelled']>([
    ['done', 'finished'],
    ['scheduled', 'cancelled'],
  ])('a job whose attempt ends as %s while it is cancelled is %s', async (outcome, expected) => {
    jobs = jobsOn(database);
    const { runner, ids } = await runJobs([{ orderKey: 'a' }]);
    const next = await jobs.open({ mode: 'accept' }).enqueue({ ...WORK, orderKey: 'a' });
    const settling = await connect();
    await settling.query('BEGIN');
    await settling.query(SETTLE, [runner, JSON.stringify([outcomeOf(ids[0] as string, outcome)])]);
    const cancelling = jobs.sql(CANCEL, [ids]);
    await untilWaiting(1);
    await settling.query('COMMIT');
    expect(await cancelling).toEqual([{ cancelled: expected === 'cancelled' ? 1 : 0 }]);
    expect(await jobs.sql(`SELECT state FROM (${STATES}) AS job WHERE id = $1`, [ids[0]])).toEqual([
      { state: expected === 'cancelled' ? 'cancelled' : 'done' },
    ]);
    // The next one of its key does not wait for it.
    expect(await jobs.sql('SELECT id, state FROM portico_jobs.live')).toEqual([{ id: next.id, state: 'queued' }]);
  });

  test('a job that begins while it is cancelled is cancelled', async () => {
    jobs = jobsOn(database);
    const { id } = await jobs.open({ mode: 'accept' }).enqueue(WORK);
    const runner = randomUUID();
    await jobs.sql(HEARTBEAT, [runner]);
    const claiming = await connect();
    await claiming.query('BEGIN');
    expect((await claiming.query(CLAIM, [runner, 1])).rowCount).toBe(1);
    const cancelling = jobs.sql(CANCEL, [[id]]);
    await untilWaiting(1);
    await claiming.query('COMMIT');
    expect(await cancelling).toEqual([{ cancelled: 1 }]);
    expect(await jobs.sql(HEARTBEAT, [runner])).toMatchObject([{ cancelled: [id] }]);
    await jobs.sql(SETTLE, [runner, JSON.stringify([{ ...outcomeOf(id, 'scheduled'), after_ms: 0 }])]);
    expect(await jobs.sql(STATES)).toEqual([{ id, state: 'cancelled' }]);
  });

  test('jobs of processes that run and settle them are all cancelled, whatever state they are in', async () => {
    jobs = jobsOn(database);
    const { enqueue, admin } = jobs.open({ mode: 'accept' });
    const [running, cancelling] = [await connect(), await connect()];
    for (let round = 0; round < 10; round++) {
      const ids = await Promise.all(Array.from({ length: 50 }, async () => (await enqueue(WORK)).id));
      const runner = randomUUID();
      await jobs.sql(HEARTBEAT, [runner]);
      let isOver = false;
      // A process whose attempts all fail, and are made again at once.
      const attempts = (async () => {
        while (!isOver) {
          const { rows } = await running.query(
            `SELECT id, attempts FROM portico_jobs.claim($1, 20, '{work}', '', '', '', '[]', '{}')`,
            [runner],
          );
          const outcomes = rows.map(({ id, attempts: attempt }) => ({
            id,
            attempt,
            outcome: 'scheduled',
            after_ms: 0,
            is_attempt: true,
          }));
          await running.query(SETTLE, [runner, JSON.stringify(outcomes)]);
        }
      })();
      const { rows } = await cancelling.query(CANCEL, [ids]);
      expect(rows).toEqual([{ cancelled: 50 }]);
      await eventually(async () => (await jobs.sql('SELECT FROM portico_jobs.live')).length === 0);
      isOver = true;
      await attempts;
      expect(await admin.list({ states: ['cancelled'], ids })).toHaveLength(50);
    }
  });

  test('thousands of jobs with keys of their own are cancelled, replayed and deleted', async () => {
    jobs = jobsOn(database);
    const { admin } = jobs.open({ mode: 'accept' });
    await admin.makePartitions();
    await jobs.sql(`INSERT INTO portico_jobs.dead
      SELECT gen_random_uuid(), 'work', 'one', '', 'key ' || n, n::text, 1, 1, 'null', NULL, NULL, false, now(), now(), now(), NULL, NULL, NULL
      FROM generate_series(1, 9000) AS n`);
    expect(await admin.retry({ states: ['dead'] })).toBe(9_000);
    expect(await admin.cancel({ queue: 'one' })).toBe(9_000);
    expect(await admin.list({ states: ['cancelled'] }, 1)).toHaveLength(1);
  });
});
