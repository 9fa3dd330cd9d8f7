import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { readAuditOfTenant, readWholeAudit } from '../../../auth-service/audit/index.ts';
import type { CommandContext, DatabaseCommandRuns } from '../../../auth-service/cli/command.ts';
import { clientCommands } from '../../../auth-service/cli/commands/client.ts';
import { sessionCommands } from '../../../auth-service/cli/commands/session.ts';
import { tenantCommands } from '../../../auth-service/cli/commands/tenant.ts';
import { userCommands } from '../../../auth-service/cli/commands/user.ts';
import { endedSessionSweeps } from '../../../auth-service/housekeeping/index.ts';
import { beginRotation, createSealer, refreshTokenKeySweep } from '../../../auth-service/tokens/index.ts';
import { createDisableTenant } from '../../../auth-service/use-cases/index.ts';
import { availableEngines } from '../../database/index.ts';
import { addClientTo, administrationOf, OPERATING, OPERATOR } from '../operator.ts';
import { KEY_ENCRYPTION_KEY, REVOCATION_SECRET } from '../service.ts';
import { claimsOf, type SessionClient, sessionClient } from '../session-client.ts';
import { until } from '../until.ts';
import { createWorld, type World } from '../world.ts';
import { captureStatements, planOf } from './captured-statements.ts';
import { addManySessions, SESSIONS } from './many-sessions.ts';

const PASSWORD = 'a password of alice that is long';
const NEW_PASSWORD = 'another password of alice, as long';
const SIGNING_KEYS = { algorithm: 'ES256', rotationDays: 90, tokenSeconds: 900, reloadSeconds: 15 } as const;
const WITH_SECRET = { authorization: `Bearer ${REVOCATION_SECRET}` };
const NEWEST_ID = 'ffffffff-ffff-7fff-bfff-ffffffffffff';
/** Smaller ones are read as a whole whatever indexes they have. */
const BIG_ROWS = 10_000;

if ((await availableEngines()).includes('postgres'))
  describe('with the plans for a million sessions', () => {
    const captured = captureStatements();
    let world: World;
    let client: SessionClient;
    let direct: pg.Client;
    let bigTables: string[];
    let clock = Date.now();

    beforeAll(async () => {
      world = await createWorld('postgres', { AUTH_HOUSEKEEPING_MINUTES: '0' }, { now: () => new Date(clock) });
      client = sessionClient(world.service.url);
      await world.addTenant(1, 'acme');
      await world.addUser(1, 'alice', PASSWORD);
      direct = new pg.Client({ connectionString: world.databaseUrl });
      await direct.connect();
      await addManySessions(direct);
      const { rows } = await direct.query(
        `SELECT relname AS name FROM pg_class
         WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace AND reltuples >= $1 ORDER BY 1`,
        [BIG_ROWS],
      );
      bigTables = rows.map(({ name }) => String(name));
      captured.forget();
    }, 300_000);
    afterAll(async () => {
      captured.stop();
      await direct.end();
      await world.close();
    });

    /** What was sent since the last time that does not find its rows in a big table by an index, with how it does. */
    async function withoutIndex(): Promise<string[]> {
      const statements = captured.statements();
      const found: string[] = [];
      for (const statement of statements)
        for (const node of await planOf(statement, direct)) {
          const table = node['Relation Name'];
          const isRead = node['Node Type'].endsWith('Scan');
          if (!table || !isRead || !bigTables.includes(table) || node['Node Type'] === 'Bitmap Heap Scan') continue;
          if (!node['Index Cond'] && !node['TID Cond'])
            found.push(`${node['Node Type']} on ${table}: ${statement.text}`);
        }
      expect(statements.length).toBeGreaterThan(0);
      captured.forget();
      return found;
    }

    test('there are as many, and what has no index is noticed', async () => {
      const { rows } = await direct.query('SELECT count(*)::int AS count FROM sessions');
      expect(rows[0]?.count).toBe(SESSIONS);
      expect(bigTables).toEqual(
        expect.arrayContaining([
          'audit_log_first',
          'oauth_clients',
          'refresh_tokens',
          'revocations',
          'sessions',
          'users',
        ]),
      );

      captured.forget();
      await direct.query('SELECT 1 FROM sessions WHERE user_agent = $1', ['x']);
      expect(await withoutIndex()).toEqual([expect.stringMatching(/^(Parallel )?Seq Scan on sessions/)]);
    });

    test('logging in and out, refreshing, listing and ending sessions find their rows by an index', async () => {
      await expect(client.login('alice', 'a wrong password', 1)).rejects.toThrow('refused');
      const first = await client.login('alice', PASSWORD, 1);
      const second = await client.login('alice', PASSWORD, 1);
      const third = await client.login('alice', PASSWORD, 1);
      const { result } = await client.refresh(first.refresh_token);
      expect((await client.refresh(first.refresh_token)).result.success).toBe(true);
      expect((await client.me(first.access_token)).result).not.toBeNull();
      const sessions = (await client.sessions(first.access_token)).result ?? [];
      expect(sessions).toHaveLength(3);
      const other = sessions.find(({ current }) => !current)?.session_id;
      expect((await client.revoke(other, first.access_token)).result.success).toBe(true);
      expect((await client.changePassword(PASSWORD, NEW_PASSWORD, first.access_token)).result.success).toBe(true);
      const fourth = await client.login('alice', NEW_PASSWORD, 1);
      await client.refresh(fourth.refresh_token);
      const { sid } = claimsOf(fourth.access_token);
      await until('the reply counts as delivered', async () => {
        const { rows } = await direct.query(
          'SELECT FROM refresh_tokens WHERE tenant_id = 1 AND session_id = $1 AND awaiting_answer',
          [sid],
        );
        return rows.length === 0;
      });
      clock += 60_000;
      expect((await client.refresh(fourth.refresh_token)).result.success).toBe(false);
      await client.logout({ refresh_token: result.data?.refresh_token ?? '' });
      await client.logout(undefined, second.access_token);
      const last = await client.login('alice', NEW_PASSWORD, 1);
      expect((await client.logout({ all: true }, last.access_token)).result.success).toBe(true);
      await client.logout(undefined, third.access_token);

      expect(await withoutIndex()).toEqual([]);
    });

    test('the OAuth endpoints and the revocation feed find theirs', async () => {
      const roles = { allowedRoles: ['user'], defaultRole: 'user' };
      const account = await addClientTo(world.doors, { tenantId: 1, name: 'reports', scopes: [], ...roles });
      const post = async (path: string, fields: Record<string, string>) => {
        const credentials = { client_id: account.clientId, client_secret: account.clientSecret };
        const body = new URLSearchParams({ ...credentials, ...fields });
        return (await fetch(`${world.service.url}${path}`, { method: 'POST', body })).text();
      };
      const { access_token } = JSON.parse(await post('/oauth/token', { grant_type: 'client_credentials' }));
      const login = await client.login('alice', NEW_PASSWORD, 1);
      for (const token of [access_token, login.access_token, login.refresh_token])
        expect(JSON.parse(await post('/oauth/introspect', { token }))).toMatchObject({ active: true });
      await post('/oauth/revoke', { token: access_token });
      const feed = async (after = '') =>
        (await fetch(`${world.service.url}/revocations${after}`, { headers: WITH_SECRET })).json() as Promise<{
          cursor: string;
          more: boolean;
        }>;
      const { cursor, more } = await feed();
      expect(more).toBe(true);
      await feed(`?after=${cursor}`);

      expect(await withoutIndex()).toEqual([]);
    });

    // Not these two, which count all users there are: `tenant list`, and the passwords by their peppers in `doctor`.
    test('operators’ commands find theirs', async () => {
      const run = (commands: DatabaseCommandRuns, name: string, ...positionals: string[]) => {
        const context: Pick<CommandContext, 'database' | 'now' | 'author' | 'administrator' | 'administration'> = {
          database: world.doors,
          now: () => new Date(),
          author: OPERATOR,
          administrator: OPERATING,
          administration: administrationOf(world.doors),
        };
        return commands[name]?.(context as CommandContext, { positionals, options: {}, flags: new Set() });
      };
      const alice = ['acme', 'alice'];
      await run(sessionCommands, 'session list', ...alice);
      await run(clientCommands, 'client list', 'tenant 3');
      await run(userCommands, 'user list', 'tenant 3');
      await run(userCommands, 'user set-roles', ...alice, 'user');
      await run(userCommands, 'user set-claims', ...alice, 'x-hasura-plan=pro');
      await run(userCommands, 'user disable', ...alice);
      await run(userCommands, 'user enable', ...alice);
      await run(tenantCommands, 'role set-claims', 'acme', 'user', 'x-hasura-plan=pro');
      await run(tenantCommands, 'tenant disable', 'tenant 3');
      await run(tenantCommands, 'tenant enable', 'tenant 3');

      expect(await withoutIndex()).toEqual([]);
    });

    test('administrators’ lists find theirs, a page in the middle and a search too', async () => {
      const administration = administrationOf(world.doors);
      const tenant = { tenant_id: 1 };
      const somebody = { ...tenant, user_id: '00000000-0000-0000-0000-000000000002' };
      const first = await administration.listUsers(OPERATING, { ...tenant, first: 200 });
      expect(first.entries).toHaveLength(200);
      await administration.listUsers(OPERATING, { ...tenant, after: first.next });
      for (const search of ['user 1999', 'USER 1', 'u', 'christopher-alexander', somebody.user_id]) {
        const found = await administration.listUsers(OPERATING, { ...tenant, search, after: first.next });
        expect(found.entries.length).toBeLessThanOrEqual(50);
      }
      expect((await administration.listUsers(OPERATING, { ...tenant, search: 'User 19998' })).entries).toHaveLength(1);
      await administration.getUser(OPERATING, somebody);
      const sessions = await administration.listSessions(OPERATING, { ...somebody, first: 1 });
      await administration.listSessions(OPERATING, { ...somebody, after: sessions.next });
      await administration.listClients(OPERATING, tenant);
      await administration.getTenant(OPERATING, tenant);
      await administration.readAuditLog(OPERATING, tenant);
      await administration.setRoles(OPERATING, { ...somebody, roles: ['other'] });
      await administration.revokeSessions(OPERATING, somebody);

      expect(await withoutIndex()).toEqual([]);
    });

    test('a search among 100,000 users of a tenant reads the ranges of its prefix and no more', async () => {
      await direct.query(`
        INSERT INTO users (tenant_id, id, username, password_hash, allowed_roles, default_role)
        SELECT 1, gen_random_uuid(), 'member ' || n, 'none', '{user}', 'user' FROM generate_series(1, 100000) AS n`);
      await direct.query('ANALYZE users');
      captured.forget();
      const input = { tenant_id: 1, search: 'MEMBER 99999' };
      expect((await administrationOf(world.doors).listUsers(OPERATING, input)).entries).toHaveLength(1);
      const statement = captured.statements().find(({ text }) => text.includes('jsonb_to_recordset'));
      if (!statement) throw new Error('the search was not sent');
      const reads = (await planOf(statement, direct)).filter((node) => node['Relation Name'] === 'users');
      captured.forget();

      expect(reads.map((node) => node['Node Type'])).toEqual([expect.stringMatching(/^Index (Only )?Scan$/)]);
      expect(reads[0]?.['Index Cond']).toMatch(/tenant_id = .*~>=~ .*low.*~<~ .*high/);
    });

    test('disabling a tenant reads one of the users whose tokens were revoked, and no more', async () => {
      await direct.query('UPDATE users SET tokens_valid_from = now() WHERE tenant_id = 3');
      captured.forget();
      await createDisableTenant(world.doors, () => new Date(), OPERATOR)(3);
      const statement = captured.statements().find(({ text }) => text.includes('max(tokens_valid_from)'));
      if (!statement) throw new Error('the latest revocation was not read');
      const nodes = await planOf(statement, direct);
      captured.forget();

      expect(nodes.filter((node) => node['Relation Name'] === 'users')).toEqual([
        expect.objectContaining({ 'Index Name': 'users_tenant_id_tokens_valid_from_idx' }),
      ]);
      expect(nodes.map((node) => node['Node Type'])).toContain('Limit');
    });

    test('a page of the audit log is found by an index', async () => {
      const request = { first: 50, since: new Date(0), until: new Date(), after: NEWEST_ID };
      for (const filter of [{}, { event: 'logout' }, { subjectId: NEWEST_ID }]) {
        await readAuditOfTenant(world.doors, 1, { ...request, ...filter });
        if (!('event' in filter || 'subjectId' in filter)) await readWholeAudit(world.doors, request);
      }

      expect(await withoutIndex()).toEqual([]);
    });

    test('housekeeping finds what it removes', async () => {
      const sweeps = endedSessionSweeps(world.doors, 10);
      for (const { name, sweep } of sweeps) expect([name, await sweep(new Date(), 500)]).toEqual([name, 500]);

      const sealer = createSealer(Buffer.from(KEY_ENCRYPTION_KEY, 'base64'));
      await beginRotation(world.doors, sealer, SIGNING_KEYS, new Date(), OPERATOR);
      captured.forget();
      const later = new Date(Date.now() + 3_600_000);
      expect(await refreshTokenKeySweep(world.doors, sealer, SIGNING_KEYS).sweep(later, 500)).toBe(0);
      expect(captured.statements().map(({ text }) => text)).toContainEqual(expect.stringContaining('FROM sessions'));
      expect(await withoutIndex()).toEqual([]);
    });
  });
else test.todo('NOT TESTED WITHOUT POSTGRESQL: that every query has an index');
