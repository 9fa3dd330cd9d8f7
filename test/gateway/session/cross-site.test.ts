import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import { GOOD_LOGIN, type GraphqlBody, keeper, LOGIN, openPlatform } from '../harness/index.ts';

const { keep, close } = keeper();
afterAll(close);
const platform = await keep(
  openPlatform({
    jwtSecret: { header: { type: 'Cookie', name: 'jwt' } },
    environment: { HASURA_GRAPHQL_CORS_DOMAIN: 'https://app.example.test, https://*.tools.test, *' },
  }),
);
const { gateway, issuer } = platform;
beforeEach(() => platform.forget());

const cookie = `other=1; jwt=${issuer.token()}`;
const QUERY = `/v1/graphql?query=${encodeURIComponent('{ orders { id } }')}`;
const host = new URL(gateway.url).host;

/** Requests that a browser sends without asking first, whatever page wants it to. */
const simple: [string, (headers: Record<string, string>) => Promise<{ status: number; body: unknown }>][] = [
  ['a query in a link', (headers) => gateway.send(QUERY, { headers })],
  ['a REST endpoint in a link', (headers) => gateway.send('/api/rest/orders', { headers })],
  ['a file in an image', (headers) => gateway.send('/files/list.csv', { headers })],
  [
    'a form that is sent to a service',
    (headers) =>
      gateway.send('/files/change', {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
        body: 'a=b',
      }),
  ],
  [
    'a WebSocket',
    (headers) =>
      gateway.send('/files/live', {
        headers: {
          connection: 'Upgrade',
          upgrade: 'websocket',
          'sec-websocket-version': '13',
          'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
          ...headers,
        },
      }),
  ],
];

describe.each(simple)('%s', (name, send) => {
  test.each([
    ['without a sign of where it comes from', {}],
    ['from another site', { 'sec-fetch-site': 'cross-site' }],
    ['from a sibling domain', { 'sec-fetch-site': 'same-site', origin: 'https://evil.example.test' }],
    ['from another origin', { origin: 'https://evil.test' }],
    ['from an origin without a name', { origin: 'null' }],
    ['from an origin that begins like ours', { origin: `http://${host}.evil.test` }],
    ['from another site that says it is ours', { 'sec-fetch-site': 'cross-site', origin: gateway.url }],
    ['from an origin that only * allows', { origin: 'https://any.test', 'sec-fetch-site': 'cross-site' }],
    ['from an Android app’s web view', { 'x-requested-with': 'com.example.browser' }],
    ['with a text for content', { 'content-type': 'text/plain; a=application/json' }],
  ])('is refused %s', async (_, headers) => {
    const { status, body } = await send({ cookie, ...headers });
    const { errors, code, error } = body as GraphqlBody;
    expect([status, errors?.[0]?.extensions.code ?? code]).toEqual([403, 'access-denied']);
    expect(errors?.[0]?.message ?? error).toMatch(
      /^a request with a cookie must prove that it does not come from another site/,
    );
    expect(platform.asked()).toBe(0);
  });

  test.each([
    ['from the same origin', { 'sec-fetch-site': 'same-origin' }],
    ['by the user’s own doing', { 'sec-fetch-site': 'none' }],
    ['from the same origin, told by an old browser', { origin: gateway.url }],
    ['from an origin that is named', { origin: 'https://app.example.test', 'sec-fetch-site': 'cross-site' }],
    ['from an origin that a pattern names', { origin: 'https://a.tools.test', 'sec-fetch-site': 'same-site' }],
    ['with a header that needs a preflight', { 'x-requested-with': 'XMLHttpRequest' }],
    ['with Apollo’s header', { 'apollo-require-preflight': 'true' }],
    ['with a role', { 'x-hasura-role': 'manager' }],
    ['with JSON for content', { 'content-type': 'application/json; charset=utf-8' }],
  ])('is let in %s', async (_, headers) => {
    const { status } = await send({ cookie, ...headers });
    // There is no WebSocket server behind the route; what counts is that the service was asked.
    if (name !== 'a WebSocket') expect(status).toBe(200);
    expect(platform.asked()).toBe(1);
  });
});

test('an operation in a POST needs nothing more: its JSON does not come from a form', async () => {
  const { status, body } = await gateway.graphql('{ orders { id } }', { headers: { cookie } });
  expect([status, body]).toEqual([200, { data: { orders: [{ id: '1' }, { id: '2' }] } }]);
});

test('a bad cookie from another site is rejected before it is verified', async () => {
  const answer = await gateway.send(QUERY, { headers: { cookie: 'jwt=opaque', 'sec-fetch-site': 'cross-site' } });
  expect(answer.status).toBe(403);
});

test('without the cookie I am asked to log in', async () => {
  const { status, body } = await gateway.graphql('{ orders { id } }', { headers: { cookie: 'other=1' } });
  expect(status).toBe(401);
  expect(body.errors?.[0]).toMatchObject({
    message: "Missing 'Cookie' header: log in and send the token as the cookie 'jwt'",
    extensions: { code: 'invalid-headers' },
  });
});

test('a broken document is not explained to the holder of a bad cookie', async () => {
  expect((await gateway.graphql('{', { headers: { cookie: 'jwt=opaque' } })).status).toBe(401);
  expect((await gateway.graphql('{', { headers: { cookie: 'other=1' } })).body.errors?.[0]).toMatchObject({
    extensions: { code: 'validation-failed' },
  });
});

test('a login does not verify a cookie', async () => {
  const headers = { cookie: 'jwt=opaque', 'sec-fetch-site': 'cross-site' };
  expect((await gateway.graphql(LOGIN, { headers, variables: GOOD_LOGIN })).status).toBe(200);
});

describe('a page of another origin', () => {
  const preflight = (origin: string) =>
    gateway.send('/v1/graphql', {
      method: 'OPTIONS',
      headers: { origin, 'access-control-request-method': 'POST', 'access-control-request-headers': 'content-type' },
    });

  test.each(['https://app.example.test', 'https://b.tools.test'])(
    'may send cookies when it is named: %s',
    async (origin) => {
      const { status, headers } = await preflight(origin);
      expect(status).toBe(204);
      expect(headers).toMatchObject({
        'access-control-allow-origin': origin,
        'access-control-allow-credentials': 'true',
      });
    },
  );

  test('may not when only * allows it', async () => {
    const { status, headers } = await preflight('https://any.test');
    expect([status, headers['access-control-allow-origin']]).toEqual([204, 'https://any.test']);
    expect(headers).not.toHaveProperty('access-control-allow-credentials');
  });

  test('may not where tokens are in the Authorization header', async () => {
    const { gateway: other } = await keep(
      openPlatform({ environment: { HASURA_GRAPHQL_CORS_DOMAIN: 'https://app.example.test' } }),
    );
    const { headers } = await other.send('/v1/graphql', { headers: { origin: 'https://app.example.test' } });
    expect(headers['access-control-allow-origin']).toBe('https://app.example.test');
    expect(headers).not.toHaveProperty('access-control-allow-credentials');
  });
});
