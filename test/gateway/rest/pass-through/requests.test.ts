import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import { bearer, headOf, keeper, openPlatform, sendBytes, serve } from '../../harness/index.ts';

const { keep, close } = keeper();
afterAll(close);
const service = await keep(serve((_, response) => response.end('answered')));
const { gateway, issuer } = await keep(
  openPlatform({
    environment: { SERVICE: service.url },
    metadata: {
      'services.yaml': [
        {
          name: 'orders',
          path: '/api/orders',
          url: '{{SERVICE}}/orders',
          headers: [{ name: 'x-api-key', value: 'ours' }],
        },
        {
          name: 'archive',
          path: '/api/orders/archive',
          url: '{{SERVICE}}/archive',
          permissions: [{ role: 'manager' }],
        },
        {
          name: 'open',
          path: '/open',
          url: '{{SERVICE}}',
          only_public_without_token: [{ path: '/open/x', methods: ['POST'] }],
        },
      ],
    },
  }),
);
const authorization = `Authorization: Bearer ${issuer.token()}`;
beforeEach(() => {
  service.requests.length = 0;
});

const send = (start: string, ...lines: readonly string[]) =>
  sendBytes(gateway.port, headOf(start, 'Host: portico.test', authorization, ...lines, 'Connection: close'));
const received = () => service.requests[0]?.headers ?? {};

describe('a header of a client that a service could take for a claim, or for one of ours', () => {
  test.each([
    'x-hasura-tenant-id',
    'X_Hasura_Tenant_Id',
    'X.Hasura.Tenant.Id',
    'x-hasura_tenant.id',
    "x'hasura'tenant'id",
    'x|hasura|tenant|id',
    'X_Api_Key',
    'X.Request.Id',
    'X_Forwarded_For',
    'Content_Length',
    'Transfer_Encoding',
  ])('is dropped: %s', async (name) => {
    await send('GET /api/orders/1 HTTP/1.1', `${name}: forged`);
    expect(Object.values(received())).not.toContain('forged');
    expect(received()).toMatchObject({
      'x-hasura-tenant-id': '1',
      'x-api-key': 'ours',
      'x-forwarded-for': '127.0.0.1',
    });
  });

  test('is another one where nothing of ours has its name', async () => {
    await send('GET /api/orders/1 HTTP/1.1', 'my_header: mine', 'x.y: z');
    expect(received()).toMatchObject({ my_header: 'mine', 'x.y': 'z' });
  });
});

describe('a header about the connection, or about where the request came from', () => {
  test.each([
    'Keep-Alive: timeout=600',
    'TE: trailers',
    'Trailer: x-hasura-role',
    'Upgrade: h2c',
    'Proxy-Connection: keep-alive',
    'Proxy-Authorization: Basic eA==',
    'Proxy: http://evil.test',
    'Forwarded: for=6.6.6.6',
    'X-Forwarded-Proto: gopher',
    'X-Forwarded-Port: 1',
    'X-Forwarded-Prefix: /x',
    'X-Real-IP: 6.6.6.6',
    'X-Client-IP: 6.6.6.6',
    'True_Client_IP: 6.6.6.6',
    'CF-Connecting-IP: 6.6.6.6',
    'X-Forwarded: for=6.6.6.6',
    'Via: 1.1 somebody',
    'X-Original-URL: /admin',
    'X-Rewrite-URL: /admin',
    'HTTP2-Settings: AAMAAABk',
    'Sec-WebSocket-Extensions: permessage-deflate',
    'Alt-Used: elsewhere.test',
  ])('is dropped: %s', async (line) => {
    await send('GET /api/orders/1 HTTP/1.1', line);
    expect(service.requests).toHaveLength(1);
    expect(received()).not.toHaveProperty(line.slice(0, line.indexOf(':')).toLowerCase());
  });

  test('is dropped where Connection names it', async () => {
    await sendBytes(
      gateway.port,
      headOf(
        'GET /api/orders/1 HTTP/1.1',
        'Host: portico.test',
        authorization,
        'Connection: close, X-Hop, x-hasura-tenant-id, x-request-id',
        'X-Hop: 1',
        'X-Stays: 1',
      ),
    );
    expect(received()).not.toHaveProperty('x-hop');
    expect(received()).toMatchObject({ 'x-stays': '1', 'x-hasura-tenant-id': '1' });
    expect(received()['x-request-id']).toBeDefined();
  });

  test('is ours where the service is to know', async () => {
    await send('GET /api/orders/1 HTTP/1.1', 'X-Forwarded-Host: evil.test', 'X-Forwarded-For: 6.6.6.6');
    expect(received()).toMatchObject({ 'x-forwarded-host': 'portico.test', 'x-forwarded-for': '127.0.0.1' });
  });
});

test('a method override does not get around the methods of a public address', async () => {
  await send('POST /open/x HTTP/1.1', 'Content-Length: 0', 'X-HTTP-Method-Override: DELETE');
  expect(received()).not.toHaveProperty('x-http-method-override');
  expect(service.requests).toHaveLength(1);
});

describe('a request that two servers could read in two ways is refused', () => {
  test.each<[what: string, status: number, bytes: string]>([
    ['no Host', 400, headOf('GET /api/orders/1 HTTP/1.1', authorization)],
    ['two Hosts', 400, headOf('GET /api/orders/1 HTTP/1.1', 'Host: a', 'Host: a', authorization)],
    ['a Host that is none', 400, headOf('GET /api/orders/1 HTTP/1.1', 'Host: a/../b?#', authorization)],
    ['a Host with a list', 400, headOf('GET /api/orders/1 HTTP/1.1', 'Host: a, b', authorization)],
    ['a Host with a user', 400, headOf('GET http://me@a/api/orders/1 HTTP/1.1', 'Host: a', authorization)],
    ['a fragment', 400, headOf('GET /api/orders/1#x HTTP/1.1', 'Host: a', authorization)],
    ['a fragment behind dots', 400, headOf('GET /api/orders/..# HTTP/1.1', 'Host: a', authorization)],
    ['a fragment in a whole address', 400, headOf('GET http://a#/../../admin HTTP/1.1', 'Host: a', authorization)],
    ['a backslash', 400, headOf('GET /api/orders/a\\b HTTP/1.1', 'Host: a', authorization)],
    ['an encoded backslash', 400, headOf('GET /api/orders/a%5Cb HTTP/1.1', 'Host: a', authorization)],
    ['an encoded end of a text', 400, headOf('GET /api/orders/a%00b HTTP/1.1', 'Host: a', authorization)],
    ['encoded line ends', 400, headOf('GET /api/orders/a%0d%0ab HTTP/1.1', 'Host: a', authorization)],
    ['bytes that are not ASCII', 400, headOf('GET /api/orders/\u00e9 HTTP/1.1', 'Host: a', authorization)],
    ['overlong dots', 400, headOf('GET /api/orders/%c0%ae%c0%ae/x HTTP/1.1', 'Host: a', authorization)],
    [
      'dots that are encoded thousands of times',
      400,
      headOf(`GET /api/orders/%${'25'.repeat(20_000)}2e%2e/x HTTP/1.1`, 'Host: a', authorization),
    ],
    ['dots that are encoded twice', 400, headOf('GET /api/orders/%252e%252e/x HTTP/1.1', 'Host: a', authorization)],
    [
      'another transfer coding',
      501,
      headOf('POST /api/orders/1 HTTP/1.1', 'Host: a', authorization, 'Transfer-Encoding: gzip, chunked'),
    ],
    [
      'a transfer coding in HTTP/1.0',
      400,
      headOf('POST /api/orders/1 HTTP/1.0', 'Host: a', authorization, 'Transfer-Encoding: chunked'),
    ],
    [
      'chunks and a length',
      400,
      headOf(
        'POST /api/orders/1 HTTP/1.1',
        'Host: a',
        authorization,
        'Transfer-Encoding: chunked',
        'Content-Length: 3',
      ),
    ],
    [
      'two lengths',
      400,
      headOf('POST /api/orders/1 HTTP/1.1', 'Host: a', authorization, 'Content-Length: 3', 'Content-Length: 3'),
    ],
    [
      'a folded line',
      400,
      headOf('POST /api/orders/1 HTTP/1.1', 'Host: a', authorization, 'X-A: a\r\n Content-Length: 3'),
    ],
    [
      'a space before a colon',
      400,
      headOf('POST /api/orders/1 HTTP/1.1', 'Host: a', authorization, 'Content-Length : 3'),
    ],
    [
      'a bare line feed',
      400,
      headOf('POST /api/orders/1 HTTP/1.1', 'Host: a', authorization, 'X-A: a\nContent-Length: 3'),
    ],
    [
      'a bare carriage return',
      400,
      headOf('POST /api/orders/1 HTTP/1.1', 'Host: a', authorization, 'X-A: a\rContent-Length: 3'),
    ],
    ['TRACE', 405, headOf('TRACE /api/orders/1 HTTP/1.1', 'Host: a', authorization, 'Connection: close')],
  ])('%s', async (_, status, bytes) => {
    const answer = await sendBytes(gateway.port, bytes, (text) => text.includes('\r\n\r\n'));
    expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(service.requests).toEqual([]);
  });

  test('and its connection ends where its body could not be found', async () => {
    const bytes = headOf('POST /api/orders/1 HTTP/1.1', 'Host: a', authorization, 'Transfer-Encoding: gzip, chunked');
    expect(await sendBytes(gateway.port, `${bytes}0\r\n\r\n`)).toMatch(/^connection: close\r$/im);
  });

  test('CONNECT', async () => {
    expect(await sendBytes(gateway.port, headOf('CONNECT a:80 HTTP/1.1', 'Host: a:80', authorization))).not.toContain(
      ' 200 ',
    );
  });

  test('on the other addresses of the gateway too', async () => {
    for (const path of ['/v1/graphql', '/api/rest/orders', '/healthz'])
      for (const line of ['Host: b', 'Transfer-Encoding: gzip, chunked'])
        expect(await sendBytes(gateway.port, headOf(`POST ${path} HTTP/1.1`, 'Host: a', line))).toMatch(
          /^HTTP\/1.1 (400|501) /,
        );
  });
});

describe('a path that may mean another service', () => {
  test.each([
    '/api/orders/%61rchive/1',
    '/api/orders//archive/1',
    '/api/orders/ARCHIVE/1',
    '/api/orders/archive;v=1/1',
    '/api/orders/%2561rchive',
  ])('is refused: %s', async (path) => {
    expect(await send(`GET ${path} HTTP/1.1`)).toMatch(
      /^HTTP\/1.1 400 .*the path is ambiguous: it could belong to another service/s,
    );
    expect(service.requests).toEqual([]);
  });

  test('is that service’s where it is written as it is', async () => {
    expect((await gateway.send('/api/orders/archive/1', { headers: bearer(issuer.token()) })).status).toBe(403);
    expect((await gateway.send('/api/orders/archives', { headers: bearer(issuer.token()) })).status).toBe(200);
    expect((await gateway.send('/api/orders/x/archive', { headers: bearer(issuer.token()) })).status).toBe(200);
  });
});

test('a whole address counts for its path, and its host for the Host', async () => {
  await send('GET http://other.test:8080/api/orders/1?x=%2F HTTP/1.1');
  expect(service.requests[0]).toMatchObject({
    url: '/orders/1?x=%2F',
    headers: { 'x-forwarded-host': 'other.test:8080' },
  });
});

test('chunk extensions and trailers stay behind', async () => {
  const body = '5;x=y\r\nhello\r\n0\r\nx-hasura-tenant-id: 2\r\nx-later: 1\r\n\r\n';
  const bytes = headOf(
    'POST /api/orders/1 HTTP/1.1',
    'Host: a',
    authorization,
    'Transfer-Encoding: chunked',
    'Connection: close',
  );
  expect(await sendBytes(gateway.port, bytes + body)).toMatch(/answered/);
  expect(service.requests[0]).toMatchObject({ text: 'hello', headers: { 'x-hasura-tenant-id': '1' } });
});
