import { afterAll, describe, expect, test } from '@jest/globals';
import { bearer, headOf, keeper, openPlatform, sendBytes, serve } from './harness/index.ts';

const { keep, close } = keeper();
afterAll(close);
const service = await keep(serve((_, response) => response.end('of the service')));
const { gateway, issuer } = await keep(
  openPlatform({
    environment: { SERVICE: service.url, PORTICO_ASSERTION_KEY: 'a1'.repeat(32) },
    metadata: {
      'services.yaml': ['/api', '/hasura', '/.well-known'].map((path) => ({
        name: path.slice(1),
        path,
        url: '{{SERVICE}}',
      })),
    },
  }),
);
const headers = bearer(issuer.token());

test.each([
  '/READYZ',
  '/readyz/',
  '/Healthz',
  '/healthz/',
  '/HASURA/healthz',
  '/v1/Version',
  '/v1/version/',
  '/V1/metadata',
])('a path of the gateway has one spelling: there is nothing at %s', async (path) => {
  const { status } = await gateway.send(path, { headers });
  expect([status, service.requests.length]).toEqual([404, 0]);
});

describe('a service above an address of the gateway', () => {
  test.each([
    '/hasura/healthz',
    '/HASURA/healthz/',
    '/api/swagger/json',
    '/api/rest',
    '/api/rest/nothing',
    '/.well-known/portico-jwks.json',
  ])('leaves it to the gateway: %s', async (path) => {
    const { text } = await gateway.send(path, { headers });
    expect(text).not.toBe('of the service');
    expect(service.requests).toHaveLength(0);
  });

  test('gets no WebSocket of one either', async () => {
    const handshake = ['Upgrade: websocket', 'Connection: Upgrade', 'Sec-WebSocket-Version: 13'];
    const key = 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==';
    const start = 'GET /api/rest/x HTTP/1.1';
    const head = headOf(start, 'Host: a', `Authorization: ${headers.authorization}`, key, ...handshake);
    expect(await sendBytes(gateway.port, head)).toMatch(/^HTTP\/1.1 404 /);
    expect(service.requests).toHaveLength(0);
  });

  test('has everything else below its path', async () => {
    for (const path of ['/api/x', '/api/restful', '/hasura', '/hasura/healthzy', '/.well-known/jwks.json'])
      expect((await gateway.send(path, { headers })).text).toBe('of the service');
    service.requests.length = 0;
  });
});
