import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import { headOf, keeper, openPlatform, sendBytes } from './harness/index.ts';

const { keep, close } = keeper();
afterAll(close);
const environment = { PORTICO_TRUSTED_PROXIES: '1' };
const platform = await keep(openPlatform({ environment }));
const { gateway, issuer } = platform;
const token = issuer.token();
beforeEach(() => platform.forget());

const BODY = JSON.stringify({ query: '{ orders { id } }' });
const MINE = `Authorization: Bearer ${token}`;
const REQUESTS: [string, string, readonly string[], string][] = [
  ['GraphQL', 'POST /v1/graphql HTTP/1.1', [`Content-Length: ${BODY.length}`], BODY],
  ['the old address of GraphQL', 'POST /v1alpha1/graphql HTTP/1.1', [`Content-Length: ${BODY.length}`], BODY],
  ['REST endpoints', 'GET /api/rest/orders HTTP/1.1', [], ''],
  ['the OpenAPI document', 'GET /api/swagger/json HTTP/1.1', [], ''],
  ['the metadata API', 'POST /v1/metadata HTTP/1.1', [`Content-Length: ${BODY.length}`], BODY],
  ['pass-through', 'GET /files/x HTTP/1.1', [], ''],
  ...['/v1/graphql', '/files/x'].map((path): [string, string, readonly string[], string] => [
    `a WebSocket of ${path}`,
    `GET ${path} HTTP/1.1`,
    [
      'Connection: Upgrade',
      'Upgrade: websocket',
      'Sec-WebSocket-Version: 13',
      `Sec-WebSocket-Key: ${'a'.repeat(22)}==`,
    ],
    '',
  ]),
];

describe.each(REQUESTS)('%s', (_, start, lines, body) => {
  const ask = (...headers: readonly string[]) =>
    sendBytes(gateway.port, headOf(start, 'Host: x', 'X-Forwarded-For: 192.0.2.1', ...lines, ...headers) + body);

  test.each([
    [
      'two credentials',
      'Authorization',
      [MINE, `authorization: Bearer ${issuer.token({ payload: { sub: '8' }, hasura: { 'x-hasura-user-id': '8' } })}`],
    ],
    ['credentials behind empty ones', 'Authorization', ['Authorization:', MINE]],
    ['two content types', 'Content-Type', [MINE, 'Content-Type: application/json', 'Content-Type: text/plain']],
    ['two roles', 'x-hasura-*', [MINE, 'X-Hasura-Role: user', 'x-hasura-role: admin']],
    ['two admin secrets', 'x-hasura-*', ['x-hasura-admin-secret: a', 'X-Hasura-Admin-Secret: b']],
  ])('is refused with %s', async (_name, header, headers) => {
    const answer = await ask(...headers);
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(answer).toMatch(/\r\nconnection: close\r\n/i);
    expect(answer).toContain(`the header ${header} is sent more than once`);
    expect(answer).toContain('"code":"bad-request"');
    expect(answer.includes('"errors":[')).toBe(start.includes('/v1/graphql') && body !== '');
    expect(platform.asked()).toBe(0);
  });

  /** As many as make that number with the others of the request, and the last one of a proxy. */
  const fill = (count: number) => {
    const others = 2 + lines.length + 2;
    return [MINE, ...Array.from({ length: count - others }, () => 'a:'), 'X-Forwarded-For: 192.0.2.7'];
  };

  test('is accepted with 1,000 headers', async () => {
    const bytes = headOf(start, 'Host: x', 'X-Forwarded-For: 192.0.2.1', ...lines, ...fill(1_000)) + body;
    const answer = await sendBytes(gateway.port, bytes, (text) => text.includes('\r\n\r\n'));
    expect(answer).toMatch(/^HTTP\/1\.1 \d/);
    expect(answer).not.toMatch(/^HTTP\/1\.1 431 /);
  });

  test.each([1_001, 1_100, 2_000])('is refused with %d headers', async (count) => {
    const answer = await ask(...fill(count));
    expect(answer).toMatch(/^HTTP\/1\.1 431 /);
    expect(answer).toContain('"code":"headers-too-large"');
    expect(platform.asked()).toBe(0);
  });

  test('is refused with more headers than are read, which would hide those of a proxy', async () => {
    expect(await ask(...fill(2_500))).toMatch(/^HTTP\/1\.1 431 /);
    expect(platform.asked()).toBe(0);
  });
});

test('the same credentials twice are one', async () => {
  const lines = ['Host: x', 'Connection: close', MINE, MINE];
  expect(await sendBytes(gateway.port, headOf('GET /api/rest/orders HTTP/1.1', ...lines))).toMatch(/^HTTP\/1\.1 200 /);
});
