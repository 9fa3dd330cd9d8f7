import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { refreshTokenHash } from '../../../auth-service/tokens/index.ts';
import { availableEngines } from '../../database/index.ts';
import { THROTTLED } from '../service.ts';
import { type Administered, openAdministered, PASSWORD } from './administered.ts';

interface Page<Entry> {
  entries: Entry[];
  next: string | null;
}

interface Key {
  kid: string;
  state: string;
}

describe.each(await availableEngines())(
  'tenants, service accounts, keys and logs are administered, on %s',
  (engine) => {
    let it: Administered;
    /** What was shown once. */
    const secrets: string[] = [];

    beforeAll(async () => {
      it = await openAdministered(engine, {
        ...THROTTLED,
        // The first wait outlasts the requests of a test on a slow machine.
        AUTH_THROTTLE_ACCOUNT: 'first=600',
        AUTH_THROTTLE_ADDRESS: 'free=100000',
      });
    });
    afterAll(() => it.close());

    const list = async <Entry>(token: string, field: string, args: Record<string, unknown> = {}) =>
      (await it.ask(token, field, args)).result as Page<Entry>;
    const operate = async (field: string, data: Record<string, unknown> = {}) =>
      (await it.change(it.tokens.operator, field, data)).result;

    test('an operator adds a tenant, sets what it may give, and its claims are in its tokens', async () => {
      const tenant_id = 7;
      expect(await operate('auth_admin_tenant_create', { tenant_id, name: 'umbrella' })).toMatchObject({
        success: true,
        data: { tenant: { tenant_id, name: 'umbrella', assignable_roles: [] } },
      });
      for (const taken of [
        { tenant_id, name: 'another' },
        { tenant_id: 8, name: 'umbrella' },
      ])
        expect((await operate('auth_admin_tenant_create', taken)).error_code).toBe('tenant-taken');
      for (const wrong of [
        { tenant_id: 0, name: 'x' },
        { tenant_id: -1, name: 'x' },
        { tenant_id: 9, name: '12' },
        { tenant_id: 9, name: ' ' },
        { tenant_id: 9, name: 'a\nb' },
        { tenant_id: 9, name: 'x'.repeat(256) },
      ])
        expect([wrong, (await operate('auth_admin_tenant_create', wrong)).error_code]).toEqual([
          wrong,
          'invalid-field',
        ]);

      const roles = ['user', 'tenant_admin'];
      await operate('auth_admin_tenant_set_assignable', { tenant_id, roles, claims: ['x-hasura-team'] });
      await operate('auth_admin_tenant_set_assignable', { tenant_id, scopes: ['files:read'] });
      await operate('auth_admin_tenant_set_claims', { tenant_id, claims: [{ name: 'x-hasura-region', value: 'eu' }] });
      await operate('auth_admin_role_set_claims', {
        tenant_id,
        role: 'user',
        claims: [{ name: 'x-hasura-plan', value: 'pro' }],
      });
      expect((await it.ask(it.tokens.operator, 'auth_admin_tenant_get', { tenant_id })).result).toMatchObject({
        assignable_roles: roles,
        assignable_claims: ['x-hasura-team'],
        assignable_scopes: ['files:read'],
        claims: [{ name: 'x-hasura-region', value: 'eu' }],
      });
      await it.world.addUser(tenant_id, 'uma', PASSWORD);
      const { access_token } = await it.client.login('uma', PASSWORD, tenant_id);
      expect(JSON.parse(Buffer.from(access_token.split('.')[1] ?? '', 'base64url').toString())).toMatchObject({
        'https://hasura.io/jwt/claims': { 'x-hasura-region': 'eu', 'x-hasura-plan': 'pro' },
      });
      const unknown = { tenant_id: 4_000 };
      expect((await operate('auth_admin_tenant_set_claims', { ...unknown, claims: [] })).error_code).toBe(
        'unknown-tenant',
      );
      expect((await operate('auth_admin_tenant_disable', unknown)).error_code).toBe('unknown-tenant');
    });

    test('tenants are listed by id, page by page, and found by a part of their names', async () => {
      type Tenant = { tenant_id: number; name: string };
      const names = ({ entries }: Page<Tenant>) => entries.map(({ name }) => name);
      const tenants = (args = {}, token = it.tokens.operator) => list<Tenant>(token, 'auth_admin_tenant_list', args);
      const first = await tenants({ first: 2 });

      expect(names(first)).toEqual(['acme', 'globex']);
      expect(names(await tenants({ first: 2, after: first.next }))).toEqual(['umbrella']);
      expect(names(await tenants({ search: 'BREL' }))).toEqual(['umbrella']);
      expect(names(await tenants({ search: '2' }))).toEqual(['globex']);
      expect(names(await tenants({ search: "%' OR true --" }))).toEqual([]);
      expect(names(await tenants({}, it.tokens.anna))).toEqual(['acme']);
      expect(names(await tenants({ search: 'globex' }, it.tokens.anna))).toEqual([]);
    });

    test('a service account gets a secret that is shown once, and tokens until it is revoked', async () => {
      type Client = { client_id: string; name: string; revoked_at: string | null };
      const created = await it.change<{ client: Client; client_secret: string }>(
        it.tokens.anna,
        'auth_admin_client_create',
        { name: 'reports', roles: ['user'], scopes: ['orders:read'] },
      );
      const { client, client_secret = '' } = created.result.data ?? {};
      secrets.push(client_secret);
      const token = async () => {
        const form = { grant_type: 'client_credentials', client_id: client?.client_id ?? '', client_secret };
        return (await fetch(`${it.world.service.url}/oauth/token`, { method: 'POST', body: new URLSearchParams(form) }))
          .status;
      };

      expect(client).toMatchObject({ name: 'reports', revoked_at: null });
      expect(await token()).toBe(200);
      const { text } = await it.ask(it.tokens.anna, 'auth_admin_client_list');
      expect(text).toContain(client?.client_id ?? '-');
      expect(text).not.toContain(client_secret);
      await it.change(it.tokens.anna, 'auth_admin_client_revoke', { client_id: client?.client_id });
      expect(await token()).toBe(401);
      const names = ['a', 'b', 'c'];
      for (const name of names) await it.change(it.tokens.otto, 'auth_admin_client_create', { name, roles: ['user'] });
      const first = await list<Client>(it.tokens.otto, 'auth_admin_client_list', { first: 2 });
      const second = await list<Client>(it.tokens.otto, 'auth_admin_client_list', { first: 2, after: first.next });
      expect(first.entries.map(({ name }) => name)).toEqual(['c', 'b']);
      expect(second.entries[0]?.name).toBe('a');
    });

    test('signing keys are rotated, and one that does not sign is retired', async () => {
      const keys = async () => (await it.ask(it.tokens.operator, 'auth_admin_key_list')).result as Key[];
      const rotated = (await operate('auth_admin_key_rotate')).data as { kid: string; begun: boolean };
      const published = async () => (await fetch(`${it.world.service.url}/.well-known/jwks.json`)).text();

      expect(rotated.begun).toBe(true);
      expect((await keys()).map(({ state }) => state)).toEqual(['active', 'next']);
      expect(await published()).toContain(rotated.kid);
      expect((await operate('auth_admin_key_rotate')).data).toMatchObject({ kid: rotated.kid, begun: false });
      const active = (await keys())[0]?.kid;
      expect((await operate('auth_admin_key_retire', { kid: active })).error_code).toBe('key-active');
      expect((await operate('auth_admin_key_retire', { kid: rotated.kid })).data).toEqual({ kid: rotated.kid });
      expect((await operate('auth_admin_key_retire', { kid: rotated.kid })).error_code).toBe('unknown-key');
      expect((await keys()).map(({ kid }) => kid)).toEqual([active]);
      expect(await published()).not.toContain(rotated.kid);
    });

    test('the sessions of a user are listed and ended, one or all', async () => {
      const user_id = it.ids.bob;
      const sessions = async () =>
        (await list<{ session_id: string }>(it.tokens.anna, 'auth_admin_session_list', { user_id, first: 200 }))
          .entries;
      for (let count = 0; count < 3; count += 1) await it.client.login('bob', PASSWORD, 1);
      const all = await sessions();
      const [first] = all;
      const page = await list<{ session_id: string }>(it.tokens.anna, 'auth_admin_session_list', { user_id, first: 1 });
      const next = await list<{ session_id: string }>(it.tokens.anna, 'auth_admin_session_list', {
        user_id,
        first: 1,
        after: page.next,
      });
      const revoke = async (data: object) =>
        (
          await it.change<{ revoked_sessions: number }>(it.tokens.anna, 'auth_admin_session_revoke', {
            user_id,
            ...data,
          })
        ).result;

      expect(all.length).toBeGreaterThanOrEqual(3);
      expect([page.entries[0], next.entries[0]]).toEqual(all.slice(0, 2));
      expect((await revoke({ session_id: first?.session_id })).data?.revoked_sessions).toBe(1);
      expect((await revoke({ session_id: first?.session_id })).error_code).toBe('unknown-session');
      expect((await revoke({ session_id: 'no session' })).error_code).toBe('unknown-session');
      expect((await revoke({})).data?.revoked_sessions).toBe(all.length - 1);
      expect(await sessions()).toEqual([]);
    });

    test('a session that has ended unused is not listed', async () => {
      const { refresh_token } = await it.client.login('zoe', PASSWORD, 1);
      const sessions = async () =>
        (await list<object>(it.tokens.anna, 'auth_admin_session_list', { user_id: it.ids.zoe })).entries;
      expect(await sessions()).toHaveLength(1);
      await it.world.database.refreshToken.update({
        where: { hash: refreshTokenHash(refresh_token) },
        data: { expiresAt: new Date(Date.now() - 1_000) },
      });

      expect(await sessions()).toEqual([]);
    });

    test('a throttled account is listed and released', async () => {
      type Throttled = { user: { username: string }; waits_until: string };
      const throttled = () => list<Throttled>(it.tokens.anna, 'auth_admin_throttled_list');
      const attempt = (password: string) =>
        it.world.service
          .login({ username: 'adam', password, tenant_id: 1 })
          .then(({ body }) => body.data?.auth_user_login);
      // From where adam has not logged in, which would have a counter of its own.
      await it.world.database.knownDevice.deleteMany();
      expect((await throttled()).entries).toEqual([]);
      for (let count = 0; count < 6; count += 1) await attempt('a wrong password');
      expect((await attempt(PASSWORD))?.error_message).toMatch(/^Too many/);

      expect((await throttled()).entries).toMatchObject([
        { user: { username: 'adam' }, waits_until: expect.stringMatching(/^\d{4}-/) },
      ]);
      expect((await list(it.tokens.otto, 'auth_admin_throttled_list')).entries).toEqual([]);
      const released = await it.change(it.tokens.anna, 'auth_admin_user_release', { user_id: it.ids.adam });
      expect(released.result.success).toBe(true);
      expect((await throttled()).entries).toEqual([]);
      expect(await attempt(PASSWORD)).toMatchObject({ success: true });
    });

    test('the audit log is read by tenant, and by operators everywhere', async () => {
      type Entry = { tenant_id: number; event: string; id: string };
      const log = (token: string, args: Record<string, unknown> = {}) =>
        list<Entry>(token, 'auth_admin_audit_log', { first: 500, ...args });
      const tenantsOf = ({ entries }: Page<Entry>) =>
        [...new Set(entries.map(({ tenant_id }) => tenant_id))].toSorted();

      expect(tenantsOf(await log(it.tokens.operator))).toEqual(expect.arrayContaining([0, 1, 2, 7]));
      expect(tenantsOf(await log(it.tokens.operator, { tenant_id: 7 }))).toEqual([7]);
      expect(tenantsOf(await log(it.tokens.anna))).toEqual([1]);
      const filter = { event: 'client.add' };
      const { entries, next } = await log(it.tokens.operator, { filter, first: 1 });
      expect(entries.map(({ event }) => event)).toEqual(['client.add']);
      expect((await log(it.tokens.operator, { filter, first: 1, after: next })).entries[0]?.id).not.toBe(
        entries[0]?.id,
      );
      expect((await it.ask(it.tokens.anna, 'auth_admin_audit_log', { first: 501 })).code).toBe('invalid-field');
      expect((await it.ask(it.tokens.anna, 'auth_admin_audit_log', { filter: { event: 'x' } })).code).toBe(
        'invalid-field',
      );
    });

    test('lists that another program has set to NULL are empty ones', async () => {
      const tenant_id = 6;
      await it.world.addTenant(tenant_id, 'initech');
      const user_id = await it.world.addUser(tenant_id, 'peter', PASSWORD);
      const { database } = it.world;
      await database.$executeRaw`
        UPDATE tenants SET assignable_roles = NULL, assignable_claims = NULL, assignable_scopes = NULL
        WHERE id = ${tenant_id}`;
      await database.$executeRaw`UPDATE users SET allowed_roles = NULL WHERE tenant_id = ${tenant_id}`;

      const nothing = { assignable_roles: [], assignable_claims: [], assignable_scopes: [] };
      const { result: tenant } = await it.ask(it.tokens.operator, 'auth_admin_tenant_get', { tenant_id });
      expect(tenant).toMatchObject(nothing);
      const { entries } = await list(it.tokens.operator, 'auth_admin_user_list', { tenant_id });
      expect(entries).toMatchObject([{ user_id, allowed_roles: [] }]);
      const changed = await operate('auth_admin_user_set_roles', { tenant_id, user_id, roles: ['user'] });
      expect(changed).toMatchObject({ success: true, data: { user: { allowed_roles: ['user'] } } });
    });

    test('what was shown once is in no log, no audit entry and no table', async () => {
      const reset = await it.change<{ password: string }>(it.tokens.anna, 'auth_admin_user_reset_password', {
        user_id: it.ids.bob,
      });
      const created = await it.change<{ password: string }>(it.tokens.anna, 'auth_admin_user_create', {
        username: 'sue',
        roles: ['user'],
      });
      secrets.push(reset.result.data?.password ?? '', created.result.data?.password ?? '', PASSWORD);
      await it.client.login('bob', secrets.at(-3) ?? '', 1);
      const tables = await it.world.database.$queryRaw<{ name: string }[]>`
      SELECT relname AS name FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace`;
      const texts = await Promise.all(
        tables.map(({ name }) =>
          it.world.database.$queryRawUnsafe<{ text: string }[]>(`SELECT row_to_json(t)::text AS text FROM ${name} t`),
        ),
      );
      const everything = [it.world.service.logs(), ...texts.flat().map(({ text }) => text)].join('\n');

      expect(everything).toContain('administration.completed');
      for (const secret of secrets) {
        expect(secret.length).toBeGreaterThan(20);
        expect(everything).not.toContain(secret);
      }
    });
  },
);
