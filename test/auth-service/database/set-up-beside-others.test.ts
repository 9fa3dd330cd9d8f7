import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { migrate, setUpRoles } from '../../../auth-service/database/index.ts';
import { availableEngines, createTestDatabase, type TestDatabase } from '../../database/index.ts';
import { until } from '../until.ts';

const suffix = randomBytes(4).toString('hex');
const OWNER = `portico_test_owner3_${suffix}`;
const SERVICE = `portico_test_service3_${suffix}`;

/** Other databases of the server, copied from the same template, have tables of the same numbers. */
const EXCLUSIVE_HERE = `mode = 'AccessExclusiveLock' AND locktype = 'relation'
  AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;

if ((await availableEngines()).includes('postgres'))
  describe('setting the roles up beside others', () => {
    let databases: TestDatabase[];

    beforeEach(async () => {
      databases = [];
    });
    afterEach(async () => {
      for (const [index, { url, drop }] of databases.entries()) {
        const client = await connected(url);
        await client.query(
          `REASSIGN OWNED BY ${OWNER}, ${SERVICE} TO CURRENT_USER; DROP OWNED BY ${OWNER}, ${SERVICE}`,
        );
        if (index === databases.length - 1) await client.query(`DROP ROLE ${OWNER}, ${SERVICE}`);
        await client.end();
        await drop();
      }
    });

    async function newDatabase(options: { migrated: boolean }) {
      const database = await createTestDatabase({ engine: 'postgres', ...options });
      databases.push(database);
      return { admin: database.url, owner: as(database.url, OWNER), service: as(database.url, SERVICE) };
    }

    test('people log in while it waits for the end of a long transaction', async () => {
      const urls = await newDatabase({ migrated: true });
      const [backup, reader] = [await connected(urls.admin), await connected(urls.admin)];
      await backup.query('BEGIN; LOCK TABLE users IN ACCESS SHARE MODE');
      const setUp = setUpRoles(urls);
      try {
        await until('it stands in the queue', async () => {
          const { rows } = await reader.query(
            `SELECT 1 FROM pg_locks WHERE NOT granted AND relation = 'users'::regclass AND ${EXCLUSIVE_HERE}`,
          );
          return rows.length > 0;
        });
        const { rows: held } = await reader.query(
          `SELECT relation::regclass FROM pg_locks WHERE granted AND ${EXCLUSIVE_HERE}`,
        );
        expect(held).toEqual([]);
        // Behind it in the queue: the first would wait for the end of the long transaction.
        for (const table of ['users', 'sessions', 'refresh_tokens', 'tenants', 'role_claims'])
          await reader.query(`SELECT count(*) FROM ${table}`);
      } finally {
        await backup.query('COMMIT');
        await Promise.all([backup.end(), reader.end()]);
      }
      expect(await setUp).toEqual({ owner: OWNER, service: SERVICE, applied: [] });
    });

    test.each([
      ['a new database', false],
      ['a database with tables', true],
    ])('three at once set up %s', async (_which, migrated) => {
      const urls = await newDatabase({ migrated });
      const results = await Promise.all([setUpRoles(urls), setUpRoles(urls), setUpRoles(urls)]);
      expect(results.filter(({ applied }) => applied.length > 0)).toHaveLength(migrated ? 0 : 1);
    });

    test('databases of one server can be given to the same roles at once', async () => {
      const all = [];
      for (let count = 0; count < 3; count += 1) all.push(await newDatabase({ migrated: true }));
      const results = await Promise.all(all.map((urls) => setUpRoles(urls)));
      expect(results.map(({ owner }) => owner)).toEqual([OWNER, OWNER, OWNER]);
    });

    test('it and the migrations of a starting service do not disturb each other', async () => {
      const urls = await newDatabase({ migrated: true });
      await setUpRoles(urls);
      const migrations = [1, 2, 3].map(() => migrate(urls.service, { ownerUrl: urls.owner }));
      expect(await Promise.all([...migrations, setUpRoles(urls), setUpRoles(urls)])).toHaveLength(5);
    });
  });
else test.todo('NOT TESTED WITHOUT POSTGRESQL: setting the roles up beside others');

function as(database: string, user: string): string {
  const url = new URL(database);
  url.username = user;
  url.password = `${user}-password`;
  return url.href;
}

async function connected(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return client;
}
