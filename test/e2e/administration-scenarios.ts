import { beforeAll, describe, expect, test } from '@jest/globals';
import type { Portico } from './portico.ts';

const DORA = { username: 'dora', password: 'dora-acme-demo-pass', tenant_id: 1 };
const ALICE = { username: 'alice', password: 'alice-acme-demo-pass', tenant_id: 1 };
const OPERATOR = { client_id: '7c0e4c5e-94f6-4d0e-8d2a-0d9a3f1c5b6e', client_secret: 'operator-demo-secret' };
const AS_ADMIN = { 'x-hasura-role': 'tenant_admin' };

interface Entry {
  user_id: string;
  username: string;
  tenant_id: number;
  allowed_roles: string[];
}

/** How administrators add users and lock them out. */
export function describeAdministration(portico: () => Portico): void {
  describe('users are administered through the front door', () => {
    let dora: string;
    let alice: string;
    let operator: string;

    beforeAll(async () => {
      dora = await login(DORA);
      alice = await login(ALICE);
      operator = await operatorToken();
    });

    async function login(credentials: object): Promise<string> {
      const { body } = await rest('POST', 'auth_user_login', credentials);
      return body.auth_user_login.data.access_token;
    }

    async function operatorToken(): Promise<string> {
      const form = new URLSearchParams({ grant_type: 'client_credentials', ...OPERATOR });
      const response = await fetch(`${portico().url}/oauth/token`, { method: 'POST', body: form });
      return ((await response.json()) as { access_token: string }).access_token;
    }

    /** Variables are the query's of a GET and the body of a POST. */
    async function rest(
      method: 'GET' | 'POST',
      name: string,
      variables: object = {},
      token?: string,
      headers: Record<string, string> = {},
    ) {
      const query = new URLSearchParams(Object.entries(variables).map(([key, value]) => [key, String(value)]));
      const response = await fetch(`${portico().url}/api/rest/${name}${method === 'GET' ? `?${query}` : ''}`, {
        method,
        headers: {
          'content-type': 'application/json',
          ...(token !== undefined && { authorization: `Bearer ${token}` }),
          ...headers,
        },
        ...(method === 'POST' && { body: JSON.stringify(variables) }),
      });
      // biome-ignore lint/suspicious/noExplicitAny: each endpoint has an answer of its own.
      return { status: response.status, body: (await response.json()) as any };
    }

    async function graphql(query: string, token: string, headers: Record<string, string> = {}) {
      const response = await fetch(`${portico().url}/v1/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${token}`, ...headers },
        body: JSON.stringify({ query }),
      });
      return (await response.json()) as { data?: Record<string, unknown>; errors?: { extensions: { code: string } }[] };
    }

    test('a tenant administrator adds a user, gives roles, and locks the user out, over REST', async () => {
      const created = await rest(
        'POST',
        'auth_admin_user_create',
        { username: 'eve', roles: ['user'], claims: [{ name: 'x-hasura-department', value: 'sales' }] },
        dora,
        AS_ADMIN,
      );
      expect(created).toMatchObject({ status: 200, body: { auth_admin_user_create: { success: true } } });
      const { user, password } = created.body.auth_admin_user_create.data;
      const eve = await login({ username: 'eve', password, tenant_id: 1 });
      const roles = { user_id: user.user_id, roles: ['user', 'manager'] };
      expect(await rest('POST', 'auth_admin_user_set_roles', roles, dora, AS_ADMIN)).toMatchObject({ status: 200 });
      const found = await rest('GET', 'auth_admin_user_list', { search: 'EV', first: 5 }, dora, AS_ADMIN);
      expect(found.body.auth_admin_user_list.entries.map(({ allowed_roles }: Entry) => allowed_roles)).toEqual([
        ['user', 'manager'],
      ]);
      const disabled = await rest('POST', 'auth_admin_user_disable', { user_id: user.user_id }, dora, AS_ADMIN);
      expect(disabled.body.auth_admin_user_disable.data).toMatchObject({ revoked_sessions: 1 });
      expect((await rest('POST', 'auth_user_login', { username: 'eve', password, tenant_id: 1 })).status).toBe(401);
      expect((await graphql('{ auth_user_me { username } }', eve)).data?.auth_user_me ?? null).toBeNull();
    });

    test('refusals have the status of HTTP and a code', async () => {
      const ask = (variables: object) => rest('POST', 'auth_admin_user_create', variables, dora, AS_ADMIN);

      expect(await ask({ roles: ['user'] })).toMatchObject({
        status: 400,
        body: { auth_admin_user_create: { success: false, error_code: 'missing-field' } },
      });
      expect(await ask({ username: 'mallory', roles: ['platform_operator'] })).toMatchObject({
        status: 403,
        body: { auth_admin_user_create: { success: false, error_code: 'role-not-assignable', data: null } },
      });
      for (const tenant_id of [2, 4_000])
        expect(await rest('GET', 'auth_admin_user_list', { tenant_id }, dora, AS_ADMIN)).toEqual({
          status: 404,
          body: expect.objectContaining({ code: 'unknown-tenant', error: 'There is no such tenant' }),
        });
    });

    test('over GraphQL an administrator sees the own tenant, an operator all', async () => {
      const query = '{ auth_admin_me { acting_as tenant { name } } auth_admin_tenant_list { entries { name } } }';

      expect((await graphql(query, dora, AS_ADMIN)).data).toEqual({
        auth_admin_me: { acting_as: 'tenant-administrator', tenant: { name: 'acme' } },
        auth_admin_tenant_list: { entries: [{ name: 'acme' }] },
      });
      expect((await graphql(query, operator)).data).toEqual({
        auth_admin_me: { acting_as: 'platform-operator', tenant: null },
        auth_admin_tenant_list: { entries: [{ name: 'acme' }, { name: 'globex' }, { name: 'operations' }] },
      });
      const users = await graphql('{ auth_admin_user_list(tenant_id: 2) { entries { username } } }', operator);
      expect(users.data?.auth_admin_user_list).toEqual({ entries: [{ username: 'alice' }] });
    });

    test('for other roles there are no such fields, and headers make no caller an administrator', async () => {
      const query = '{ auth_admin_user_list(tenant_id: 2) { entries { username } } }';
      const codes = async (token: string, headers: Record<string, string>) =>
        (await graphql(query, token, headers)).errors?.map(({ extensions }) => extensions.code);

      expect(await codes(alice, {})).toEqual(['validation-failed']);
      expect(await codes(alice, AS_ADMIN)).toEqual(['access-denied']);
      const forged = {
        'x-hasura-tenant-id': '2',
        'x-hasura-user-id': 'x',
        'x-hasura-allowed-roles': '["platform_operator"]',
        'x-portico-assertion': operator,
        'x-forwarded-authorization': `Bearer ${operator}`,
      };
      expect(await codes(dora, { ...AS_ADMIN, ...forged })).toEqual(['unknown-tenant']);
      expect(await codes(dora, { ...forged, 'x-hasura-role': 'platform_operator' })).toEqual(['access-denied']);
    });
  });
}
