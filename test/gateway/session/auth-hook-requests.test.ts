import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import { headOf, keeper, reply, sendBytes } from '../harness/index.ts';
import { CLIENT, ORDERS, openHookedPlatform, openHookedPlatforms, refusalOf, SESSION } from './hooked-platform.ts';

const { keep, close } = keeper();
afterAll(close);
const { hook, byGet, byPost, byPostAlone, forget } = await keep(openHookedPlatforms());
beforeEach(forget);

/** A header's text travels as its UTF-8 bytes, which node takes as Latin-1 letters. */
const IN_UTF8 = Buffer.from('zoë', 'utf8').toString('latin1');

test('a GET hands my headers on, without those that describe my own request', async () => {
  const headers = { ...CLIENT, 'content-type': 'application/json', 'x-name': IN_UTF8 };
  await byGet.gateway.send('/api/rest/orders', { headers });
  const [asked] = hook.requests;
  expect(asked).toMatchObject({ method: 'GET', url: '/judge?by=portico', text: '' });
  expect(asked?.headers).toMatchObject({
    authorization: 'Bearer of-the-client',
    'x-api-key': 'k-1',
    'x-hasura-role': 'manager',
    'x-name': IN_UTF8,
    'user-agent': 'portico',
    host: new URL(hook.url).host,
  });
  for (const name of ['content-type', 'content-length', 'referer', 'dnt'])
    expect(asked?.headers).not.toHaveProperty(name);
});

test.each([
  ['GET', byGet, () => hook.requests[0]?.headers],
  ['POST', byPost, () => (hook.requests[0]?.body as { headers: Record<string, string> } | undefined)?.headers],
] as const)('a %s does not say that my client would rather speak another protocol', async (_, { gateway }, asked) => {
  const h2c = ['Connection: Upgrade, HTTP2-Settings', 'Upgrade: h2c', 'HTTP2-Settings: AAMAAABkAAQBAAAAAAIAAAAA'];
  const head = headOf('GET /api/rest/orders HTTP/1.1', 'Host: a', 'Authorization: Bearer of-the-client', ...h2c);
  const answer = await sendBytes(gateway.port, head, (text) => text.includes('\r\n\r\n'));
  expect(answer).toMatch(/^HTTP\/1\.1 200 /);
  expect(asked()).toMatchObject({ authorization: 'Bearer of-the-client' });
  for (const name of ['upgrade', 'http2-settings']) expect(asked()).not.toHaveProperty(name);
  expect(asked()?.connection).toBe('keep-alive');
});

describe('a POST', () => {
  test('sends my headers and my operation', async () => {
    await byPost.gateway.graphql('query list($status: OrderStatus) { orders(status: $status) { id } }', {
      headers: CLIENT,
      variables: { status: 'OPEN' },
      operationName: 'list',
    });
    const [asked] = hook.requests;
    expect(asked).toMatchObject({
      method: 'POST',
      url: '/judge?by=portico',
      body: {
        headers: {
          authorization: 'Bearer of-the-client',
          'x-hasura-role': 'manager',
          'user-agent': 'client/1',
        },
        request: {
          query: 'query list($status: OrderStatus) { orders(status: $status) { id } }',
          variables: { status: 'OPEN' },
          operationName: 'list',
        },
      },
    });
    expect(asked?.headers).not.toHaveProperty('authorization');
  });

  test('sends the operation of a REST endpoint, and none for a service', async () => {
    await byPost.gateway.send('/api/rest/orders/1', { headers: CLIENT });
    await byPost.gateway.send('/files/a.csv', { headers: { ...CLIENT, 'x-name': IN_UTF8 } });
    expect(hook.requests[1]?.body).toMatchObject({ headers: { 'x-name': 'zoë' } });
    const [rest, service] = hook.requests.map(({ body }) => (body as { request: unknown }).request);
    expect(rest).toMatchObject({ query: expect.stringContaining('order(id: $id)'), variables: { id: '1' } });
    expect(service).toBeNull();
  });

  test('authenticates each operation of a batch', async () => {
    hook.instead = ({ body }, response) => {
      const { query } = (body as { request: { query: string } }).request;
      reply(response, query.includes('whoami') ? 401 : 200, SESSION);
    };
    const batch = (...queries: string[]) =>
      byPost.gateway.post(
        '/v1/graphql',
        queries.map((query) => ({ query })),
        CLIENT,
      );
    expect((await batch(ORDERS, ORDERS)).status).toBe(200);
    expect((await batch(ORDERS, '{ whoami }')).status).toBe(401);
    expect(hook.requests).toHaveLength(4);
  });

  test('keeps the operation to itself where that is set', async () => {
    await byPostAlone.gateway.graphql(ORDERS, { headers: CLIENT });
    expect(Object.keys(hook.requests[0]?.body as object)).toEqual(['headers']);
  });
});

test.each(['GET', 'POST'])('where there is no admin secret, a hook sees none with a %s either', async (method) => {
  const { gateway } = await keep(
    openHookedPlatform(hook, {
      HASURA_GRAPHQL_ADMIN_SECRET: undefined,
      HASURA_GRAPHQL_AUTH_HOOK_MODE: method,
    }),
  );
  const secrets = { 'x-hasura-admin-secret': 'of-another-gateway', 'X-Hasura-Access-Key': 'of-another-gateway' };
  expect((await gateway.graphql(ORDERS, { headers: { ...CLIENT, ...secrets } })).status).toBe(200);
  expect(hook.requests).toHaveLength(1);
  expect(JSON.stringify(hook.requests)).toContain('of-the-client');
  expect(JSON.stringify(hook.requests)).not.toContain('of-another-gateway');
});

test.each([
  ['a GET', byGet],
  ['a POST without the operation', byPostAlone],
] as const)('a batch is judged with %s once', async (_, { gateway }) => {
  const batch = [{ query: ORDERS }, { query: ORDERS }, { query: '{ whoami }' }];
  expect((await gateway.post('/v1/graphql', batch, CLIENT)).status).toBe(200);
  expect(hook.requests).toHaveLength(1);
});

describe('what a browser sends by itself', () => {
  const { gateway } = byGet;
  const link = `/v1/graphql?query=${encodeURIComponent('{ orders { id } }')}`;

  test.each([
    ['a cookie', { cookie: 'session=1' }],
    ['a remembered password', { authorization: 'Basic YTpi' }],
  ])('is rejected for another site without calling the hook: %s', async (_, headers) => {
    const answer = await gateway.send(link, { headers: { ...headers, 'sec-fetch-site': 'cross-site' } });
    expect(refusalOf(answer)).toMatchObject({ status: 403, code: 'access-denied' });
    expect(hook.requests).toHaveLength(0);
  });

  test('is judged for our own', async () => {
    const headers = { cookie: 'session=1', 'sec-fetch-site': 'same-origin' };
    expect((await gateway.send(link, { headers })).status).toBe(200);
    expect(hook.requests[0]?.headers).toMatchObject({ cookie: 'session=1' });
  });
});
