import { beforeAll, describe, expect, test } from '@jest/globals';
import { send } from '../gateway/harness/send.ts';
import type { Portico } from './portico.ts';

export const ALICE = { username: 'alice', password: 'alice-acme-demo-pass', tenant_id: 1 };
const ALICE_AT_GLOBEX = { username: 'alice', password: 'alice-globex-demo-pass', tenant_id: 2 };
const BOB = { username: 'bob', password: 'bob-acme-demo-pass', tenant_id: 1 };

interface Tokens {
  access_token: string;
  expires_in: number;
  refresh_token: string;
}

const TOKENS = {
  access_token: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
  expires_in: 900,
  refresh_token: expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/),
};

interface Answer {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: whatever the front door says, to be compared
  body: any;
}

export async function post(address: string, body: unknown, token?: string): Promise<Answer> {
  const response = await fetch(address, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'user-agent': 'Browser/1.0',
      ...(token && { authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify(body),
  });
  return { status: response.status, body: await response.json() };
}

async function get(address: string, token?: string): Promise<Answer> {
  const response = await fetch(address, { headers: token ? { authorization: `Bearer ${token}` } : {} });
  return { status: response.status, body: await response.json() };
}

export async function login(url: string, credentials: object): Promise<Tokens> {
  const { body } = await post(`${url}/api/rest/auth_user_login`, credentials);
  return body.auth_user_login.data;
}

export const graphql = (url: string, query: string, variables: object, token?: string) =>
  post(`${url}/v1/graphql`, { query, variables }, token);

/** What sessions are at a Portico that logs all that happens. */
export function describeSessions(started: () => Portico): void {
  describe('a session, through the front door', () => {
    let portico: Portico;
    let rest: string;
    beforeAll(() => {
      portico = started();
      rest = `${portico.url}/api/rest`;
    });

    test('is refreshed over REST and GraphQL, without a bearer token or beside an expired one', async () => {
      const first = await login(portico.url, ALICE);
      const { status, body } = await post(
        `${rest}/auth_token_refresh`,
        { refresh_token: first.refresh_token },
        'e.x.p',
      );
      expect(status).toBe(200);
      expect(body).toEqual({ auth_token_refresh: { success: true, error_message: null, data: TOKENS } });

      const { refresh_token } = body.auth_token_refresh.data;
      const query = `mutation ($token: String) { auth_token_refresh(data: { refresh_token: $token }) {
        success error_message data { access_token expires_in refresh_token } } }`;
      const over = await graphql(portico.url, query, { token: refresh_token });
      expect(over).toEqual({
        status: 200,
        body: { data: { auth_token_refresh: { success: true, error_message: null, data: TOKENS } } },
      });
    });

    test('a refused refresh is 401 over REST and a result over GraphQL; without a token it is 400', async () => {
      const refused = { success: false, error_message: 'Invalid or expired refresh token', data: null };
      expect(await post(`${rest}/auth_token_refresh`, { refresh_token: 'x' })).toEqual({
        status: 401,
        body: { auth_token_refresh: refused },
      });
      expect(await post(`${rest}/auth_token_refresh`, {})).toMatchObject({
        status: 400,
        body: { auth_token_refresh: { success: false, error_message: 'refresh_token is required' } },
      });
      const query = 'mutation { auth_token_refresh(data: { refresh_token: "x" }) { success error_message } }';
      expect((await graphql(portico.url, query, {})).status).toBe(200);
    });

    test('shows me who I am and where I am logged in', async () => {
      const { access_token } = await login(portico.url, ALICE);
      const me = await get(`${rest}/auth_user_me`, access_token);
      const list = await get(`${rest}/auth_session_list`, access_token);

      expect(me).toEqual({
        status: 200,
        body: {
          auth_user_me: {
            user_id: expect.any(String),
            username: 'alice',
            tenant_id: 1,
            tenant_name: 'acme',
            default_role: 'user',
            allowed_roles: ['user', 'manager'],
          },
        },
      });
      expect(list.status).toBe(200);
      const current = list.body.auth_session_list.filter((session: { current: boolean }) => session.current);
      expect(current).toMatchObject([{ user_agent: 'Browser/1.0', client_address: '127.0.0.1' }]);
    });

    test('is seen by no one without a token, whatever headers say', async () => {
      for (const path of ['auth_user_me', 'auth_session_list']) expect((await get(`${rest}/${path}`)).status).toBe(401);
      const headers = { 'x-hasura-user-id': '1', 'x-hasura-tenant-id': '1', 'x-hasura-role': 'user' };
      expect((await send(`${rest}/auth_user_me`, { headers })).status).toBe(401);
      for (const path of ['auth_session_revoke', 'auth_user_change_password'])
        expect((await post(`${rest}/${path}`, {})).status).toBe(401);
    });

    test('the role manager may do what the role user may', async () => {
      const { access_token } = await login(portico.url, ALICE);
      const headers = { authorization: `Bearer ${access_token}`, 'x-hasura-role': 'manager' };

      expect((await send(`${rest}/auth_user_me`, { headers })).status).toBe(200);
      expect((await send(`${rest}/auth_session_list`, { headers })).status).toBe(200);
    });

    test('ends at a logout by bearer token, and by refresh token', async () => {
      const [one, two] = [await login(portico.url, BOB), await login(portico.url, BOB)];
      expect(await post(`${rest}/auth_user_logout`, {}, one.access_token)).toEqual({
        status: 200,
        body: { auth_user_logout: { success: true, error_message: null, data: { revoked_sessions: 1 } } },
      });
      const query = 'mutation ($t: String) { auth_user_logout(data: { refresh_token: $t }) { success error_message } }';
      expect((await graphql(portico.url, query, { t: two.refresh_token })).body).toEqual({
        data: { auth_user_logout: { success: true, error_message: null } },
      });
      for (const { refresh_token } of [one, two])
        expect((await post(`${rest}/auth_token_refresh`, { refresh_token })).status).toBe(401);
      expect((await post(`${rest}/auth_user_logout`, {})).status).toBe(401);
    });

    test('of another tenant is out of reach', async () => {
      const [acme, globex] = [await login(portico.url, ALICE), await login(portico.url, ALICE_AT_GLOBEX)];
      const { body } = await get(`${rest}/auth_session_list`, globex.access_token);
      const ids = body.auth_session_list.map((session: { session_id: string }) => session.session_id);
      const mine = await get(`${rest}/auth_session_list`, acme.access_token);

      for (const { session_id } of mine.body.auth_session_list) {
        expect(ids).not.toContain(session_id);
        expect((await post(`${rest}/auth_session_revoke`, { session_id }, globex.access_token)).status).toBe(404);
      }
      expect(
        (await post(`${rest}/auth_user_logout`, { refresh_token: acme.refresh_token }, globex.access_token)).status,
      ).toBe(401);
      expect((await get(`${rest}/auth_user_me`, acme.access_token)).status).toBe(200);
    });

    test('two authentication fields in one operation are refused', async () => {
      const { refresh_token } = await login(portico.url, ALICE);
      const query = `mutation ($t: String) {
        a: auth_token_refresh(data: { refresh_token: $t }) { success }
        b: auth_user_logout(data: { refresh_token: $t }) { success } }`;
      const { body } = await graphql(portico.url, query, { t: refresh_token });

      expect(body.errors).toHaveLength(1);
      expect((await post(`${rest}/auth_token_refresh`, { refresh_token })).status).toBe(200);
    });

    test('what was revoked is not for the public', async () => {
      const { access_token } = await login(portico.url, ALICE);
      const headers = { authorization: `Bearer ${access_token}` };
      for (const path of [
        '/revocations',
        '/.well-known/../revocations',
        '/oauth/../revocations',
        '/oauth/..%2frevocations',
        '/oauth/%2e%2e/revocations',
        '/.well-known/%2e%2e/revocations',
        '/api/rest/../../revocations',
        '/api/orders/../revocations',
        '//revocations',
      ]) {
        const { status, text } = await send(portico.url + path, { headers });
        expect([path, status >= 400, text.includes('cursor')]).toEqual([path, true, false]);
      }
      expect((await fetch(`${portico.authServiceUrl}/revocations`)).status).toBe(401);
    });

    test('no token is in any log', async () => {
      const tokens = await login(portico.url, ALICE);
      await post(`${rest}/auth_token_refresh`, { refresh_token: tokens.refresh_token }, tokens.access_token);
      await get(`${rest}/auth_user_me`, tokens.access_token);
      await post(`${rest}/auth_user_logout`, { refresh_token: tokens.refresh_token }, tokens.access_token);
      const { stdout, stderr } = portico.output();

      for (const secret of [tokens.refresh_token, tokens.access_token, tokens.access_token.split('.')[2] ?? ''])
        expect(stdout + stderr).not.toContain(secret);
    });
  });
}
