import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { done } from '../../../gateway/jobs/engine/index.ts';
import { listStatement } from '../../../gateway/jobs/engine/job-statements.ts';
import { uuidV7 } from '../../../gateway/jobs/engine/uuid-v7.ts';
import { createLogger } from '../../../platform/index.ts';
import { hasPgbouncer, startPgbouncer } from '../../auth-service/database/pgbouncer.ts';
import { availableEngines, createTestDatabase, type TestDatabase } from '../../database/index.ts';
import { keeper } from '../harness/index.ts';
import { eventually, type JobsDatabaseUnderTest, jobsOn, recorder, WORK } from './jobs-harness.ts';

const onServer = (await availableEngines()).includes('postgres') ? describe : describe.skip;
const ALL = { retentionDays: 7, deadRetentionDays: 30 };

onServer('the database of jobs', () => {
  const { keep, close } = keeper();
  let database: TestDatabase;
  let jobs: JobsDatabaseUnderTest;
  beforeAll(async () => {
    database = await createTestDatabase({ engine: 'postgres', migrated: false });
    jobs = jobsOn(database);
  });
  afterAll(async () => {
    await jobs.close();
    await close();
    await database.drop();
  });

  test('the log says once which rights a user lacks, and jobs begin when they are granted', async () => {
    const role = `portico_jobs_${randomBytes(6).toString('hex')}`;
    await jobs.sql(`CREATE ROLE ${role} LOGIN`);
    await keep({
      close: async () => {
        await jobs.sql(`DROP OWNED BY ${role} CASCADE`);
        await jobs.sql(`DROP ROLE ${role}`);
      },
    });
    const url = new URL(database.url);
    url.username = role;
    const lines: Record<string, unknown>[] = [];
    const log = createLogger('gateway', 'info', { write: (line: string) => lines.push(JSON.parse(line)) });
    const work = recorder(() => done());
    const limited = jobs.worker(work.run, { ...ALL, url: url.href, log });
    await eventually(() => lines.length > 0);
    await expect(limited.enqueue(WORK)).rejects.toMatchObject({ code: 'service-unavailable' });
    const name = url.pathname.slice(1);
    expect(lines).toMatchObject([
      {
        event: 'jobs.database_unusable',
        code: 'rights-missing',
        reason: expect.stringContaining(`GRANT CREATE ON DATABASE "${name}" TO "${role}"`),
      },
    ]);
    await jobs.sql(`GRANT CREATE ON DATABASE ${name} TO ${role}`);
    await limited.enqueue(WORK);
    await eventually(() => work.jobs.length === 1);
    await limited.stop(1_000);
    await jobs.sql('DROP SCHEMA portico_jobs CASCADE');
  });

  test('the log says that a database has another encoding than UTF-8', async () => {
    const name = `portico_ascii_${randomBytes(6).toString('hex')}`;
    await jobs.sql(`CREATE DATABASE ${name} TEMPLATE template0 ENCODING 'SQL_ASCII' LC_COLLATE 'C' LC_CTYPE 'C'`);
    const url = new URL(database.url);
    url.pathname = name;
    const lines: Record<string, unknown>[] = [];
    const log = createLogger('gateway', 'info', { write: (line: string) => lines.push(JSON.parse(line)) });
    const opened = jobs.open({ url: url.href, log });
    try {
      await expect(opened.enqueue(WORK)).rejects.toMatchObject({ code: 'service-unavailable' });
      expect(lines).toMatchObject([
        {
          event: 'jobs.database_unusable',
          code: 'encoding',
          reason: expect.stringContaining(`"${name}" has the encoding SQL_ASCII`),
        },
      ]);
    } finally {
      await opened.stop(0);
      await jobs.sql(`DROP DATABASE ${name} WITH (FORCE)`);
    }
  });

  (hasPgbouncer ? test : test.skip)('can be behind a pooler that shares connections between transactions', async () => {
    const pooler = await startPgbouncer(database.url, ['postgres']);
    try {
      const url = pooler.through(database.url);
      const work = recorder(() => done());
      const opened = [1, 2, 3].map(() => jobs.worker(work.run, { url }));
      await Promise.all(opened.map((one) => one.admin.makePartitions()));
      // The lock of a session would stay with a connection of the pooler.
      const locks = await jobs.sql(`SELECT FROM pg_locks l JOIN pg_database d ON d.oid = l.database
        WHERE d.datname = current_database() AND l.locktype = 'advisory' AND l.classid = 2006 AND l.objid = 3`);
      expect(locks).toEqual([]);
      await Promise.all(opened.map((one) => one.enqueue(WORK)));
      await eventually(() => work.jobs.length === 3);
      expect(new Set(work.jobs.map(({ id }) => id)).size).toBe(3);
      await Promise.all(opened.map((one) => one.stop(1_000)));
    } finally {
      await pooler.stop();
    }
  });

  test('lists of jobs read the newest by an index, however many are kept', async () => {
    const { admin } = jobs.open();
    await admin.makePartitions();
    await jobs.sql(`INSERT INTO portico_jobs.finished
      SELECT gen_random_uuid(), 'work', 'one', '', NULL, n::text, 'done', 1, 1, now(), now(),
        now() - n % 2 * interval '1 day', NULL, NULL, NULL, NULL FROM generate_series(1, 20000) AS n`);
    await jobs.sql('ANALYZE portico_jobs.finished');
    for (const filter of [{}, { queue: 'one' }, { states: ['done' as const] }]) {
      const { text, values } = listStatement(filter, 100);
      const rows = await jobs.sql(`EXPLAIN ${text}`, [...values]);
      const plan = rows.map((row) => String(row['QUERY PLAN'])).join('\n');
      expect(plan).toMatch(/Index.* Scan .*on finished_\d{8}/);
      expect(plan).not.toMatch(/Seq Scan on finished_\d{8}/);
    }
    expect(await admin.list({ states: ['done'] }, 50)).toHaveLength(50);
  });

  test('a few jobs among many are found by statements of which none looks through all', async () => {
    const { admin } = jobs.open();
    await admin.makePartitions();
    await jobs.sql('TRUNCATE portico_jobs.finished');
    const made = '01a20000-0000-7000-8000-';
    await jobs.sql(
      `INSERT INTO portico_jobs.finished
      SELECT ($1 || lpad(to_hex(n), 12, '0'))::uuid, 'work', CASE WHEN n IN (7, 8, 30000) THEN 'rare' ELSE 'one' END, '', NULL, n::text,
        'done', 1, 1, now(), now(), now(), NULL, NULL, NULL, NULL FROM generate_series(1, 60000) AS n`,
      [made],
    );
    const idOf = (n: number) => made + n.toString(16).padStart(12, '0');
    const rare = [30_000, 8, 7].map(idOf);
    expect((await admin.list({ queue: 'rare' })).map(({ id }) => id)).toEqual(rare);
    expect((await admin.list({ queue: 'rare' }, 2)).map(({ id }) => id)).toEqual(rare.slice(0, 2));
    expect(await admin.page({ queue: 'rare' }, 2)).toMatchObject({ next: rare[1] });
    expect(await admin.page({ queue: 'rare' }, 3)).toMatchObject({ next: undefined });
    // A page that may take no time has what the first statement found, and where it ended.
    const pages: string[][] = [];
    let after: string | undefined;
    do {
      const page = await admin.page({ queue: 'rare', after }, 10, 0);
      pages.push(page.jobs.map(({ id }) => id));
      after = page.next;
    } while (after !== undefined);
    expect(pages.length).toBeGreaterThan(10);
    expect(pages.flat()).toEqual(rare);
    // What was accepted since is not looked through.
    const looked = listStatement({ queue: 'rare' }, 100, { order: 'DESC', behind: idOf(40_000), upTo: idOf(30_000) });
    expect((await jobs.sql(looked.text, [...looked.values])).map(({ id }) => id)).toEqual([idOf(30_000)]);
    const plan = (await jobs.sql(`EXPLAIN ${looked.text}`, [...looked.values]))
      .map((row) => row['QUERY PLAN'])
      .join('\n');
    expect(plan).not.toMatch(/Seq Scan on finished_\d{8}/);
  });

  test('jobs that were accepted before a time are looked for from then on, and dead ones of a few are found', async () => {
    const { admin } = jobs.open();
    await admin.makePartitions();
    const hour = 3_600_000;
    const now = Date.now();
    const old = uuidV7(now - 3 * hour);
    for (const [id, hours] of [
      [old, 3],
      [uuidV7(now), 0],
    ] as const)
      await jobs.sql(
        `INSERT INTO portico_jobs.dead SELECT $1, 'work', 'before', '', NULL, '', 1, 1, 'null', NULL, NULL, false,
          now() - $2::int * interval '1 hour', now(), now(), NULL, NULL, NULL`,
        [id, hours],
      );
    const filter = { queue: 'before', before: new Date(now - hour) };
    expect((await admin.list(filter)).map(({ id }) => id)).toEqual([old]);
    expect(await admin.list({ queue: 'before', before: new Date(now - 5 * hour) })).toEqual([]);
    expect(await admin.list({ queue: 'before', states: [] })).toEqual([]);
    expect(await admin.purge(filter)).toBe(1);
    expect(await admin.list({ queue: 'before' })).toHaveLength(1);
  });
});
