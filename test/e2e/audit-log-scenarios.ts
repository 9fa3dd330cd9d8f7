import { beforeAll, describe, expect, test } from '@jest/globals';
import type { Portico } from './portico.ts';

const DORA = { username: 'dora', password: 'dora-acme-demo-pass', tenant_id: 1 };
const BOB = { username: 'bob', password: 'bob-acme-demo-pass', tenant_id: 1 };
const AS_ADMIN = { 'x-hasura-role': 'tenant_admin' };

interface Page {
  entries: Record<string, unknown>[];
  next: string | null;
}

/** They must be the first scenarios of a Portico: the log of one that has refused or added users has other entries. */
export function describeAuditLog(portico: () => Portico): void {
  describe('the audit log, through the front door', () => {
    let dora: string;
    let bob: string;

    beforeAll(async () => {
      bob = await login(BOB);
      await request('/api/rest/auth_user_login', {
        method: 'POST',
        body: JSON.stringify({ ...BOB, password: 'wrong' }),
        headers: { 'user-agent': 'Browser/1.0', 'x-request-id': 'a-wrong-password' },
      });
      dora = await login(DORA);
    });

    function request(path: string, { headers, ...init }: RequestInit = {}) {
      return fetch(`${portico().url}${path}`, { ...init, headers: { 'content-type': 'application/json', ...headers } });
    }

    async function login(credentials: object): Promise<string> {
      const response = await request('/api/rest/auth_user_login', {
        method: 'POST',
        body: JSON.stringify(credentials),
      });
      const body = (await response.json()) as { auth_user_login: { data: { access_token: string } } };
      return body.auth_user_login.data.access_token;
    }

    async function rest(query: string, token: string, headers: Record<string, string> = {}) {
      const response = await request(`/api/rest/auth_audit_log${query}`, {
        headers: { authorization: `Bearer ${token}`, ...headers },
      });
      return { status: response.status, body: (await response.json()) as { auth_audit_log: Page; code?: string } };
    }

    test('an administrator reads who tried to log in, from where, by which request', async () => {
      const { status, body } = await rest('?event=login&outcome=refused&first=5', dora, AS_ADMIN);

      expect(status).toBe(200);
      expect(body.auth_audit_log).toEqual({
        entries: [
          {
            id: expect.any(String),
            at: expect.stringMatching(/^\d{4}-/),
            event: 'login',
            outcome: 'refused',
            actor_kind: 'unknown',
            actor_id: null,
            subject_kind: 'user',
            subject_id: expect.any(String),
            client_address: '127.0.0.1',
            user_agent: 'Browser/1.0',
            request_id: 'a-wrong-password',
            details: [{ name: 'reason', value: 'wrong-password' }],
          },
        ],
        next: null,
      });
    });

    test('over GraphQL too, page by page', async () => {
      const page = async (after: string | null) => {
        const response = await request('/v1/graphql', {
          method: 'POST',
          headers: { authorization: `Bearer ${dora}`, ...AS_ADMIN },
          body: JSON.stringify({
            query: 'query ($after: ID) { auth_audit_log(first: 2, after: $after) { entries { id event } next } }',
            variables: { after },
          }),
        });
        return ((await response.json()) as { data: { auth_audit_log: Page } }).data.auth_audit_log;
      };
      const first = await page(null);
      const second = await page(first.next);

      expect(first.entries.map(({ event }) => event)).toEqual(['login', 'login']);
      expect(second.entries).not.toEqual(first.entries);
      // The demo accounts were added by somebody too.
      expect((await rest('?event=user.add', dora, AS_ADMIN)).body.auth_audit_log.entries).toHaveLength(4);
    });

    test('for other roles the field does not exist, and the role cannot be selected', async () => {
      expect(await rest('', dora)).toMatchObject({ status: 400, body: { code: 'validation-failed' } });
      expect(await rest('', bob, AS_ADMIN)).toMatchObject({ status: 403, body: { code: 'access-denied' } });
    });

    test('what cannot be read is refused by its name', async () => {
      const { status, body } = await rest('?since=yesterday', dora, AS_ADMIN);

      expect(status).toBe(400);
      expect(JSON.stringify(body)).toContain('since');
    });
  });
}
