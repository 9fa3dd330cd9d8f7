import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import {
  type AcrossTenantsReason,
  connectToDatabase,
  type Database,
  migrate,
  openDatabase,
} from '../../../auth-service/database/index.ts';
import { prepareServiceRole } from '../../../auth-service/database/service-role.ts';
import {
  availableEngines,
  createTestDatabase,
  openTestClient,
  POSTGRES_URL,
  type TestClient,
  type TestDatabase,
} from '../../database/index.ts';
import { addRowsOf, tenantTables } from './tenant-rows.ts';

const engines = await availableEngines();
const REFUSED = /row-level security/;

/** The tables that may be read across tenants, by the reason for it. */
const READABLE: Readonly<Record<AcrossTenantsReason, readonly string[]>> = {
  'session-of-refresh-token': ['refresh_tokens', 'sessions'],
  'client-authentication': ['oauth_clients', 'tenants'],
  'revocation-feed': ['revocations'],
  'operators-look': ['tenants', 'users'],
  'audit-log': ['audit_log'],
  housekeeping: ['refresh_tokens', 'revocations', 'sessions'],
};
/** Not to be changed or removed by anybody; how that is refused depends on whom the policies bind. */
const APPEND_ONLY = 'audit_log';
const APPEND_ONLY_REFUSED = /append-only|permission denied/;

const REASONS = Object.keys(READABLE) as AcrossTenantsReason[];

type Query = { $queryRawUnsafe: TestClient['$queryRawUnsafe']; $executeRawUnsafe: TestClient['$executeRawUnsafe'] };

interface Place {
  what: string;
  /** A database with the current schema, and the URL that the service is given. */
  open(): Promise<{ database: TestDatabase; url: string; drop(): Promise<void> }>;
}

const places: readonly Place[] = engines.flatMap((engine): Place[] => {
  const asSuperuser: Place = {
    what: `${engine}, as a superuser`,
    async open() {
      const database = await createTestDatabase({ engine });
      return { database, url: database.url, drop: database.drop };
    },
  };
  if (engine === 'pglite') return [asSuperuser];
  return [
    asSuperuser,
    userWith('as the owner of the tables', ''),
    userWith('as a user above policies', 'BYPASSRLS CREATEROLE'),
  ];
});

/** PostgreSQL by a user with these attributes, who owns the database and migrates it. */
function userWith(what: string, attributes: string): Place {
  return {
    what: `postgres, ${what}`,
    async open() {
      const { database, url, drop } = await databaseOfUser(attributes);
      await migrate(url);
      return { database, url, drop };
    },
  };
}

async function databaseOfUser(attributes: string) {
  const database = await createTestDatabase({ engine: 'postgres', migrated: false });
  const name = `portico_test_${randomBytes(6).toString('hex')}`;
  const server = openTestClient(POSTGRES_URL);
  await server.$executeRawUnsafe(`CREATE ROLE ${name} LOGIN PASSWORD 'secret' ${attributes}`);
  await server.$executeRawUnsafe(`ALTER DATABASE ${new URL(database.url).pathname.slice(1)} OWNER TO ${name}`);
  const inside = openTestClient(database.url);
  await inside.$executeRawUnsafe(`ALTER SCHEMA public OWNER TO ${name}`);
  await inside.$disconnect();
  const url = new URL(database.url);
  url.username = name;
  url.password = 'secret';
  return {
    database,
    url: url.href,
    async drop() {
      await database.drop();
      await server.$executeRawUnsafe(`DROP ROLE ${name}`);
      await server.$disconnect();
    },
  };
}

describe.each(places)('tenants are kept apart by the database: $what', ({ open }) => {
  let opened: Awaited<ReturnType<Place['open']>>;
  let doors: Database;
  let client: TestClient;
  let tables: Awaited<ReturnType<typeof tenantTables>>;
  const rowsOfTwo = new Map<string, string>();

  beforeAll(async () => {
    opened = await open();
    doors = openDatabase(opened.url, { poolSize: 3 });
    client = openTestClient(opened.database.url);
    await addRowsOf(client, 1);
    await addRowsOf(client, 2);
    tables = await tenantTables(client);
    for (const { table, column } of tables) {
      const sql = `SELECT row_to_json(t)::text AS text FROM ${table} t WHERE ${column} = 2`;
      const [row] = await client.$queryRawUnsafe<{ text: string }[]>(sql);
      rowsOfTwo.set(table, row?.text ?? '');
    }
  });
  afterAll(async () => {
    await doors.close();
    await client.$disconnect();
    await opened.drop();
  });

  async function count(transaction: Query, { table, column }: (typeof tables)[number], tenantId: number) {
    const sql = `SELECT count(*)::int AS count FROM ${table} WHERE ${column} = ${tenantId}`;
    const [row] = await transaction.$queryRawUnsafe<{ count: number }[]>(sql);
    return row?.count;
  }

  /** Adds a copy of tenant 2's row, which can only fail; the question is at what. */
  async function insertCopy(transaction: Query, { table }: (typeof tables)[number]): Promise<unknown> {
    return transaction.$executeRawUnsafe(
      `INSERT INTO ${table} SELECT * FROM json_populate_record(NULL::${table}, $1::json)`,
      rowsOfTwo.get(table),
    );
  }

  /** How many rows a statement changed or removed. */
  async function changed(table: string, run: Promise<unknown>): Promise<unknown> {
    if (table !== APPEND_ONLY) return run;
    await expect(run).rejects.toThrow(APPEND_ONLY_REFUSED);
    return 0;
  }

  test('the service’s own role is bound by policies, on every table that holds rows of tenants', async () => {
    const [role] = await doors.withoutTenant(
      (transaction) => transaction.$queryRaw<{ above: boolean }[]>`
        SELECT rolsuper OR rolbypassrls AS above FROM pg_roles WHERE rolname = current_user`,
    );
    const bound = await client.$queryRaw<{ table: string }[]>`
      SELECT relname AS "table" FROM pg_class
      WHERE relnamespace = 'public'::regnamespace AND relrowsecurity AND relforcerowsecurity
        AND NOT relispartition ORDER BY 1`;

    expect(role?.above).toBe(false);
    expect(bound.map(({ table }) => table)).toEqual(tables.map(({ table }) => table).sort());
    expect(tables.length).toBeGreaterThanOrEqual(7);
  });

  test('there is something to be seen: every table has rows of both, and each sees its own', async () => {
    for (const table of tables) {
      expect([table, await count(client, table, 1), await count(client, table, 2)]).toEqual([table, 1, 1]);
      expect([table, await doors.inTenant(1, (transaction) => count(transaction, table, 1))]).toEqual([table, 1]);
    }
  });

  test.each(['in another tenant', 'without a tenant'])(
    '%s nothing can be read, changed, removed or added',
    async (where) => {
      const run = (work: (transaction: Query) => Promise<unknown>) =>
        where === 'in another tenant'
          ? doors.inTenant(1, work)
          : doors.withoutTenant((transaction) => work(transaction));
      for (const found of tables) {
        const { table, column } = found;
        expect([table, await run((transaction) => count(transaction, found, 2))]).toEqual([table, 0]);
        const update = `UPDATE ${table} SET ${column} = ${column} WHERE ${column} = 2`;
        expect(
          await changed(
            table,
            run((transaction) => transaction.$executeRawUnsafe(update)),
          ),
        ).toBe(0);
        const remove = `DELETE FROM ${table} WHERE ${column} = 2`;
        expect(
          await changed(
            table,
            run((transaction) => transaction.$executeRawUnsafe(remove)),
          ),
        ).toBe(0);
        await expect(run((transaction) => insertCopy(transaction, found))).rejects.toThrow(REFUSED);
        expect([table, await count(client, found, 2)]).toEqual([table, 1]);
      }
    },
  );

  test('no row of one’s own can be given to another tenant', async () => {
    for (const { table, column } of tables)
      await expect(
        doors.inTenant(1, (transaction) =>
          transaction.$executeRawUnsafe(`UPDATE ${table} SET ${column} = 3 WHERE ${column} = 1`),
        ),
      ).rejects.toThrow(table === APPEND_ONLY ? APPEND_ONLY_REFUSED : REFUSED);
  });

  test.each(REASONS)('a look across tenants for %s opens the tables that it needs, to be read only', async (reason) => {
    for (const found of tables) {
      const { table, column } = found;
      const readable = READABLE[reason].includes(table) ? 1 : 0;
      const seen = await doors.acrossTenants(reason, async (transaction) => [
        await count(transaction, found, 1),
        await count(transaction, found, 2),
      ]);
      expect([table, ...seen]).toEqual([table, readable, readable]);
      await expect(doors.acrossTenants(reason, (transaction) => insertCopy(transaction, found))).rejects.toThrow(
        REFUSED,
      );
      const update = doors.acrossTenants(reason, (transaction) =>
        transaction.$executeRawUnsafe(`UPDATE ${table} SET ${column} = ${column} WHERE ${column} = 2`),
      );
      if (reason === 'housekeeping' && readable) await expect(update).rejects.toThrow(REFUSED);
      else expect([table, await changed(table, update)]).toEqual([table, 0]);
      if (reason === 'housekeeping') continue;
      const removed = await changed(
        table,
        doors.acrossTenants(reason, (transaction) =>
          transaction.$executeRawUnsafe(`DELETE FROM ${table} WHERE ${column} = 2`),
        ),
      );
      expect([table, removed]).toEqual([table, 0]);
    }
  });

  test('what one transaction may see, the next one on the same connection may not', async () => {
    const one = openDatabase(opened.url, { poolSize: 1 });
    const users = (transaction: Query) =>
      transaction.$queryRawUnsafe<{ tenant_id: number }[]>('SELECT tenant_id FROM users');
    try {
      expect(await one.inTenant(2, users)).toEqual([{ tenant_id: 2 }]);
      expect(await one.withoutTenant((transaction) => users(transaction))).toEqual([]);
      expect(await one.acrossTenants('operators-look', users)).toHaveLength(2);
      expect(await one.inTenant(1, users)).toEqual([{ tenant_id: 1 }]);
      await expect(one.inTenant(1, () => Promise.reject(new Error('went wrong')))).rejects.toThrow('went wrong');
      expect(await one.withoutTenant((transaction) => users(transaction))).toEqual([]);
    } finally {
      await one.close();
    }
  });

  test('many at once, on fewer connections, each see their own tenant', async () => {
    const wanted = Array.from({ length: 60 }, (_, index) => (index % 2) + 1);
    const seen = await Promise.all(
      wanted.map((tenantId) =>
        doors.inTenant(tenantId, async (transaction) => {
          await transaction.$queryRaw`SELECT 1`;
          return (await transaction.user.findMany()).map((user) => user.tenantId);
        }),
      ),
    );

    expect(seen).toEqual(wanted.map((tenantId) => [tenantId]));
  });

  test('a transaction inside another is refused, before it can wait for itself', async () => {
    const one = openDatabase(opened.url, { poolSize: 1 });
    try {
      const nested = one.inTenant(1, () => one.inTenant(2, async () => 'there'));

      await expect(nested).rejects.toThrow('a transaction must not be opened inside another');
      expect(await one.inTenant(1, async () => 'goes on')).toBe('goes on');
    } finally {
      await one.close();
    }
  });

  test.each([Number.NaN, 1.5, "1'; SET ROLE postgres; --" as unknown as number])(
    '%p is no tenant',
    async (tenantId) => {
      await expect(doors.inTenant(tenantId, async () => 'there')).rejects.toThrow('a tenant id is a whole number');
    },
  );
});

// From PostgreSQL 16 on, whoever makes a role is a member of it and may still not take it on.
test('a user above policies can take on the role that it has made itself', async () => {
  const { url, drop } = await createTestDatabase({ engine: 'pglite', migrated: false });
  const client = await connectToDatabase(url);
  try {
    await client.query('CREATE ROLE administrator CREATEROLE BYPASSRLS');
    await client.query('SET SESSION AUTHORIZATION administrator');
    await prepareServiceRole(client);
    await client.query('SET ROLE portico_service');

    expect((await client.query('SELECT current_user AS user')).rows).toEqual([{ user: 'portico_service' }]);
  } finally {
    await client.end();
    await drop();
  }
});

if (engines.includes('postgres')) {
  test('a backup by the owner of the tables has the rows of all tenants, when it says that it is one', async () => {
    const { database, url, drop } = await databaseOfUser('');
    await migrate(url);
    const client = openTestClient(database.url);
    const tables = await tenantTables(client);
    const countAs = async (options: string) => {
      const owner = new pg.Client({ connectionString: url, options });
      await owner.connect();
      const counts: (number | null)[] = [];
      for (const { table } of tables) counts.push((await owner.query(`SELECT * FROM ${table}`)).rowCount);
      await owner.end();
      return counts;
    };
    try {
      await addRowsOf(client, 1);
      await addRowsOf(client, 2);

      expect(await countAs('-c portico.across_tenants=backup')).toEqual(tables.map(() => 2));
      expect(await countAs('')).toEqual(tables.map(() => 0));
    } finally {
      await client.$disconnect();
      await drop();
    }
  });

  test('a user above policies without the right to create roles stops the start', async () => {
    const { url, drop } = await databaseOfUser('BYPASSRLS');
    const server = openTestClient(POSTGRES_URL);
    try {
      await expect(migrate(url)).rejects.toThrow(
        /^DATABASE_URL: row-level security does not bind this user, and the role portico_service, which it would, cannot be used: /,
      );
    } finally {
      await server.$disconnect();
      await drop();
    }
  });
}
