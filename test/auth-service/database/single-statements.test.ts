import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { type Database, migrate, openDatabase } from '../../../auth-service/database/index.ts';
import { availableEngines, createTestDatabase, type TestDatabase } from '../../database/index.ts';

const TENANTS = { text: 'SELECT id, name, created_at, claims FROM tenants ORDER BY id', values: [] };
const ADD_TENANT = 'INSERT INTO tenants (id, name) VALUES ($1, $2) RETURNING id';
const PREPARED = {
  text: "SELECT count(*)::int AS count FROM pg_prepared_statements WHERE name LIKE 'portico%'",
  values: [],
};

describe.each(await availableEngines())('a statement that stands alone on %s', (engine) => {
  let created: TestDatabase;
  let direct: pg.Client;
  let doors: Database;

  beforeAll(async () => {
    created = await createTestDatabase({ engine });
    await migrate(created.url);
    direct = new pg.Client({ connectionString: created.url });
    await direct.connect();
    await direct.query(
      `INSERT INTO tenants (id, name, claims) VALUES (1, 'one', '{"x-hasura-a":"b"}'), (2, 'two', '{}')`,
    );
  });
  beforeEach(() => {
    doors = openDatabase(created.url, { poolSize: 1 });
  });
  afterEach(() => doors.close());
  afterAll(async () => {
    await direct.end();
    await created.drop();
  });

  const names = async () => (await direct.query('SELECT name FROM tenants ORDER BY id')).rows.map(({ name }) => name);

  test('sees what its door says, and nothing of what the one before it on the connection saw', async () => {
    const ids = (rows: readonly { id: number }[]) => rows.map(({ id }) => id);
    const { single } = doors;

    expect(ids(await single.inTenant(1, TENANTS))).toEqual([1]);
    expect(ids(await single.withoutTenant(TENANTS))).toEqual([]);
    expect(ids(await single.acrossTenants('operators-look', TENANTS))).toEqual([1, 2]);
    expect(ids(await single.inTenant(2, TENANTS))).toEqual([2]);
    const after = await doors.withoutTenant(
      (transaction) => transaction.$queryRaw<{ id: number }[]>`SELECT id FROM tenants`,
    );
    expect(after).toEqual([]);
    await expect(single.inTenant("1'" as unknown as number, TENANTS)).rejects.toThrow('a tenant id is a whole number');
  });

  test('gives values as the database has them', async () => {
    const text = `SELECT $1::int AS number, $2::text AS text, $3::timestamptz AS time, $4::bytea AS bytes,
      $5::boolean AS truth, $6::text AS nothing, '{a,b}'::text[] AS list, '{"a":1}'::jsonb AS json`;
    const time = new Date('2026-11-21T12:00:00.123Z');
    const values = [7, 'ünï', time, Uint8Array.of(0, 255), true, null];

    const [row] = await doors.single.withoutTenant({ text, values });
    expect(row).toEqual({
      number: 7,
      text: 'ünï',
      time,
      bytes: Buffer.from([0, 255]),
      truth: true,
      nothing: null,
      list: ['a', 'b'],
      json: { a: 1 },
    });
    await expect(doors.single.withoutTenant({ text, values: [[1]] })).rejects.toThrow(TypeError);
    expect(await doors.single.withoutTenant({ text, values })).toHaveLength(1);
  });

  test('cannot write into another tenant', async () => {
    const refused = doors.single.inTenant(1, { text: ADD_TENANT, values: [3, 'three'] });

    await expect(refused).rejects.toMatchObject({ name: 'StatementError', code: '42501' });
    expect(await names()).toEqual(['one', 'two']);
  });

  test('that fails says no value, leaves nothing behind and keeps the connection', async () => {
    const twice = `WITH added AS (UPDATE tenants SET name = $1 RETURNING id) SELECT ($1 || id)::int FROM added`;
    const failed = doors.single.inTenant(1, { text: twice, values: ['a secret name'] });

    await expect(failed).rejects.toThrow('the database did not carry a statement out (22P02)');
    await expect(failed).rejects.toEqual(expect.not.objectContaining({ detail: expect.anything() }));
    expect(await names()).toEqual(['one', 'two']);
    await expect(doors.single.inTenant(1, { text: twice, values: ['a secret name'] })).rejects.toThrow('22P02');
    expect(await doors.single.inTenant(1, TENANTS)).toHaveLength(1);
  });

  test('is prepared once, and is carried out also where what was prepared is gone', async () => {
    await doors.single.inTenant(1, TENANTS);
    await doors.single.inTenant(2, TENANTS);
    const [before] = await doors.single.withoutTenant<{ count: number }>(PREPARED);
    expect(before?.count).toBeGreaterThanOrEqual(3);

    // As a pooler does that gives the next transaction another connection.
    await doors.withoutTenant((transaction) => transaction.$executeRaw`DEALLOCATE ALL`);
    expect(await doors.single.inTenant(1, TENANTS)).toHaveLength(1);
    expect(await doors.single.inTenant(2, TENANTS)).toHaveLength(1);
    const [after] = await doors.single.withoutTenant<{ count: number }>(PREPARED);
    expect(after?.count).toBe(0);
  });

  test('is refused inside a transaction, before it can wait for itself', async () => {
    const nested = doors.inTenant(1, () => doors.single.inTenant(1, TENANTS));

    await expect(nested).rejects.toThrow('a transaction must not be opened inside another');
    expect(await doors.single.inTenant(1, TENANTS)).toHaveLength(1);
  });

  test('many at once, on fewer connections, each see their own tenant', async () => {
    const several = openDatabase(created.url, { poolSize: 3 });
    try {
      const wanted = Array.from({ length: 90 }, (_, index) => (index % 2) + 1);
      const seen = await Promise.all(
        wanted.map((tenantId) => several.single.inTenant<{ id: number }>(tenantId, TENANTS)),
      );
      expect(seen.map((rows) => rows.map(({ id }) => id))).toEqual(wanted.map((tenantId) => [tenantId]));
    } finally {
      await several.close();
    }
  });

  if (engine === 'postgres')
    test('fails when its connection is lost, and the next one takes another', async () => {
      const lost = doors.single.withoutTenant({ text: 'SELECT pg_sleep(600)', values: [] });
      const isThere = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND query LIKE '%pg_sleep(600)%' AND pid <> pg_backend_pid()`;
      const [outcome] = await Promise.all([
        lost.catch((error: unknown) => error),
        (async () => {
          while ((await direct.query(isThere)).rows.length === 0);
        })(),
      ]);

      expect(outcome).toMatchObject({ name: 'StatementError', code: '57P01' });
      expect(await doors.single.inTenant(1, TENANTS)).toHaveLength(1);
    });
});
