import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import {
  bearer,
  graphqlUpstream,
  keeper,
  openGateway,
  openIssuer,
  type ReceivedOperation,
  reply,
  serve,
  webhook,
} from './harness/index.ts';

const AUTH = /* GraphQL */ `
  type Query {
    whoami: String
  }
  type Mutation {
    auth_user_login(data: AuthUserLoginInput!): Result!
    auth_token_refresh(data: AuthTokenRefreshInput!): Result!
    auth_user_logout(data: AuthUserLogoutInput): LogoutResult!
  }
  input AuthUserLoginInput {
    username: String
    password: String
    tenant_id: Int
  }
  input AuthTokenRefreshInput {
    refresh_token: String
  }
  input AuthUserLogoutInput {
    refresh_token: String
    all: Boolean
  }
  type Result {
    success: Boolean!
    error_message: String
    data: Tokens
  }
  type LogoutResult {
    success: Boolean!
    error_message: String
  }
  type Tokens {
    access_token: String!
    expires_in: Int!
    refresh_token: String!
  }
`;

const TOKEN = 'secret-refresh-token-0';
const next = (token: string) => `secret-refresh-token-${Number(token.slice(-1)) + 1}`;

const { keep, close } = keeper();
afterAll(close);
const issuer = await keep(openIssuer());

/** `late` has to wait, `down` finds the service broken; a refresh token of another form is none. */
const auth = await keep(
  graphqlUpstream(AUTH, {
    Query: { whoami: () => 'alice' },
    Mutation: {
      auth_user_login: (_, { data }: { data: { password?: string } }, { extensions }) => {
        if (data.password === 'right') return granted(TOKEN);
        if (data.password === 'down') throw new Error('broken');
        extensions.http =
          data.password === 'late' ? { status: 429, headers: { 'Retry-After': '30' } } : { status: 401 };
        return { success: false, error_message: 'refused' };
      },
      auth_token_refresh: (_, { data }: { data: { refresh_token: string } }, { extensions }) => {
        if (/^secret-refresh-token-\d$/.test(data.refresh_token)) return granted(next(data.refresh_token));
        if (data.refresh_token.startsWith('of-')) return granted('next', accessTokenOf(data.refresh_token.slice(3)));
        extensions.http = { status: data.refresh_token === 'overload' ? 503 : 401 };
        return { success: false, error_message: 'no such token' };
      },
      auth_user_logout: (_, { data }: { data: { refresh_token?: string } }, { extensions }) => {
        if (data.refresh_token === 'down') throw new Error('broken');
        if (data.refresh_token !== 'unknown') return { success: true };
        extensions.http = { status: 401 };
        return { success: false, error_message: 'no such token' };
      },
    },
  }),
);

function granted(refresh_token: string, access_token = 'a.b.c') {
  return { success: true, error_message: null, data: { access_token, expires_in: 900, refresh_token } };
}

/** Of a session with this id. */
const accessTokenOf = (sid: string) => `a.${Buffer.from(JSON.stringify({ sid })).toString('base64url')}.c`;

const seen = await keep(serve((received, response) => reply(response, 200, received.headers)));
const hook = await keep(webhook(() => ({ ok: true })));

const METADATA = {
  'remote_schemas.yaml': [
    {
      name: 'auth',
      definition: {
        url: '{{AUTH_URL}}',
        forward_client_headers: true,
        authentication_fields: ['auth_user_login', 'auth_token_refresh', 'auth_user_logout'],
      },
      permissions: ['anonymous', 'user'].map((role) => ({ role, definition: { schema: AUTH } })),
    },
  ],
  'services.yaml': [
    { name: 'files', path: '/files', url: '{{SEEN_URL}}', forward_client_headers: true },
    { name: 'site', path: '/console', url: '{{SEEN_URL}}', forward_client_headers: true },
  ],
  'actions.yaml': {
    actions: [
      {
        name: 'act',
        definition: { kind: 'synchronous', handler: '{{HOOK_URL}}', forward_client_headers: true },
        permissions: [{ role: 'user' }],
      },
    ],
    custom_types: { objects: [{ name: 'Acted' }] },
  },
  'actions.graphql': 'type Mutation { act: Acted } type Acted { ok: Boolean }',
};

const environment = {
  AUTH_URL: auth.graphqlUrl,
  SEEN_URL: seen.url,
  HOOK_URL: hook.url,
  // Any page may call the API, with any header that it likes.
  HASURA_GRAPHQL_CORS_DOMAIN: '*',
};
const gateway = await keep(
  openGateway({ issuer, metadata: METADATA, environment: { ...environment, HASURA_GRAPHQL_ENABLE_CONSOLE: 'true' } }),
);
const off = await keep(openGateway({ issuer, metadata: METADATA, environment }));

beforeEach(() => {
  auth.forget();
  seen.requests.length = 0;
  hook.requests.length = 0;
});

const SECURE = 'https://gateway.example.test';
const CREDENTIALS = { username: 'alice', password: 'right', tenant_id: 1 };
const LOCAL_COOKIE = `portico-console-${gateway.port}`;
const SECURE_COOKIE = '__Secure-portico-console';

/** What a browser sends from a page of the gateway's own. */
function ownPage(origin = gateway.url): Record<string, string> {
  return { origin, 'sec-fetch-site': 'same-origin', 'x-portico-console': '1' };
}

function act(action: string, body: unknown = {}, headers: Readonly<Record<string, string>> = {}) {
  return gateway.post(`/console/session/${action}`, body, { ...ownPage(), ...headers });
}

const asked = () => auth.operations() as readonly ReceivedOperation[];
const calls = () => asked().map(({ headers, body }) => [body.variables?.data, headers.authorization]);
const variables = () => asked().map(({ body }) => body.variables?.data);

describe('a session of the console', () => {
  test('is opened with the refresh token in a cookie, and in nothing else', async () => {
    const { status, headers, body, text } = await act('login', CREDENTIALS);
    expect([status, body]).toEqual([
      200,
      { success: true, error_message: null, data: { access_token: 'a.b.c', expires_in: 900 } },
    ]);
    expect(headers['set-cookie']).toEqual([`${LOCAL_COOKIE}=${TOKEN}; HttpOnly; SameSite=Strict`]);
    expect([headers['cache-control'], headers['content-encoding']]).toEqual(['no-store', undefined]);
    expect(text).not.toContain('secret');
    expect(variables()).toEqual([CREDENTIALS]);
  });

  test.each([
    [SECURE],
    ['https://127.0.0.1'],
    ['http://gateway.example.test'],
    ['http://localhost.example.test'],
    ['http://127.0.0.1.example.test'],
  ])('has a cookie for TLS only, where its page is %s', async (origin) => {
    const { headers } = await act('login', CREDENTIALS, ownPage(origin));
    expect(headers['set-cookie']).toEqual([`${SECURE_COOKIE}=${TOKEN}; HttpOnly; SameSite=Strict; Secure`]);
  });

  test.each([['http://localhost:8080'], ['http://[::1]:8080'], ['http://portico.localhost:8080']])(
    'has one without, on this machine: %s',
    async (origin) => {
      const { headers } = await act('login', CREDENTIALS, ownPage(origin));
      expect(headers['set-cookie']).toEqual([`portico-console-8080=${TOKEN}; HttpOnly; SameSite=Strict`]);
    },
  );

  test('is continued with the cookie, which is replaced', async () => {
    const { status, headers, body } = await act('refresh', {}, { cookie: `a=b; ${LOCAL_COOKIE}=${TOKEN}; c=d` });
    expect([status, body]).toEqual([
      200,
      { success: true, error_message: null, data: { access_token: 'a.b.c', expires_in: 900 } },
    ]);
    expect(headers['set-cookie']).toEqual([`${LOCAL_COOKIE}=${next(TOKEN)}; HttpOnly; SameSite=Strict`]);
    expect(variables()).toEqual([{ refresh_token: TOKEN }]);
    expect(asked()[0]?.headers.cookie).toBe('a=b; c=d');
  });

  test('is over where its token is refused, and not where the service is overloaded', async () => {
    const over = await act('refresh', {}, { cookie: `${LOCAL_COOKIE}=unknown` });
    expect([over.status, over.body]).toEqual([401, { success: false, error_message: 'no such token', data: null }]);
    expect(over.headers['set-cookie']).toEqual([`${LOCAL_COOKIE}=; HttpOnly; SameSite=Strict; Max-Age=0`]);
    const overload = await act('refresh', {}, { cookie: `${LOCAL_COOKIE}=overload` });
    expect([overload.status, overload.headers['set-cookie']]).toEqual([503, undefined]);
  });

  test('is ended with the cookie, whatever token comes along, or without one with the token', async () => {
    const own = { ...bearer('another.users.token'), cookie: `${LOCAL_COOKIE}=${TOKEN}` };
    const { status, headers } = await act('logout', {}, own);
    expect([status, headers['set-cookie']]).toEqual([200, [`${LOCAL_COOKIE}=; HttpOnly; SameSite=Strict; Max-Age=0`]]);
    await act('logout', {}, bearer('own.access.token'));
    expect(calls()).toEqual([
      [{ refresh_token: TOKEN }, undefined],
      [{}, 'Bearer own.access.token'],
    ]);
  });

  test('is ended with the token where that of the cookie is over', async () => {
    const stale = { cookie: `${LOCAL_COOKIE}=unknown` };
    const { status, headers } = await act('logout', {}, { ...bearer('own.access.token'), ...stale });
    expect([status, headers['set-cookie']]).toEqual([200, [`${LOCAL_COOKIE}=; HttpOnly; SameSite=Strict; Max-Age=0`]]);
    expect((await act('logout', {}, stale)).status).toBe(401);
    expect(calls()).toEqual([
      [{ refresh_token: 'unknown' }, undefined],
      [{}, 'Bearer own.access.token'],
      [{ refresh_token: 'unknown' }, undefined],
    ]);
  });

  test.each([
    ['open', next(TOKEN)],
    ['over', 'unknown'],
    ['impossible to end', 'down'],
  ])('is ended by a login that replaces its cookie, which succeeds where it is %s', async (_, token) => {
    const old = { ...bearer('another.users.token'), cookie: `${LOCAL_COOKIE}=${token}` };
    const { status, headers, body } = await act('login', CREDENTIALS, old);
    expect([status, body]).toMatchObject([200, { success: true, data: { access_token: 'a.b.c' } }]);
    expect(headers['set-cookie']).toEqual([`${LOCAL_COOKIE}=${TOKEN}; HttpOnly; SameSite=Strict`]);
    expect(calls().slice(1)).toEqual([[{ refresh_token: token }, undefined]]);
  });

  test('is not ended by a login that is refused', async () => {
    await act('login', { ...CREDENTIALS, password: 'wrong' }, { cookie: `${LOCAL_COOKIE}=${TOKEN}` });
    expect(calls()).toHaveLength(1);
  });

  test('is refused as the auth service refuses it', async () => {
    const wrong = await act('login', { ...CREDENTIALS, password: 'wrong' });
    expect([wrong.status, wrong.body]).toEqual([401, { success: false, error_message: 'refused', data: null }]);
    const late = await act('login', { ...CREDENTIALS, password: 'late' });
    expect([late.status, late.headers['retry-after']]).toEqual([429, '30']);
    const broken = await act('login', { ...CREDENTIALS, password: 'down' });
    expect(broken.status).toBeGreaterThanOrEqual(400);
    expect(broken.body).toMatchObject({ path: '$', error: expect.any(String), code: expect.any(String) });
    for (const answer of [wrong, late, broken]) expect(answer.headers['set-cookie']).toBeUndefined();
  });

  /** Of what a page of another port has set for other paths. */
  const REMOVED_ELSEWHERE = [
    '/',
    '/console',
    '/console/',
    '/console/session/',
    '/console/session/refresh',
    '/console/session/refresh/',
  ].map((path) => `${LOCAL_COOKIE}=; HttpOnly; SameSite=Strict; Max-Age=0; Path=${path}`);

  test.each([
    ['before', `${LOCAL_COOKIE}=planted; ${LOCAL_COOKIE}=${TOKEN}`, ['planted', TOKEN]],
    ['behind', `${LOCAL_COOKIE}=${TOKEN}; ${LOCAL_COOKIE}=planted`, [TOKEN]],
  ])('is continued where a page of another port has set a cookie %s its own, which is removed', async (...given) => {
    const [, cookie, tried] = given;
    const { status, headers } = await act('refresh', {}, { cookie });
    expect(status).toBe(200);
    expect(variables()).toEqual(tried.map((refresh_token) => ({ refresh_token })));
    expect(headers['set-cookie']).toEqual([
      ...REMOVED_ELSEWHERE,
      `${LOCAL_COOKIE}=${next(TOKEN)}; HttpOnly; SameSite=Strict`,
    ]);
  });

  test('is the one that the page names: a valid token of another one that was planted ends that one', async () => {
    for (const cookie of [
      `${LOCAL_COOKIE}=of-theirs; ${LOCAL_COOKIE}=of-mine`,
      `${LOCAL_COOKIE}=of-mine; ${LOCAL_COOKIE}=of-theirs`,
    ]) {
      const { status, body } = await act('refresh', { session: 'mine' }, { cookie });
      expect([status, body]).toMatchObject([200, { data: { access_token: accessTokenOf('mine') } }]);
    }
    const tried = ['of-theirs', 'next', 'of-mine', 'of-mine'];
    expect(variables()).toEqual(tried.map((refresh_token) => ({ refresh_token })));
  });

  test('is not another one than the page names, which goes on for the tab that has begun it', async () => {
    const { status, body, headers } = await act(
      'refresh',
      { session: 'mine' },
      { cookie: `${LOCAL_COOKIE}=of-theirs` },
    );
    expect([status, body]).toMatchObject([401, { success: false, data: null }]);
    expect(headers['set-cookie']).toEqual([`${LOCAL_COOKIE}=next; HttpOnly; SameSite=Strict`]);
    expect(variables()).toEqual([{ refresh_token: 'of-theirs' }]);
  });

  test('is left as it is while a token of several cannot be tried', async () => {
    const cookie = `${LOCAL_COOKIE}=overload; ${LOCAL_COOKIE}=${TOKEN}`;
    const { status, headers } = await act('refresh', {}, { cookie });
    expect([status, headers['set-cookie']]).toEqual([503, undefined]);
  });

  test('is ended with all cookies of its name', async () => {
    const { status, headers } = await act(
      'logout',
      {},
      { cookie: `${LOCAL_COOKIE}=${TOKEN}; ${LOCAL_COOKIE}=unknown` },
    );
    expect([status, headers['set-cookie']?.length]).toEqual([200, 1 + REMOVED_ELSEWHERE.length]);
    expect(variables()).toEqual([{ refresh_token: TOKEN }, { refresh_token: 'unknown' }]);
  });

  test('costs 16 tries at most', async () => {
    const cookie = Array.from({ length: 40 }, (_, index) => `${LOCAL_COOKIE}=planted-${index}`).join('; ');
    expect((await act('refresh', {}, { cookie })).status).toBe(401);
    expect(asked()).toHaveLength(16);
  });

  test('is not continued without its cookie', async () => {
    for (const cookie of [
      '',
      'other=1',
      `${LOCAL_COOKIE}=`,
      `${SECURE_COOKIE}=${TOKEN}`,
      `portico-console-1=${TOKEN}`,
    ]) {
      const { status, headers } = await act('refresh', {}, { cookie });
      expect([cookie, status, headers['set-cookie']]).toEqual([cookie, 401, undefined]);
    }
    expect(asked()).toEqual([]);
  });

  test('takes no request but its own three, as JSON objects', async () => {
    for (const [method, path, status] of [
      ['GET', 'refresh', 405],
      ['DELETE', 'logout', 405],
      ['POST', '', 404],
      ['POST', 'constructor', 404],
      ['POST', 'refresh/', 404],
    ] as const) {
      const answer = await gateway.send(`/console/session/${path}`, { method, headers: ownPage() });
      expect([method, path, answer.status]).toEqual([method, path, status]);
    }
    for (const [type, body, status] of [
      ['text/plain', '{}', 415],
      ['application/x-www-form-urlencoded', 'a=b', 415],
      ['application/json', '[]', 400],
      ['application/json', '', 400],
    ] as const) {
      const headers = { ...ownPage(), 'content-type': type, cookie: `${LOCAL_COOKIE}=${TOKEN}` };
      const answer = await gateway.send('/console/session/refresh', { method: 'POST', headers, body });
      expect([type, body, answer.status]).toEqual([type, body, status]);
    }
    expect(asked()).toEqual([]);
  });
});

describe('a page of another site', () => {
  test.each([
    ['of another site', { origin: 'https://evil.test', 'sec-fetch-site': 'cross-site', 'x-portico-console': '1' }],
    ['of another port', { origin: 'http://127.0.0.1:1', 'sec-fetch-site': 'same-site', 'x-portico-console': '1' }],
    ['that is typed in', { origin: gateway.url, 'sec-fetch-site': 'none', 'x-portico-console': '1' }],
    ['of our origin, without our header', { origin: gateway.url, 'sec-fetch-site': 'same-origin' }],
    ['of an old browser', { origin: 'https://evil.test', 'x-portico-console': '1' }],
    ['of an old browser, that begins like ours', { origin: `${gateway.url}.evil.test`, 'x-portico-console': '1' }],
    ['in a sandbox', { origin: 'null', 'sec-fetch-site': 'cross-site', 'x-portico-console': '1' }],
    ['without an origin', { 'sec-fetch-site': 'same-origin', 'x-portico-console': '1' }],
    ['with nothing', {}],
  ])('opens, continues and ends no session: one %s', async (_, headers) => {
    for (const [action, body] of [
      ['login', CREDENTIALS],
      ['refresh', {}],
      ['logout', {}],
    ] as const) {
      const sent = { cookie: `${LOCAL_COOKIE}=${TOKEN}`, ...headers };
      const answer = await gateway.post(`/console/session/${action}`, body, sent as Record<string, string>);
      expect([action, answer.status, answer.headers['set-cookie']]).toEqual([action, 403, undefined]);
    }
    expect(asked()).toEqual([]);
  });

  test('is let in where an old browser says that it is ours', async () => {
    const { status } = await act('refresh', {}, { cookie: `${LOCAL_COOKIE}=${TOKEN}` });
    const headers = { origin: gateway.url, 'x-portico-console': '1', cookie: `${LOCAL_COOKIE}=${TOKEN}` };
    expect([status, (await gateway.post('/console/session/refresh', {}, headers)).status]).toEqual([200, 200]);
  });
});

describe("the session's cookie", () => {
  const COOKIES = `theirs=1; ${LOCAL_COOKIE}=${TOKEN}; ${SECURE_COOKIE}=${TOKEN}; PORTICO-CONSOLE=${TOKEN}; last=2`;

  test.each([
    ['a console', gateway],
    ['no console', off],
  ])('leaves a gateway with %s for no service, webhook or subgraph', async (_, { send, graphql }) => {
    const headers = { ...bearer(issuer.token()), cookie: COOKIES };
    await send('/files/a', { headers });
    await send('/console/session/refresh', { headers });
    await graphql('{ whoami }', { headers });
    await graphql('mutation { act { ok } }', { headers });
    const sent = [...seen.requests, ...hook.requests, ...asked()];
    expect(sent.length).toBeGreaterThanOrEqual(3);
    expect(JSON.stringify(sent)).not.toContain('secret');
    for (const { headers: received } of seen.requests) expect(received.cookie).toBe('theirs=1; last=2');
  });

  test('is no cookie where it was the only one', async () => {
    const headers = { ...bearer(issuer.token()), cookie: `${LOCAL_COOKIE}=${TOKEN}` };
    await gateway.send('/files/a', { headers });
    expect(seen.requests[0]?.headers.cookie).toBeUndefined();
  });

  test('is taken from a WebSocket that is passed through', async () => {
    await gateway.send('/files/live', {
      headers: {
        ...bearer(issuer.token()),
        cookie: COOKIES,
        connection: 'Upgrade',
        upgrade: 'websocket',
        'sec-websocket-version': '13',
        'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
      },
    });
    expect(seen.requests).toHaveLength(1);
    expect(JSON.stringify(seen.requests)).not.toContain('secret');
  });

  test('is in no line of the log', async () => {
    await act('login', CREDENTIALS);
    await act('refresh', {}, { cookie: COOKIES });
    await act('refresh', {}, { cookie: `${LOCAL_COOKIE}=unknown` });
    await act('logout', {}, { cookie: COOKIES });
    expect(gateway.logs()).toContain('/console/session/login');
    expect(gateway.logs() + off.logs()).not.toMatch(/secret-refresh-token|"right"/);
  });
});
