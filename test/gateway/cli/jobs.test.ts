import { afterAll, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { dead, done } from '../../../gateway/jobs/engine/index.ts';
import { type JobsCommandOptions, jobs } from '../../../gateway/operations/cli/jobs/jobs.ts';
import { createTestDatabase } from '../../database/index.ts';
import { eventually, openJobsDatabase, WORK } from '../jobs/jobs-harness.ts';

const database = await openJobsDatabase('pglite');
afterAll(database.close);
let isBroken = true;
const process = database.worker(async ({ queue }) =>
  queue === 'bad' && isBroken ? dead('refused') : done('secret output'),
);
const good = await process.enqueue({ ...WORK, tenant: '1', payload: { password: 'of a person' } });
const bad = await process.enqueue({ ...WORK, queue: 'bad' });
const later = await process.enqueue({ ...WORK, runAt: Date.now() + 3_600_000 });
await eventually(async () => (await process.admin.list({ states: ['done', 'dead'] })).length === 2);

async function portico(command: JobsCommandOptions['command'], options: Partial<JobsCommandOptions> = {}) {
  const printed: string[] = [];
  const code = await jobs(
    {
      command,
      ids: [],
      states: undefined,
      kind: undefined,
      queue: undefined,
      tenant: undefined,
      before: undefined,
      limit: 100,
      payload: false,
      json: false,
      environment: { HASURA_GRAPHQL_METADATA_DATABASE_URL: database.database.url },
      ...options,
    },
    (text) => printed.push(text),
  );
  return { code, text: printed.join('\n') };
}

describe('portico jobs', () => {
  test('lists jobs by state, queue and tenant, as a table and as JSON', async () => {
    const all = await portico('list');
    for (const { id } of [good, bad, later]) expect(all.text).toContain(id);
    const mine = await portico('list', { tenant: '1', json: true });
    expect(JSON.parse(mine.text)).toMatchObject([{ id: good.id, state: 'done', queue: 'one', tenant: '1' }]);
    expect((await portico('list', { states: ['dead'] })).text).toContain('refused');
    expect((await portico('list', { queue: 'none' })).text).toBe('no jobs');
  });

  test('shows a job without what is of people, unless that is asked for', async () => {
    const shown = await portico('show', { ids: [good.id] });
    expect(shown.text).toContain('done');
    expect(shown.text).not.toContain('secret');
    expect((await portico('show', { ids: [good.id], payload: true })).text).toContain('secret output');
    expect(await portico('show', { ids: ['01a20547-cb68-7785-a3e7-888fbd921d2f'] })).toEqual({
      code: 1,
      text: 'there is no such job',
    });
  });

  test('counts what waits and what is dead', async () => {
    const stats = await portico('stats', { json: true });
    expect(JSON.parse(stats.text)).toMatchObject([
      { kind: 'work', queue: 'bad', state: 'dead', count: 1 },
      { kind: 'work', queue: 'one', state: 'scheduled', count: 1 },
    ]);
  });

  test('changes nothing without ids or a condition', async () => {
    for (const command of ['retry', 'cancel', 'purge'] as const)
      await expect(portico(command)).rejects.toThrow('expected ids');
    await expect(portico('retry', { ids: ['x'] })).rejects.toThrow('expected job ids');
    await expect(portico('list', { states: ['lost'] })).rejects.toThrow('--state: expected');
  });

  test('cancels, replays and purges', async () => {
    expect(await portico('cancel', { ids: [later.id] })).toEqual({ code: 0, text: '1 job cancelled' });
    isBroken = false;
    expect(await portico('retry', { states: ['dead'], queue: 'bad' })).toEqual({
      code: 0,
      text: '1 job will run again',
    });
    await eventually(async () => (await process.admin.list({ queue: 'bad', states: ['done'] })).length === 1);
    isBroken = true;
    await process.enqueue({ ...WORK, queue: 'bad' });
    await eventually(async () => (await process.admin.list({ states: ['dead'] })).length === 1);
    expect(await portico('purge', { states: ['dead'] })).toEqual({ code: 0, text: '1 job deleted' });
    expect(await portico('purge', { ids: [bad.id] })).toEqual({ code: 1, text: '0 jobs deleted' });
  });

  test.each(['list', 'stats', 'cancel'] as const)(
    '%s leaves a database that no gateway has migrated as it is',
    async (command) => {
      const empty = await createTestDatabase({ engine: 'pglite', migrated: false });
      try {
        const environment = { HASURA_GRAPHQL_METADATA_DATABASE_URL: empty.url };
        const ran = portico(command, { environment, queue: command === 'stats' ? undefined : 'one' });
        await expect(ran).rejects.toThrow(
          'the database has no schema portico_jobs: a gateway or runner of this version',
        );
        const pool = new pg.Pool({ connectionString: empty.url, max: 1 });
        const { rowCount } = await pool.query("SELECT FROM pg_namespace WHERE nspname = 'portico_jobs'");
        await pool.end();
        expect(rowCount).toBe(0);
      } finally {
        await empty.drop();
      }
    },
  );

  test('says what is missing', async () => {
    await expect(portico('stats', { environment: {} })).rejects.toThrow(
      'HASURA_GRAPHQL_METADATA_DATABASE_URL is not set',
    );
    const environment = { HASURA_GRAPHQL_METADATA_DATABASE_URL: 'postgresql://x@127.0.0.1:1/x' };
    await expect(portico('stats', { environment })).rejects.toThrow('the database cannot be used (ECONNREFUSED)');
  });
});
