import { afterAll, describe, expect, test } from '@jest/globals';
import { bearer, keeper, openPlatform, sendBytes, until } from '../harness/index.ts';
import { openCanary } from './canary.ts';

const { keep, close } = keeper();
afterAll(close);
const canary = await keep(openCanary());
const { gateway, issuer } = await keep(
  openPlatform({
    environment: { CANARY: canary.url },
    metadata: { 'services.yaml': [{ name: 'canary', path: '/canary', url: '{{CANARY}}/base', timeout_seconds: 5 }] },
  }),
);
const token = issuer.token();
const HANDSHAKE = {
  Connection: 'Upgrade',
  Upgrade: 'websocket',
  'Sec-WebSocket-Version': '13',
  'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==',
};

interface Sent {
  method?: string;
  version?: string;
  headers?: Record<string, string | undefined>;
  /** Sent right behind the head. */
  rest?: string;
}

function head(path: string, { method = 'GET', version = '1.1', headers = {}, rest = '' }: Sent = {}): string {
  const all = { Host: 'portico.test', Authorization: `Bearer ${token}`, ...headers };
  const lines = Object.entries(all).flatMap(([name, value]) => (value === undefined ? [] : [`${name}: ${value}`]));
  return `${method} ${path} HTTP/${version}\r\n${lines.join('\r\n')}\r\n\r\n${rest}`;
}

const exchange = (bytes: string, isEnough?: (text: string) => boolean) => sendBytes(gateway.port, bytes, isEnough);

const smuggled = 'GET /base/smuggled HTTP/1.1\r\nHost: x\r\nx-hasura-tenant-id: 2\r\n\r\n';

describe('a request for a WebSocket reaches no service', () => {
  test.each<[what: string, status: number, sent: Sent]>([
    ['with a length', 400, { headers: { 'Content-Length': '5' } }],
    ['with a length and as many bytes', 400, { headers: { 'Content-Length': '5' }, rest: 'hello' }],
    ['with the length 0', 400, { headers: { 'Content-Length': '0' } }],
    ['with chunks', 400, { headers: { 'Transfer-Encoding': 'chunked' }, rest: '0\r\n\r\n' }],
    ['with another transfer coding', 501, { headers: { 'Transfer-Encoding': 'gzip, chunked' } }],
    ['by POST', 405, { method: 'POST' }],
    ['by POST with a body', 405, { method: 'POST', headers: { 'Content-Length': '2' }, rest: '{}' }],
    ['over HTTP/1.0', 400, { version: '1.0' }],
    ['of another version', 426, { headers: { 'Sec-WebSocket-Version': '8' } }],
    ['without a version', 426, { headers: { 'Sec-WebSocket-Version': undefined } }],
    ['without a key', 400, { headers: { 'Sec-WebSocket-Key': undefined } }],
    ['with a short key', 400, { headers: { 'Sec-WebSocket-Key': 'c2hvcnQ=' } }],
    ['with two keys', 400, { headers: { 'Sec-WebSocket-Key': `${HANDSHAKE['Sec-WebSocket-Key']}, x` } }],
    ['with a fragment in its target', 400, { headers: {}, method: 'GET' }],
  ])('%s', async (what, status, sent) => {
    const seen = canary.sightings.length;
    const path = what.includes('fragment') ? '/canary/..#' : '/canary/switch';
    for (const at of [path, path.replace('/canary/switch', '/v1/graphql')]) {
      const answer = await exchange(head(at, { ...sent, headers: { ...HANDSHAKE, ...sent.headers } }));
      expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
      expect(answer).toMatch(/^connection: close\r$/im);
      if (status === 426) expect(answer).toMatch(/^sec-websocket-version: 13\r$/im);
    }
    expect(canary.sightings.slice(seen)).toEqual([]);
  });
});

test('a request that follows a refused upgrade is not taken for its body, nor its body for a request', async () => {
  for (let length = 1; length < 600; length += 37) {
    await exchange(head('/canary/refused', { headers: { ...HANDSHAKE, 'Content-Length': String(length) } }));
    const answer = await exchange(
      head('/canary/m1-', {
        method: 'POST',
        headers: { 'Content-Length': String(smuggled.length), Connection: 'close' },
        rest: smuggled,
      }),
    );
    expect(answer).toContain('{"marker":"m1-","tenant":"1"}');
  }
  expect(canary.sightings.filter(({ target }) => target.includes('smuggled'))).toEqual([]);
  expect(canary.garbage).toEqual([]);
});

describe('an upgrade', () => {
  test('that the service refuses leaves no connection that anybody else could use', async () => {
    const before = canary.openConnections;
    const answer = await exchange(head('/canary/refused', { headers: HANDSHAKE }));
    expect(answer).toMatch(/^HTTP\/1.1 404 /);
    const { connection } = canary.sightings.at(-1) ?? {};
    await until('its connection is closed', () => canary.openConnections <= before);
    for (let i = 0; i < 5; i++) await gateway.send('/canary/m2-', { headers: bearer(token) });
    expect(canary.sightings.filter((seen) => seen.connection === connection)).toHaveLength(1);
  });

  test('that the service accepts with the wrong key is refused', async () => {
    const answer = await exchange(head('/canary/wrong-switch', { headers: HANDSHAKE }));
    expect(answer).toMatch(/^HTTP\/1.1 502 /);
  });

  test('that the service accepts takes along what was sent behind it, and nothing before that', async () => {
    const answer = await exchange(head('/canary/switch', { headers: HANDSHAKE, rest: smuggled }), (text) =>
      text.endsWith(smuggled),
    );
    expect(answer).toMatch(/^HTTP\/1.1 101 /);
    expect(canary.sightings.at(-1)?.target).toBe('/base/switch');
  });

  const behindAnother = (upgrade: string) =>
    exchange(
      head('/canary/m3-') + head('/canary/switch', { headers: { ...HANDSHAKE, Upgrade: upgrade, Authorization: '' } }),
    );
  const statuses = (answer: string) => [...answer.matchAll(/HTTP\/1\.1 (\d+) /g)].map(([, status]) => status);

  test('behind an unanswered request ends the connection, and affects no other', async () => {
    const answer = await behindAnother('websocket');
    expect(statuses(answer).length).toBeLessThanOrEqual(1);
    expect(answer).not.toContain('HTTP/1.1 401');
    expect((await gateway.send('/healthz')).status).toBe(200);
  });

  test('to another protocol behind an unanswered request ends the connection, or is a request like any other', async () => {
    // Node emits every upgrade before 24.9; from then on this one is ignored, and the request is answered in its turn.
    const allowed = [[], ['200'], ['200', '401']];
    expect(allowed).toContainEqual(statuses(await behindAnother('h2c')));
    expect((await gateway.send('/healthz')).status).toBe(200);
  });
});

test.each(['DELETE', 'OPTIONS', 'GET', 'PROPFIND'])('the chunks of a %s stay its body', async (method) => {
  const chunks = `${smuggled.length.toString(16)}\r\n${smuggled}\r\n0\r\n\r\n`;
  const answer = await exchange(
    head('/canary/m4-', { method, headers: { 'Transfer-Encoding': 'chunked', Connection: 'close' }, rest: chunks }),
  );
  expect(answer).toContain('{"marker":"m4-","tenant":"1"}');
  expect(canary.sightings.at(-1)).toMatchObject({ method, message: { body: smuggled } });
  expect(canary.sightings.filter(({ target }) => target.includes('smuggled'))).toEqual([]);
});
