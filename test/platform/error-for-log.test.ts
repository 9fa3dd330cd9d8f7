import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { GraphQLError } from 'graphql';
import pg from 'pg';
import { openClient } from '../../auth-service/database/client.ts';
import { createLogger } from '../../platform/index.ts';
import { createTestDatabase, preferredEngine, type TestDatabase } from '../database/index.ts';

const VALUE = 'Ann@example.com';
const FAILING: readonly (readonly [what: string, code: string, sql: string])[] = [
  ['a row that is there twice', '23505', `INSERT INTO person VALUES ('${VALUE}'), ('${VALUE}')`],
  ['a row that breaks a rule', '23514', `INSERT INTO person VALUES ('${VALUE} ')`],
  ['a value of another type', '22P02', `SELECT '${VALUE}'::uuid`],
  ['a value of JSON', '22P02', `SELECT '{"email": ${VALUE}}'::jsonb`],
  ['a value that is out of range', '22003', "SELECT '99999999999999999999'::int"],
  [
    'a function that quotes its statement',
    'P0001',
    `DO $$ BEGIN RAISE EXCEPTION 'no ${VALUE}' USING HINT = '${VALUE}'; END $$`,
  ],
];

describe('errors of the database in the log', () => {
  let database: TestDatabase;
  let client: pg.Client;
  beforeAll(async () => {
    database = await createTestDatabase({ engine: preferredEngine(), migrated: false });
    client = new pg.Client({ connectionString: database.url });
    await client.connect();
    await client.query("CREATE TABLE person (email text PRIMARY KEY CHECK (email NOT LIKE '% '))");
  });
  afterAll(async () => {
    await client.end();
    await database.drop();
  });
  const logged = (err: unknown) => {
    const lines: string[] = [];
    const log = createLogger('gateway', 'info', { write: (line: string) => lines.push(line) });
    log.error({ event: 'listener.failed', err }, 'failed');
    return lines.join('');
  };
  const failureOf = async (sql: string): Promise<Error> => {
    const failure = await client.query(sql).then(
      () => undefined,
      (error: Error) => error,
    );
    if (!failure) throw new Error('the statement did not fail');
    return failure;
  };

  test.each(FAILING)('%s: its code is logged, and no value', async (_what, code, sql) => {
    const failure = await failureOf(sql);
    const within = new Error('outer', { cause: new Error('inner', { cause: failure }) });
    const beside = new AggregateError([failure], 'several');
    const below = Object.assign(new Error('of a library'), { meta: { driverAdapterError: failure } });
    const ofGraphql = new GraphQLError(failure.message, { originalError: failure });
    for (const error of [failure, within, beside, below, ofGraphql]) {
      const line = logged(error);
      expect(line).not.toContain(VALUE);
      expect(line).not.toContain('99999');
      expect(line).not.toMatch(/"(detail|where|hint|internalQuery)"/);
    }
    expect(JSON.parse(logged(failure)).err).toMatchObject({ type: 'DatabaseError', code });
    expect(JSON.parse(logged(within)).err.message).toMatch(/^outer: inner: /);
    expect(JSON.parse(logged(within)).err.stack).toContain('error-for-log.test');
  });

  test.each(FAILING)('%s, through Prisma', async (_what, code, sql) => {
    const prisma = openClient(database.url, { poolSize: 1 });
    try {
      const failure: unknown = await prisma.client.$executeRawUnsafe(sql).then(
        () => undefined,
        (error: unknown) => error,
      );
      const line = logged(failure);
      expect(line).toContain(code);
      expect(line).not.toContain(VALUE);
      expect(line).not.toContain('99999');
    } finally {
      await prisma.client.$disconnect();
    }
  });

  test('what is no error of the database is logged as it is', () => {
    const error = Object.assign(new Error('refused'), { code: 'EPIPE', detail: 'of ours', cause: new Error('below') });
    expect(JSON.parse(logged(error)).err).toMatchObject({
      message: 'refused: below',
      code: 'EPIPE',
      detail: 'of ours',
    });
    expect(JSON.parse(logged('text')).err).toBe('text');
  });

  test('what names the schema is kept', async () => {
    const error = JSON.parse(logged(await failureOf(`INSERT INTO person VALUES ('${VALUE} ')`))).err;
    expect(error).toMatchObject({ table: 'person', constraint: 'person_email_check', severity: 'ERROR' });
    expect(error.message).toContain('violates check constraint');
  });

  test('a position in a statement is left out, and its digits are kept elsewhere', async () => {
    const sql = `DO $$ BEGIN EXECUTE 'SELECT 1 + nothing'; END $$`;
    const failure = await failureOf(sql);
    expect(failure).toMatchObject({ code: '42703', internalPosition: expect.any(String) });
    const error = JSON.parse(logged(Object.assign(failure, { internalPosition: '4', hint: '42703' }))).err;
    expect(error).toMatchObject({ code: '42703', severity: 'ERROR' });
    expect(error.internalPosition).toBeUndefined();
    expect(error.message).toBe('column "nothing" does not exist');
  });

  test('a text that is quoted within a longer one does not hide that from being found', async () => {
    const sql = `DO $$ BEGIN RAISE EXCEPTION 'no ${VALUE} in 2026' USING HINT = '2026'; END $$`;
    expect(logged(await failureOf(sql))).not.toContain(VALUE);
  });

  test('objects that refer to each other and large ones cost little, and their values are not logged', async () => {
    const failure = await failureOf(`SELECT '${VALUE}'::uuid`);
    const peers: Record<string, unknown>[] = Array.from({ length: 60 }, (_, number) => ({
      number,
      text: failure.message,
    }));
    for (const one of peers) for (const [index, other] of peers.entries()) one[`to${index}`] = other;
    const wide = Array.from({ length: 5_000 }, () => ({ text: failure.message }));
    const bytes = Buffer.alloc(20_000_000);
    const line = logged(Object.assign(new Error('of a library', { cause: failure }), { peers, bytes, wide }));
    expect(line.includes(VALUE)).toBe(false);
    expect(line).toContain('of a library');
    expect(line.length).toBeLessThan(200_000);
  });
});
