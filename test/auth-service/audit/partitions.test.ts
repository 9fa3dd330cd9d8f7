import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { auditSweeps, readAuditOfTenant } from '../../../auth-service/audit/index.ts';
import { connectToDatabase, type Database, openDatabase } from '../../../auth-service/database/index.ts';
import { readMigrations } from '../../../auth-service/database/migrate.ts';
import { runScript } from '../../../auth-service/database/run-script.ts';
import { grantTables, prepareServiceRole } from '../../../auth-service/database/service-role.ts';
import { availableEngines, createTestDatabase, type TestDatabase } from '../../database/index.ts';

const DAY_MS = 86_400_000;
/** The first of the migrations that make partitions of the log. */
const FIRST_MIGRATION = '20261122050000';
const REFUSED = /append-only|permission denied|must be owner|row-level security/;

function idAt(at: Date): string {
  const time = at.getTime().toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}`;
}

describe.each(await availableEngines())('the audit log in partitions, on %s', (engine) => {
  let database: TestDatabase;
  let client: pg.Client;
  let doors: Database;

  beforeAll(async () => {
    database = await createTestDatabase({ engine, migrated: false });
    const pool = new pg.Pool({ connectionString: database.url, max: 1 });
    client = await connectToDatabase(database.url);
    // Made by Prisma's engine; a script notes there that it has finished.
    await client.query('CREATE TABLE _prisma_migrations (finished_at timestamptz, rolled_back_at timestamptz)');
    const { migrationDirectories } = await readMigrations();
    for (const { path, migrationFile } of migrationDirectories) {
      if (path.startsWith(FIRST_MIGRATION)) {
        await prepareServiceRole(client);
        await addOf(-800, 400, 366, 100, 0);
      }
      if (migrationFile.content.tag === 'ok') await runScript(pool, migrationFile.content.value);
    }
    await pool.end();
    // A step of its own after the migrations, so that the time between them is tried too.
    await addAs(0.01);
    await prepareServiceRole(client);
    doors = openDatabase(database.url, { poolSize: 2 });
  });
  afterAll(async () => {
    await doors.close();
    await client.end();
    await database.drop();
  });

  /** Adds entries of tenant 1 of these ages, in days; of a negative age, they are from the future. */
  async function addOf(...ages: number[]): Promise<void> {
    for (const age of ages) {
      const at = new Date(Date.now() - age * DAY_MS);
      await client.query(
        `INSERT INTO audit_log (tenant_id, id, at, event, outcome, actor_kind, details)
         VALUES (1, $1, $2, 'login', 'refused', 'unknown', $3)`,
        [idAt(at), at, { age }],
      );
    }
  }

  /** The same in the role of the service, with the rights that it has now. */
  async function addAs(age: number): Promise<void> {
    await client.query("BEGIN; SET LOCAL ROLE portico_service; SET LOCAL portico.tenant_id = '1'");
    await addOf(age);
    await client.query('COMMIT');
  }

  const agesIn = async (table: string) => {
    const { rows } = await client.query(`SELECT (details->>'age')::float AS age FROM ${table} ORDER BY id`);
    return rows.map(({ age }) => age as number);
  };
  const partitions = async () => {
    const { rows } = await client.query('SELECT name, lower, upper FROM audit_partitions() ORDER BY upper NULLS LAST');
    return rows as { name: string; lower: string | null; upper: string | null }[];
  };
  /** Of what the housekeeping has removed. */
  async function tidy(retentionDays = 365) {
    const counts: Record<string, number> = {};
    for (const { name, sweep } of auditSweeps(doors, retentionDays)) counts[name] = await sweep(new Date(), 500);
    return counts;
  }

  test('the migration keeps every row, and those who could add rows can go on', async () => {
    expect(await agesIn('audit_log')).toEqual([400, 366, 100, 0, 0.01, -800].sort((a, b) => b - a));
    expect(await agesIn('audit_log_first')).toEqual([400, 366, 100, 0.01, 0]);
    expect(await agesIn('audit_log_default')).toEqual([-800]);
  });

  test('there are partitions for the next weeks, without a gap, and one for all other times', async () => {
    const all = await partitions();
    const [first, ...weeks] = all.slice(0, -1);

    expect(first).toMatchObject({ name: 'audit_log_first', lower: null });
    expect(all.at(-1)).toEqual({ name: 'audit_log_default', lower: null, upper: null });
    expect(weeks).toHaveLength(3);
    for (const [index, { lower }] of weeks.entries())
      expect(lower).toBe((index === 0 ? first : weeks[index - 1])?.upper);
    const lastDay = Number.parseInt((weeks.at(-1)?.upper ?? '').replace('-', '').slice(0, 12), 16) - Date.now();
    expect(lastDay / DAY_MS).toBeGreaterThan(49);
    expect(lastDay / DAY_MS).toBeLessThanOrEqual(56);
  });

  test('an entry goes to the partition of its week, and what has none is still written down and read', async () => {
    await addAs(-40);
    await addAs(-60);
    const { rows } = await client.query(
      'SELECT tableoid::regclass::text AS name FROM audit_log WHERE details = \'{ "age": -40 }\'',
    );

    expect(rows).toEqual([{ name: expect.stringMatching(/^audit_log_\d{8}$/) }]);
    expect(await agesIn('audit_log_default')).toEqual([-60, -800]);
    const read = await readAuditOfTenant(doors, 1, { first: 3 });
    expect(read.map(({ details }) => details.age)).toEqual([-800, -60, -40]);
  });

  test('rows of the partition without a beginning go one by one, and never those of the last thirty days', async () => {
    expect(await tidy(370)).toEqual({ audit_log: 1, audit_log_partitions: 0 });
    expect(await agesIn('audit_log_first')).toEqual([366, 100, 0.01, 0]);
    expect(await tidy(30)).toEqual({ audit_log: 2, audit_log_partitions: 0 });
    expect(await agesIn('audit_log')).toEqual([0.01, 0, -40, -60, -800]);
  });

  test.each([
    ['', 'SELECT'],
    ["SET portico.across_tenants = 'audit-retention'", 'DELETE'],
    ["SET portico.across_tenants = 'audit-log'", 'UPDATE'],
    ["SET portico.tenant_id = '1'", 'INSERT'],
    ['', 'TRUNCATE'],
    ['', 'DROP'],
    ['', 'DETACH'],
  ])('%s; the service cannot go to a partition itself: %s', async (setting, action) => {
    // What a version before this one gave it at its start.
    const all = await partitions();
    for (const { name } of all)
      await client.query(`GRANT SELECT, INSERT, UPDATE, DELETE ON ${name} TO portico_service`);
    const before = await agesIn('audit_log');
    const statements: Record<string, (name: string) => string> = {
      SELECT: (name) => `SELECT 1/count(*) FROM ${name}`,
      DELETE: (name) => `DELETE FROM ${name}`,
      UPDATE: (name) => `UPDATE ${name} SET event = 'nothing'`,
      INSERT: (name) => `INSERT INTO ${name} SELECT 1, '${idAt(new Date())}', now(), 'login', 'success', 'user'`,
      TRUNCATE: (name) => `TRUNCATE ${name}`,
      DROP: (name) => `DROP TABLE ${name}`,
      DETACH: (name) => `ALTER TABLE audit_log DETACH PARTITION ${name}`,
    };
    const attack = async (statement: string) => {
      await client.query(`BEGIN; SET LOCAL ROLE portico_service; ${setting.replace('SET', 'SET LOCAL')}`);
      try {
        return await client.query(statement);
      } finally {
        await client.query('ROLLBACK');
      }
    };
    for (const { name } of all)
      await expect(attack(statements[action]?.(name) ?? '')).rejects.toThrow(
        action === 'SELECT' ? /division by zero/ : REFUSED,
      );
    await grantTables(client, 'portico_service');
    for (const { name } of all) await expect(attack(`SELECT FROM ${name}`)).rejects.toThrow(/permission denied/);
    expect(await agesIn('audit_log')).toEqual(before);
  });

  test('temporary tables of the caller do not stand in for the log', async () => {
    const before = (await partitions()).length;
    await client.query('BEGIN; SET LOCAL ROLE portico_service');
    await client.query(`CREATE TEMP TABLE audit_log (LIKE public.audit_log) ON COMMIT DROP;
      CREATE TEMP TABLE audit_log_default (LIKE public.audit_log) ON COMMIT DROP;
      CREATE TEMP TABLE audit_log_first (LIKE public.audit_log) ON COMMIT DROP;
      SELECT create_audit_partitions(10); SELECT drop_audit_partitions(now()); SELECT remove_old_audit_rows(now(), 10)`);
    await client.query('RESET ROLE');
    const { rows } = await client.query(
      "SELECT count(*)::int AS count FROM pg_inherits WHERE inhparent = 'public.audit_log'::regclass",
    );
    await client.query('ROLLBACK');

    // Two weeks more, but for the one that has a row in the default partition.
    expect(rows).toEqual([{ count: before + 1 }]);
  });

  test('whole weeks are dropped when their last row has had its time, and the next ones are made', async () => {
    await client.query('ALTER TABLE audit_log DETACH PARTITION audit_log_first; DROP TABLE audit_log_first');
    const monday = Date.parse('2026-01-05T00:00:00Z');
    const week = Math.floor((Date.now() - monday) / (7 * DAY_MS));
    const begin = (ago: number) => new Date(monday + (week - ago) * 7 * DAY_MS);
    const first = (at: Date) => `${idAt(at).slice(0, 13)}-0000-0000-000000000000`;
    for (const ago of [60, 54, 4, 2]) {
      await client.query(`CREATE TABLE old_${ago} PARTITION OF audit_log
        FOR VALUES FROM ('${first(begin(ago))}') TO ('${first(begin(ago - 1))}')`);
      await addOf((Date.now() - begin(ago).getTime()) / DAY_MS - 1);
    }
    expect(await tidy()).toEqual({ audit_log: 0, audit_log_partitions: 2 });
    const names = (await partitions()).map(({ name }) => name);

    expect(names.slice(0, 2)).toEqual(['old_4', 'old_2']);
    // From this week to the eighth one, and the default.
    expect(names.slice(2)).toHaveLength(9);
    expect(await tidy()).toEqual({ audit_log: 0, audit_log_partitions: 0 });
    // Rows of the last thirty days are in it, whatever the retention is said to be.
    expect(await tidy(-1000)).toEqual({ audit_log: 0, audit_log_partitions: 0 });
    expect((await partitions()).map(({ name }) => name)).toEqual(names);
  });

  if (engine === 'postgres') {
    test('one service does it at a time, and no other waits for it', async () => {
      const other = await connectToDatabase(database.url);
      try {
        await other.query('BEGIN; SELECT pg_advisory_xact_lock(7467842604)');
        const { rows } = await client.query('SELECT create_audit_partitions(20) AS made');
        expect(rows).toEqual([{ made: 0 }]);
        await other.query('ROLLBACK');
      } finally {
        await other.end();
      }
    });

    test('a long read of the log blocks neither writers nor the housekeeping', async () => {
      await client.query(`CREATE TABLE old PARTITION OF audit_log
        FOR VALUES FROM ('00000000-0000-0000-0000-000000000000') TO ('01000000-0000-0000-0000-000000000000')`);
      const reader = await connectToDatabase(database.url);
      try {
        await reader.query('BEGIN; SELECT count(*) FROM audit_log');
        expect(await tidy()).toEqual({ audit_log: 0, audit_log_partitions: 0 });
        await addAs(0);
        await reader.query('COMMIT');
        expect(await tidy()).toEqual({ audit_log: 0, audit_log_partitions: 1 });
      } finally {
        await reader.query('ROLLBACK');
        await reader.end();
      }
    });
  }
});
