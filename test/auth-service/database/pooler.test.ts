import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { auditSweeps } from '../../../auth-service/audit/index.ts';
import { openDatabase, setUpRoles } from '../../../auth-service/database/index.ts';
import { endedSessionSweeps } from '../../../auth-service/housekeeping/index.ts';
import { availableEngines, createTestDatabase, POSTGRES_URL, type TestDatabase } from '../../database/index.ts';
import { REVOCATION_SECRET, startTestService, type TestService } from '../service.ts';
import { claimsOf, type SessionClient, sessionClient } from '../session-client.ts';
import { testPasswords } from '../world.ts';
import { hasPgbouncer, type Pgbouncer, startPgbouncer } from './pgbouncer.ts';

const suffix = randomBytes(4).toString('hex');
const OWNER = `portico_test_owner_${suffix}`;
const SERVICE = `portico_test_service_${suffix}`;
const PASSWORD = 'a password of alice that is long';

if (hasPgbouncer && (await availableEngines()).includes('postgres'))
  describe('two auth services behind PgBouncer, which changes connections between transactions', () => {
    let database: TestDatabase;
    let pooler: Pgbouncer;
    let services: TestService[];
    let clients: SessionClient[];
    let direct: pg.Client;
    let serviceUrl: string;

    beforeAll(async () => {
      database = await createTestDatabase({ engine: 'postgres', migrated: false });
      const as = (user: string) => {
        const url = new URL(database.url);
        url.username = user;
        url.password = `${user}-password`;
        return url.href;
      };
      await setUpRoles({ admin: database.url, owner: as(OWNER), service: as(SERVICE) });
      pooler = await startPgbouncer(POSTGRES_URL, [SERVICE]);
      serviceUrl = pooler.through(as(SERVICE));
      direct = new pg.Client({ connectionString: database.url });
      await direct.connect();
      await direct.query("INSERT INTO tenants (id, name) VALUES (1, 'acme')");
      await direct.query(
        `INSERT INTO users (tenant_id, id, username, password_hash, allowed_roles, default_role)
         VALUES (1, $1, 'alice', $2, '{user}', 'user')`,
        [randomUUID(), await testPasswords(database.url).hash(PASSWORD)],
      );
      const settings = { AUTH_UNSAFE_DATABASE_SUPERUSER: 'false', AUTH_DATABASE_POOL_SIZE: '6' };
      services = await Promise.all([1, 2].map(() => startTestService(serviceUrl, settings)));
      clients = services.map(({ url }) => sessionClient(url));
    });
    afterAll(async () => {
      await Promise.all((services ?? []).map((service) => service.stop()));
      await pooler?.stop();
      await direct?.end();
      await database.drop();
      const server = new pg.Client({ connectionString: POSTGRES_URL });
      await server.connect();
      await server.query(`DROP ROLE IF EXISTS ${OWNER}, ${SERVICE}`);
      await server.end();
    });

    const client = (number: number) => clients[number % clients.length] as SessionClient;
    const login = (number: number) => client(number).login('alice', PASSWORD, 1);

    test('they share its connections, and leave no lock behind on one of them', async () => {
      await Promise.all(Array.from({ length: 12 }, (_, number) => login(number)));
      const { rows } = await direct.query(
        `SELECT (SELECT count(*)::int FROM pg_stat_activity WHERE usename = $1) AS connections,
          (SELECT count(*)::int FROM pg_locks JOIN pg_stat_activity USING (pid)
            WHERE locktype = 'advisory' AND usename = $1) AS locks`,
        [SERVICE],
      );

      expect(rows).toEqual([{ connections: expect.any(Number), locks: 0 }]);
      expect(rows[0].connections).toBeLessThanOrEqual(3);
    });

    test('refreshes at both are one chain, and the reuse of a token ends it', async () => {
      const first = await login(0);
      let token = first.refresh_token;
      for (let round = 0; round < 10; round += 1) {
        const answers = await Promise.all([0, 1, 2, 3].map((number) => client(number).refresh(token)));
        const successors = new Set(answers.map(({ result }) => result.data?.refresh_token));
        expect([...successors]).toEqual([expect.any(String)]);
        token = [...successors][0] ?? '';
      }
      expect((await client(1).refresh(first.refresh_token)).result.success).toBe(false);
      expect((await client(0).refresh(token)).result.success).toBe(false);
    });

    test('a logout at one is known to the other and to the verifiers', async () => {
      const tokens = await login(1);
      const { sid } = claimsOf(tokens.access_token);
      await client(0).logout({ refresh_token: tokens.refresh_token });

      expect((await client(1).me(tokens.access_token)).result).toBeNull();
      const headers = { authorization: `Bearer ${REVOCATION_SECRET}` };
      const feed = await fetch(`${services[1]?.url}/revocations`, { headers });
      expect(await feed.text()).toContain(sid);
    });

    test('transactions of both see their own tenant only, at the same time', async () => {
      const doors = openDatabase(serviceUrl, { poolSize: 6 });
      await direct.query("INSERT INTO tenants (id, name) VALUES (2, 'globex') ON CONFLICT DO NOTHING");
      try {
        const seen = await Promise.all(
          Array.from({ length: 40 }, (_, number) => {
            const tenantId = (number % 2) + 1;
            const statement = { text: 'SELECT id FROM tenants', values: [] };
            return number % 4 < 2
              ? doors.single.inTenant<{ id: number }>(tenantId, statement)
              : doors.inTenant(tenantId, ({ tenant }) => tenant.findMany({ select: { id: true } }));
          }),
        );
        expect(seen).toEqual(seen.map((_, number) => [{ id: (number % 2) + 1 }]));
      } finally {
        await doors.close();
      }
    });

    test('housekeeping of several at once', async () => {
      const replicas = [1, 2, 3].map(() => openDatabase(serviceUrl, { poolSize: 1 }));
      const later = new Date(Date.now() + 500 * 86_400_000);
      try {
        for (const sweepsOf of [endedSessionSweeps, auditSweeps])
          await Promise.all(
            replicas.map(async (replica) => {
              for (const { sweep } of sweepsOf(replica, 365)) await sweep(later, 500);
            }),
          );
        // What two looked at once was left by one of them.
        for (const replica of replicas.slice(0, 1))
          for (const { sweep } of endedSessionSweeps(replica, 365)) await sweep(later, 500);
        const { rows } = await direct.query('SELECT count(*)::int AS left FROM sessions');
        expect(rows).toEqual([{ left: 0 }]);
        expect((await login(0)).access_token).toEqual(expect.any(String));
      } finally {
        await Promise.all(replicas.map((replica) => replica.close()));
      }
    });

    test('nothing went wrong in either service', () => {
      for (const service of services)
        expect(service.logs()).not.toMatch(/"level":"(error|warn)".*(database|statement)/);
    });
  });
else test.todo('NOT TESTED WITHOUT POSTGRESQL AND PGBOUNCER: the auth service behind a pooler');
