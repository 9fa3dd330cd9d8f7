import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { bearer, keeper, openGateway, openIssuer, type TestGateway, until } from '../harness/index.ts';
import { legacyClient, rawSocket, sseClient, wsClient } from './clients.ts';
import { type FeedService, graphqlWsService, mercuriusService, yogaService } from './services.ts';

const { keep, close } = keeper();
afterAll(close);

const issuer = await keep(openIssuer());
const SECRET = 'correct-horse-battery-staple';
const CLAIMS = 'subscription { claims { role tenant inInit inOperation forwarded } }';

/** A gateway in front of one service with subscriptions. */
async function gatewayFor(
  service: FeedService,
  definition: object = {},
  options: Partial<Parameters<typeof openGateway>[0]> = {},
): Promise<TestGateway> {
  const metadata = { 'remote_schemas.yaml': [{ name: 'feed', definition: { url: service.url, ...definition } }] };
  return keep(openGateway({ issuer, metadata, ...options }));
}

/** What the service knew of the caller. */
async function claimsOf(gateway: TestGateway, params: object, handshake: Record<string, string> = {}) {
  const client = wsClient(gateway.url, params, handshake);
  try {
    const subscribed = client.subscribe(CLAIMS);
    const end = await subscribed.ended();
    if (end !== 'complete') return end;
    return subscribed.results[0]?.data?.claims;
  } finally {
    await client.close();
  }
}

let service: FeedService;
let gateway: TestGateway;
beforeAll(async () => {
  service = await keep(graphqlWsService());
  gateway = await gatewayFor(
    service,
    { forward_client_headers: true },
    { environment: { HASURA_GRAPHQL_ADMIN_SECRET: SECRET } },
  );
});

describe('the service gets the subscriber’s claims', () => {
  const told = { role: 'user', tenant: '1', inInit: '1', inOperation: '1', forwarded: null };

  test('in the handshake, in connection_init and in the operation', async () => {
    expect(await claimsOf(gateway, { headers: bearer(issuer.token()) })).toEqual(told);
  });

  test.each([
    ['Authorization beside headers', (token: string) => ({ Authorization: `Bearer ${token}` })],
    ['authorization in lower case', (token: string) => ({ authorization: `Bearer ${token}` })],
    ['AUTHORIZATION in headers', (token: string) => ({ headers: { AUTHORIZATION: `Bearer ${token}` } })],
    [
      'headers, which count where both are there',
      (token: string) => ({ Authorization: 'Bearer x', headers: bearer(token) }),
    ],
    ['a role beside it', (token: string) => ({ Authorization: `Bearer ${token}`, 'X-Hasura-Role': 'user' })],
    ['null headers', (token: string) => ({ Authorization: `Bearer ${token}`, headers: null })],
  ])('by connectionParams with %s', async (__, params) => {
    expect(await claimsOf(gateway, params(issuer.token()))).toEqual(told);
  });

  test.each([
    ['a bad token beside headers', { Authorization: 'Bearer x.y.z' }],
    ['a token that is a list', { Authorization: ['Bearer x'] }],
    ['a token with a line break', { Authorization: 'Bearer x\r\nx-hasura-role: admin' }],
    [
      'a role that the token does not allow',
      { Authorization: 'Bearer ', 'x-hasura-role': 'admin', 'x-hasura-user-id': '7' },
    ],
  ])('and a connection is rejected with %s', async (name, params: Record<string, unknown>) => {
    const given = name.startsWith('a role') ? { ...params, Authorization: `Bearer ${issuer.token()}` } : params;
    expect(await claimsOf(gateway, given)).toMatchObject({
      code: 4403,
    });
  });

  test('and what is no header beside headers has no effect', async () => {
    const params = { cookie: 'a=b', origin: 'https://x', 'x-forwarded-for': '1.2.3.4', __proto__: { a: 1 } };
    expect(await claimsOf(gateway, { ...params, ...bearer(issuer.token()) })).toEqual(told);
  });

  test('where it sends events: in the request and in the operation', async () => {
    const yoga = await keep(yogaService());
    const streaming = await gatewayFor(yoga, { subscriptions: { protocol: 'sse' } });
    expect(await claimsOf(streaming, { headers: bearer(issuer.token()) })).toEqual({ ...told, inInit: null });
  });

  test('by the old protocol, too', async () => {
    const mercurius = await keep(mercuriusService());
    const old = await gatewayFor(mercurius, { subscriptions: { protocol: 'graphql-ws' } });
    expect(await claimsOf(old, { headers: bearer(issuer.token()) })).toMatchObject({ role: 'user', tenant: '1' });
  });

  test('with the headers of the payload where it is to have those of the client', async () => {
    const headers = { ...bearer(issuer.token()), 'X-Shop': 'käse' };
    const forwarded = Buffer.from('käse').toString('latin1');
    expect(await claimsOf(gateway, { headers })).toMatchObject({ forwarded });
  });
});

describe('the session', () => {
  test('comes from the handshake as well', async () => {
    expect(await claimsOf(gateway, {}, bearer(issuer.token()))).toMatchObject({ role: 'user', tenant: '1' });
  });

  test('is the one of the payload where both have one', async () => {
    const other = issuer.token({ hasura: { 'x-hasura-tenant-id': '2' } });
    const claims = await claimsOf(gateway, { headers: { Authorization: `Bearer ${other}` } }, bearer(issuer.token()));
    expect(claims).toMatchObject({ tenant: '2' });
  });

  test('has the role that the payload picks among those of the token', async () => {
    const headers = { ...bearer(issuer.token()), 'x-hasura-role': 'manager' };
    expect(await claimsOf(gateway, { headers })).toMatchObject({ role: 'manager' });
  });

  test('has no claim that the client made up', async () => {
    const headers = { ...bearer(issuer.token()), 'x-hasura-tenant-id': '99', x_hasura_tenant_id: '99' };
    expect(await claimsOf(gateway, { headers, 'x-hasura-tenant-id': '99' })).toMatchObject({
      tenant: '1',
      inInit: '1',
      inOperation: '1',
    });
  });

  test('is an admin’s with the admin secret', async () => {
    const headers = { 'x-hasura-admin-secret': SECRET, 'x-hasura-role': 'clerk', 'x-hasura-tenant-id': '5' };
    expect(await claimsOf(gateway, { headers })).toMatchObject({ role: 'clerk', tenant: '5' });
  });

  test.each([
    ['an expired token', { authorization: `Bearer ${issuer.token({ payload: { exp: 1_000 } })}` }],
    ['a role that the token does not allow', { ...bearer(issuer.token()), 'x-hasura-role': 'owner' }],
    ['a wrong admin secret', { 'x-hasura-admin-secret': 'guess' }],
  ])('is refused for %s', async (_, headers) => {
    const raw = await rawSocket(gateway.url, 'graphql-transport-ws');
    raw.send({ type: 'connection_init', payload: { headers } });
    expect(await raw.ended()).toMatchObject({ code: 4403, reason: expect.stringMatching(/^Forbidden: /) });
    expect(raw.messages).toEqual([]);
  });

  test('is refused in the words of the old protocol', async () => {
    const raw = await rawSocket(gateway.url, 'graphql-ws');
    raw.send({ type: 'connection_init', payload: { headers: { authorization: 'Bearer nonsense' } } });
    expect(await raw.next('connection_error')).toMatchObject({ payload: { extensions: { code: 'invalid-jwt' } } });
    expect((await raw.ended()).code).toBe(4400);
  });

  test.each([
    ['headers that are none', { headers: 'authorization' }],
    ['a header with a line break', { headers: { 'x-shop': 'a\r\nx-hasura-role: admin' } }],
    ['a name with a line break', { headers: { 'x-shop\r\nx-hasura-role': 'admin' } }],
  ])('is refused for %s', async (_, payload) => {
    const raw = await rawSocket(gateway.url, 'graphql-transport-ws');
    raw.send({ type: 'connection_init', payload });
    expect((await raw.ended()).code).toBe(4403);
  });
});

describe('without a token', () => {
  const PUBLIC = 'type Query { orderCount: Int! }';

  test.each([
    ['graphql-transport-ws', () => wsClient(gateway.url)],
    ['the graphql-ws of old', () => legacyClient(gateway.url)],
  ])('each operation that needs one is refused over %s', async (_, open) => {
    const client = await open();
    expect(await client.subscribe(CLAIMS).ended()).toMatchObject([{ extensions: { code: 'invalid-headers' } }]);
    await client.close();
  });

  test('a stream of events is refused with 401', async () => {
    const answer = await gateway.post('/v1/graphql', { query: CLAIMS }, { accept: 'text/event-stream' });
    expect([answer.status, answer.headers['www-authenticate']]).toEqual([401, 'Bearer realm="portico"']);
    expect(answer.body).toMatchObject({ errors: [{ extensions: { code: 'invalid-headers' } }] });
  });

  test('public fields are answered', async () => {
    const metadata = {
      'remote_schemas.yaml': [
        {
          name: 'feed',
          definition: { url: service.url },
          permissions: [{ role: 'anonymous', definition: { schema: PUBLIC } }],
        },
      ],
    };
    const open = await keep(openGateway({ issuer, metadata }));
    const client = wsClient(open.url);
    const counted = client.subscribe('{ orderCount }');
    expect(await counted.ended()).toBe('complete');
    expect(counted.results).toEqual([{ data: { orderCount: 2 } }]);
    await client.close();
  });
});

describe('where a cookie lets callers in', () => {
  let withCookies: TestGateway;
  beforeAll(async () => {
    withCookies = await gatewayFor(
      service,
      {},
      {
        jwtSecret: { header: { type: 'Cookie', name: 'session' } },
        environment: { HASURA_GRAPHQL_CORS_DOMAIN: 'https://shop.example' },
      },
    );
  });
  const cookie = () => ({ cookie: `session=${issuer.token()}` });
  const refusalOf = async (headers: Record<string, string>) =>
    rawSocket(withCookies.url, 'graphql-transport-ws', headers).then(
      (raw) => raw.close(),
      (error: Error) => error.message,
    );

  test.each([
    ['our own page', { 'sec-fetch-site': 'same-origin' }],
    ['a page that the operator trusts', { origin: 'https://shop.example', 'sec-fetch-site': 'cross-site' }],
  ])('%s may subscribe', async (_, headers) => {
    expect(await claimsOf(withCookies, {}, { ...cookie(), ...headers })).toMatchObject({ role: 'user', tenant: '1' });
  });

  test.each([
    ['a page of another site', { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }],
    ['a page of another site in an old browser', { origin: 'https://evil.example' }],
  ])('%s may not, whatever it writes into connection_init', async (_, headers) => {
    expect(await refusalOf({ ...cookie(), ...headers })).toBe('Unexpected server response: 403');
  });

  test('a page of another site has no credentials by itself', async () => {
    const foreign = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' };
    const params = { headers: { ...cookie(), 'x-requested-with': 'XMLHttpRequest', 'sec-fetch-site': 'same-origin' } };
    expect(await claimsOf(withCookies, params, foreign)).toMatchObject([{ extensions: { code: 'invalid-headers' } }]);
  });

  test('an EventSource on our own page gets its events', async () => {
    const path = `/v1/graphql?query=${encodeURIComponent('subscription { count(to: 2) { number } }')}`;
    const headers = { ...cookie(), accept: 'text/event-stream', 'sec-fetch-site': 'same-origin' };
    const { status, text } = await withCookies.send(path, { headers });
    expect(status).toBe(200);
    expect(text.match(/^event: .*$/gm)).toEqual(['event: next', 'event: next', 'event: complete']);
    expect((await withCookies.send(path, { headers: { ...headers, 'sec-fetch-site': 'cross-site' } })).status).toBe(
      403,
    );
  });
});

test('neither tokens nor claims nor variables are logged', async () => {
  const token = issuer.token({ hasura: { 'x-hasura-secret-claim': 'claimed-secret' } });
  const client = wsClient(gateway.url, { headers: { ...bearer(token), 'x-shop': 'shop-secret' } });
  const subscribed = client.subscribe('subscription ($item: String) { orderPlaced(item: $item) { id } }', {
    variables: { item: 'variable-secret' },
  });
  await service.feed.waitFor(1);
  await client.close();
  await subscribed.ended();
  const sse = sseClient(gateway.url, bearer(token));
  await sse.subscribe(CLAIMS).ended();
  await until('the end is logged', () => /"websocket\.closed"/.test(gateway.logs()));
  expect(gateway.logs()).not.toMatch(new RegExp(`${token}|-secret|${SECRET}`));
});
