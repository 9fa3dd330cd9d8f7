import { createHash, createPublicKey, verify } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { serverAudits } from 'graphql-http';
import { describeAdministration } from './administration-scenarios.ts';
import { describeAuditLog } from './audit-log-scenarios.ts';
import { type Portico, startPortico } from './portico.ts';
import { describeSessions } from './session-scenarios.ts';

const REFERENCE_LOGIN = `mutation auth_user_login($username: String, $password: String, $tenant_id: Int) {
  auth_user_login(data: { password: $password, tenant_id: $tenant_id, username: $username }) {
    data { access_token expires_in refresh_token }
  }
}`;
const ALICE = { username: 'alice', password: 'alice-acme-demo-pass', tenant_id: 1 };
const ALICE_AT_GLOBEX = { username: 'alice', password: 'alice-globex-demo-pass', tenant_id: 2 };

let portico: Portico;

beforeAll(async () => {
  portico = await startPortico({ environment: { PORTICO_LOG_LEVEL: 'info' } });
});
afterAll(async () => {
  await portico.stop();
});

function post(path: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(portico.url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
}

async function loginOverRest(credentials: object): Promise<{ status: number; body: unknown }> {
  const response = await post('/api/rest/auth_user_login', credentials);
  return { status: response.status, body: await response.json() };
}

interface Tokens {
  access_token: string;
  expires_in: number;
  refresh_token: string;
}

async function tokensOf(credentials: object): Promise<Tokens> {
  const { body } = await loginOverRest(credentials);
  return (body as { auth_user_login: { data: Tokens } }).auth_user_login.data;
}

async function bearer(credentials: object): Promise<Record<string, string>> {
  return { authorization: `Bearer ${(await tokensOf(credentials)).access_token}` };
}

async function graphql(query: string, headers: Record<string, string>): Promise<{ data: unknown; errors?: unknown }> {
  return (await post('/v1/graphql', { query }, headers)).json() as Promise<{ data: unknown; errors?: unknown }>;
}

// All on one Portico, which takes longer to start than a suite to run.
describeAuditLog(() => portico);
describeAdministration(() => portico);
describeSessions(() => portico);

describe('logging in', () => {
  test('over REST gives the reference result', async () => {
    const { status, body } = await loginOverRest(ALICE);
    expect(status).toBe(200);
    expect(body).toEqual({
      auth_user_login: {
        success: true,
        error_message: null,
        data: {
          access_token: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
          expires_in: 900,
          refresh_token: expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/),
        },
      },
    });
  });

  test('over GraphQL gives the standard data, and beside it the reference result', async () => {
    const response = await post('/v1/graphql', { query: REFERENCE_LOGIN, variables: ALICE });
    const body = (await response.json()) as { data: { auth_user_login: { data: unknown } } };
    expect(response.status).toBe(200);
    const tokens = { access_token: expect.any(String), expires_in: 900, refresh_token: expect.any(String) };
    expect(body).toEqual({
      data: { auth_user_login: { data: tokens } },
      auth_user_login: { success: true, error_message: null, data: body.data.auth_user_login.data },
    });
  });

  test('gives a token that anybody can verify with the published keys, for exactly one tenant', async () => {
    const { access_token } = await tokensOf(ALICE_AT_GLOBEX);
    const [header = '', payload = '', signature = ''] = access_token.split('.');
    const { kid, ...rest } = JSON.parse(Buffer.from(header, 'base64url').toString());
    expect(rest).toEqual({ alg: 'ES256', typ: 'at+jwt' });
    const published = (await (await fetch(`${portico.authServiceUrl}/.well-known/jwks.json`)).json()) as {
      keys: { kid: string }[];
    };
    const jwk = published.keys.find((key) => key.kid === kid);
    const key = createPublicKey({ key: jwk as unknown as Record<string, string>, format: 'jwk' });
    const signed = Buffer.from(`${header}.${payload}`);
    expect(verify('sha256', signed, { key, dsaEncoding: 'ieee-p1363' }, Buffer.from(signature, 'base64url'))).toBe(
      true,
    );
    expect(JSON.parse(Buffer.from(payload, 'base64url').toString())).toMatchObject({
      tenant_id: 2,
      'https://hasura.io/jwt/claims': {
        'x-hasura-allowed-roles': ['user', 'manager'],
        'x-hasura-default-role': 'user',
        'x-hasura-tenant-id': '2',
      },
    });
  });

  test.each([
    ['a wrong password', { ...ALICE, password: 'alice-globex-demo-pass' }],
    ['an unknown user', { ...ALICE, username: 'nobody' }],
    ['an unknown tenant', { ...ALICE, tenant_id: 77 }],
    ['a disabled user', { username: 'carol', password: 'carol-acme-demo-pass', tenant_id: 1 }],
    ['the password of another tenant', { ...ALICE, tenant_id: 2 }],
  ])('is refused for %s, in the same words', async (_, credentials) => {
    const { status, body } = await loginOverRest(credentials);
    expect(status).toBe(401);
    expect(body).toEqual({
      auth_user_login: { success: false, error_message: 'Invalid username, password or tenant', data: null },
    });
    const response = await post('/v1/graphql', { query: REFERENCE_LOGIN, variables: credentials });
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({
      data: { auth_user_login: { data: null } },
      auth_user_login: { success: false, error_message: 'Invalid username, password or tenant', data: null },
    });
  });

  test.each(['username', 'password', 'tenant_id'])('without a %s is refused by name', async (field) => {
    for (const value of [undefined, null]) {
      const { status, body } = await loginOverRest({ ...ALICE, [field]: value });
      expect(status).toBe(400);
      expect(body).toEqual({ auth_user_login: { success: false, error_message: `${field} is required`, data: null } });
    }
  });

  test.each([['"1"'], ['1.5'], ['2147483648'], ['[1]'], ['{}'], ['true']])(
    'with the tenant id %s is an error that repeats nothing',
    async (tenantId) => {
      const body = `{"username":"canary-user","password":"canary-password","tenant_id":${tenantId}}`;
      const rest = await post('/api/rest/auth_user_login', body);
      expect(rest.status).toBe(400);
      const flat = await rest.text();
      expect(JSON.parse(flat)).toEqual({
        path: '$',
        code: 'validation-failed',
        error: expect.stringContaining('tenant_id'),
      });
      const variables = JSON.parse(body);
      const answer = await (await post('/v1/graphql', { query: REFERENCE_LOGIN, variables })).text();
      expect(JSON.parse(answer)).toMatchObject({ errors: [{ extensions: { code: 'validation-failed' } }] });
      for (const text of [flat, answer]) expect(text).not.toMatch(/canary|2147483648|1\.5/);
    },
  );

  test('fifty times in one document does not happen at all', async () => {
    const guesses = Array.from(
      { length: 50 },
      (_, index) =>
        `g${index}: auth_user_login(data: {username: "bob", password: "bob-acme-demo-pass", tenant_id: 1}) { success }`,
    );
    const answer = await graphql(`mutation { ${guesses.join(' ')} }`, {});
    expect(answer).toEqual({
      errors: [expect.objectContaining({ message: 'an operation may contain only one authentication field' })],
    });
  });
});

describe('the orders service, plugged in three ways', () => {
  test('shows each tenant its own orders, over GraphQL, REST and CSV', async () => {
    const seen: Record<string, Set<string>> = {};
    for (const [tenant, credentials] of Object.entries({ acme: ALICE, globex: ALICE_AT_GLOBEX })) {
      const headers = await bearer(credentials);
      const { data } = (await graphql('{ orders { id } }', headers)) as { data: { orders: { id: string }[] } };
      const rest = await (await fetch(`${portico.url}/api/rest/orders`, { headers })).json();
      const csv = await fetch(`${portico.url}/api/orders/export.csv`, { headers });
      const ids = data.orders.map((order) => order.id);
      expect(ids.length).toBeGreaterThan(0);
      expect((rest as { orders: { id: string }[] }).orders.map((order) => order.id)).toEqual(ids);
      expect(csv.headers.get('content-type')).toMatch(/^text\/csv/);
      const lines = (await csv.text()).trim().split('\n').slice(1);
      expect(lines.map((line) => line.split(',')[0]?.replaceAll('"', ''))).toEqual(ids);
      seen[tenant] = new Set(ids);
    }
    for (const id of seen.acme ?? []) expect(seen.globex).not.toContain(id);
  });

  test('an order is placed over GraphQL and cancelled through the action, by its own tenant only', async () => {
    const acme = await bearer(ALICE);
    const globex = await bearer(ALICE_AT_GLOBEX);
    const placed = (await graphql('mutation { placeOrder(item: "Birdseed", quantity: 3) { id status } }', acme)) as {
      data: { placeOrder: { id: string; status: string } };
    };
    const { id } = placed.data.placeOrder;
    expect(await graphql(`{ order(id: "${id}") { id } }`, globex)).toEqual({ data: { order: null } });
    const cancel = `mutation { cancelOrder(id: "${id}") { id status } }`;
    expect(await graphql(cancel, globex)).toMatchObject({ errors: [{ path: ['cancelOrder'] }] });
    expect(await graphql(cancel, acme)).toEqual({ data: { cancelOrder: { id, status: 'cancelled' } } });
  });

  test('is not impressed by claims that a client makes up', async () => {
    const made = { 'X-Hasura-Tenant-Id': '2', 'x-hasura-user-id': 'root', 'X-HASURA-ADMIN-SECRET-NOT': 'x' };
    const headers = { ...(await bearer(ALICE)), ...made };
    const { data } = (await graphql('{ orders { id } }', headers)) as { data: { orders: { id: string }[] } };
    expect(data.orders.every((order) => !order.id.startsWith('globex'))).toBe(true);
    const csv = await (await fetch(`${portico.url}/api/orders/export.csv`, { headers })).text();
    expect(csv).not.toContain('globex');
    const admin = await post('/v1/graphql', { query: '{ orders { id } }' }, { ...headers, 'x-hasura-role': 'admin' });
    expect(admin.status).toBe(403);
    expect(admin.headers.get('www-authenticate')).toBe('Bearer realm="portico", error="insufficient_scope"');
  });

  test.each(['/v1/graphql', '/api/rest/orders', '/api/orders/export.csv'])(
    'is closed without a token: %s',
    async (path) => {
      const response =
        path === '/v1/graphql' ? await post(path, { query: '{ orders { id } }' }) : await fetch(portico.url + path);
      expect(response.status).toBe(401);
      expect(response.headers.get('www-authenticate')).toBe('Bearer realm="portico"');
      expect(await response.text()).toContain('invalid-headers');
    },
  );
});

describe('the GraphQL endpoint', () => {
  test('passes every audit of GraphQL over HTTP', async () => {
    const headers = await bearer(ALICE);
    const audits = serverAudits({
      url: `${portico.url}/v1/graphql`,
      fetchFn: (url: string, init: RequestInit = {}) =>
        fetch(url, { ...init, headers: { ...(init.headers as Record<string, string>), ...headers } }),
    });
    const failed: string[] = [];
    for (const audit of audits) {
      const result = await audit.fn();
      if (result.status !== 'ok') failed.push(`${audit.name}: ${result.reason}`);
    }
    expect(audits.length).toBeGreaterThanOrEqual(61);
    expect(failed).toEqual([]);
  });
});

test('the keys that services verify assertions with are published, beside those that the auth service publishes', async () => {
  const keysAt = async (path: string) => ((await (await fetch(portico.url + path)).json()) as { keys: unknown[] }).keys;
  const [ofGateway, ofAuthService] = [
    await keysAt('/.well-known/portico-jwks.json'),
    await keysAt('/.well-known/jwks.json'),
  ];
  expect(ofGateway).toMatchObject([{ kty: 'EC', crv: 'P-256', alg: 'ES256' }]);
  expect(ofAuthService).not.toEqual(ofGateway);
});

test('nothing secret is in any log', async () => {
  const tokens = await tokensOf(ALICE);
  await graphql('{ orders { id } }', { authorization: `Bearer ${tokens.access_token}`, 'x-request-id': 'seen-by-all' });
  // The request id goes from the gateway to the service that answers: both have a line with it.
  await portico.wrote(/"gateway".*seen-by-all/);
  await portico.wrote(/"orders".*seen-by-all/);
  const { stdout, stderr } = portico.output();
  const written = (stdout + stderr).replace(/^.*(curl -sS|demo-pass {2,}).*$/gm, '');
  const madeUp = ['secrets.json', 'revocation-secret.json', 'assertion-key.json'].flatMap((name) =>
    Object.values<string>(JSON.parse(readFileSync(join(portico.dataDir, name), 'utf8'))),
  );
  expect(madeUp).toHaveLength(4);
  const { password } = ALICE;
  for (const secret of [tokens.access_token, tokens.refresh_token, password, ALICE_AT_GLOBEX.password, ...madeUp])
    expect(written).not.toContain(secret);
  expect(written).not.toContain(createHash('sha256').update(tokens.refresh_token).digest('hex'));
});
