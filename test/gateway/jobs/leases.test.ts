import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { done, interrupted, type JobHandler, postponed } from '../../../gateway/jobs/engine/index.ts';
import { openFreezableProxy } from '../../auth-service/freezable-proxy.ts';
import { availableEngines, createTestDatabase, type TestDatabase } from '../../database/index.ts';
import { keeper } from '../harness/index.ts';
import { eventually, type JobsDatabaseUnderTest, jobsOn, recorder, WORK } from './jobs-harness.ts';

const HEARTBEAT = "SELECT * FROM portico_jobs.heartbeat($1, 'test', 30000, '{}')";
const CLAIM = `SELECT id FROM portico_jobs.claim($1, 1, '{work}', '', '', '', '[]', '{}')`;

describe.each(await availableEngines())('leases of jobs on %s', (engine) => {
  const { keep, close } = keeper();
  let database: TestDatabase;
  let jobsOfTest: JobsDatabaseUnderTest | undefined;
  beforeAll(async () => {
    database = await createTestDatabase({ engine, migrated: false });
  });
  afterEach(async () => {
    await jobsOfTest?.close();
  });
  afterAll(async () => {
    await close();
    await database.drop();
  });
  const openDatabase = (): JobsDatabaseUnderTest => {
    jobsOfTest = jobsOn(database);
    return jobsOfTest;
  };
  const onServer = engine === 'postgres' ? test : test.skip;
  const connect = async () => {
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    return keep({ query: client.query.bind(client) as typeof client.query, close: () => client.end() });
  };
  /** Runs until it is aborted. */
  const untilAborted =
    (onBegun: () => void, onAborted = () => {}): JobHandler['run'] =>
    (_job, signal) =>
      new Promise((resolve) => {
        signal.addEventListener('abort', () => {
          onAborted();
          resolve(interrupted());
        });
        onBegun();
      });

  test('jobs of a process whose row is gone are released by the heartbeat of another', async () => {
    const { open, sql } = openDatabase();
    const { id } = await open({ mode: 'accept' }).enqueue(WORK);
    const lost = randomUUID();
    await sql(HEARTBEAT, [lost]);
    expect(await sql(CLAIM, [lost])).toEqual([{ id }]);
    await sql('DELETE FROM portico_jobs.runner');
    expect(await sql(HEARTBEAT, [randomUUID()])).toMatchObject([{ reclaimed: 1 }]);
    expect(await sql('SELECT state, attempts, reason FROM portico_jobs.live')).toEqual([
      { state: 'queued', attempts: 1, reason: 'runner-lost' },
    ]);
  });

  onServer('a lease that ends between a claim and its commit loses no job', async () => {
    const { open, sql } = openDatabase();
    await open({ mode: 'accept' }).enqueue(WORK);
    const [slow, other] = [randomUUID(), randomUUID()];
    await sql(HEARTBEAT, [slow]);
    const claiming = await connect();
    await claiming.query('BEGIN');
    expect((await claiming.query(CLAIM, [slow])).rowCount).toBe(1);
    await sql("UPDATE portico_jobs.runner SET lease_until = now() - interval '1 second'");
    await sql(HEARTBEAT, [other]);
    // The claim is still to be committed: who takes the lease away now would not see what it has begun.
    expect(await sql('SELECT FROM portico_jobs.runner WHERE id = $1', [slow])).toHaveLength(1);
    await claiming.query('COMMIT');
    expect(await sql(HEARTBEAT, [other])).toMatchObject([{ reclaimed: 1 }]);
    expect(await sql('SELECT state, runner FROM portico_jobs.live')).toEqual([{ state: 'queued', runner: null }]);
  });

  onServer('a process that hears nothing of its database ends its runs before others begin them', async () => {
    const { worker, open } = openDatabase();
    const url = new URL(database.url);
    const proxy = await keep(openFreezableProxy({ host: url.hostname, port: Number(url.port) }));
    url.port = String(proxy.port);
    const order: string[] = [];
    worker(
      untilAborted(
        () => order.push('first begun'),
        () => order.push('first aborted'),
      ),
      { url: url.href, leaseMs: 3_000 },
    );
    await open({ mode: 'accept' }).enqueue(WORK);
    await eventually(() => order.length === 1);
    proxy.freezeNewConnections(true);
    proxy.freezeOpenConnections();
    worker(
      async () => {
        order.push('second begun');
        return done();
      },
      { leaseMs: 3_000 },
    );
    await eventually(() => order.includes('second begun'));
    expect(order).toEqual(['first begun', 'first aborted', 'second begun']);
  });

  test('a process that drains begins nothing more and ends what it has begun', async () => {
    const { worker, open } = openDatabase();
    const held: (() => void)[] = [];
    const first = worker(() => new Promise((resolve) => held.push(() => resolve(done('of the first')))));
    const accepting = open({ mode: 'accept' });
    const { id } = await accepting.enqueue(WORK);
    await eventually(() => held.length === 1);
    first.drain();
    await first.enqueue(WORK);
    const second = recorder(() => done('of the second'));
    const jobs = worker(second.run);
    await eventually(() => second.jobs.length === 1);
    held[0]?.();
    await eventually(async () => (await jobs.admin.list({ states: ['done'] })).length === 2);
    expect(held).toHaveLength(1);
    expect(await jobs.result({ id, kind: 'work', queue: 'one', owner: undefined })).toMatchObject({
      output: 'of the first',
    });
  });

  test('an aborted run of a job with one attempt is made up for by another process', async () => {
    const { worker, open } = openDatabase();
    let begun = 0;
    const first = worker(untilAborted(() => begun++));
    await open({ mode: 'accept' }).enqueue({ ...WORK, maxAttempts: 1 });
    await eventually(() => begun === 1);
    await first.stop(0);
    const second = recorder(() => done());
    const jobs = worker(second.run);
    await eventually(async () => (await jobs.admin.list({ states: ['done'] })).length === 1);
    expect(second.jobs).toMatchObject([{ attempt: 1 }]);
  });

  test('a tenant that cannot be served is left alone, and the others of its queue are not', async () => {
    const { worker, open } = openDatabase();
    const accepting = open({ mode: 'accept' });
    for (const tenant of ['away', 'away', 'away', 'here', 'here']) await accepting.enqueue({ ...WORK, tenant });
    const work = recorder(({ tenant }) => (tenant === 'away' ? postponed('no-tenant', 60_000, 'tenant') : done()));
    const jobs = worker(work.run, { slots: 1 });
    await eventually(async () => (await jobs.admin.list({ states: ['done'] })).length === 2);
    expect(work.jobs.filter(({ tenant }) => tenant === 'away')).toHaveLength(1);
  });
});
