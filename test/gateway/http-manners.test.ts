import { connect } from 'node:net';
import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import { bearer, keeper, openPlatform } from './harness/index.ts';

const { keep, close } = keeper();
afterAll(close);
const platform = await keep(openPlatform());
const { gateway, issuer, orders } = platform;
const token = issuer.token();
beforeEach(() => platform.forget());

const PATHS = ['/v1/graphql', '/api/rest/orders', '/files/x', '/healthz', '/readyz', '/nowhere'];
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Sends bytes as they are and returns all that comes back until the connection ends. */
function sendBytes(text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(gateway.port, '127.0.0.1', () => socket.write(text));
    let received = '';
    socket.setEncoding('utf8').on('data', (piece) => {
      received += piece;
    });
    socket.on('close', () => resolve(received));
    socket.on('error', reject);
  });
}

describe('the request id', () => {
  test.each(PATHS)('of %s is mine when I send one', async (path) => {
    const { headers } = await gateway.send(path, { headers: { ...bearer(token), 'x-request-id': 'a.b:c_d-1' } });
    expect(headers['x-request-id']).toBe('a.b:c_d-1');
    expect(gateway.logs()).toContain('"request_id":"a.b:c_d-1"');
  });

  test.each([
    ['nothing', {}],
    ['an empty text', { 'x-request-id': '' }],
    ['a text that is too long', { 'x-request-id': 'a'.repeat(129) }],
    ['a space', { 'x-request-id': 'a b' }],
    ['quotes', { 'x-request-id': '"},{"level":"fatal' }],
    ['letters that are not ASCII', { 'x-request-id': 'ä' }],
    ['two of them', { 'x-request-id': ['a', 'b'] }],
  ])('is a new one when I send %s', async (_, headers) => {
    const answer = await gateway.send('/healthz', { headers });
    expect(answer.headers['x-request-id']).toMatch(UUID);
  });

  test.each(['www-authenticate', 'allow', 'content-type', 'no-store'])(
    'may be the name of a header: %s',
    async (id) => {
      const headers = { 'x-request-id': id };
      const unknown = await gateway.graphql('{ orders { id } }', { headers });
      expect([unknown.status, unknown.headers['www-authenticate']]).toEqual([401, 'Bearer realm="portico"']);
      const wrong = await gateway.send('/v1/graphql', { method: 'PUT', headers });
      expect([wrong.status, wrong.headers.allow, wrong.headers['x-request-id']]).toEqual([405, 'GET, POST', id]);
    },
  );

  test('goes to the services', async () => {
    await gateway.graphql('{ orders { id } }', { token, headers: { 'x-request-id': 'trace-me' } });
    expect(orders.operations()[0]?.headers['x-request-id']).toBe('trace-me');
  });
});

describe('every answer', () => {
  test.each(PATHS)('of %s says that its type is no guess, and not what it is made with', async (path) => {
    const { headers } = await gateway.send(path, { headers: bearer(token) });
    expect(headers['x-content-type-options']).toBe('nosniff');
    expect(headers).not.toHaveProperty('x-powered-by');
  });

  test.each(['/v1/graphql?query=%7B__typename%7D', '/api/rest/orders'])('of %s is not for caches', async (path) => {
    expect((await gateway.send(path, { headers: bearer(token) })).headers['cache-control']).toBe('no-store');
    expect((await gateway.send(path)).headers['cache-control']).toBe('no-store');
  });

  test.each(['/nowhere', '/v1', '/v1/graphql/', '/v1/graphql/x', '/V1/graphql', '/api', '/filesystem', '//v1/graphql'])(
    'to an address that does not exist is a 404 in JSON: %s',
    async (path) => {
      for (const method of ['GET', 'POST', 'OPTIONS']) {
        const { status, body } = await gateway.send(path, { method, headers: bearer(token) });
        expect([status, body]).toEqual([404, { path: '$', error: 'resource does not exist', code: 'not-found' }]);
      }
    },
  );

  test.each(['/graphql', '/api/graphql'])(
    'to the address of GraphQL in other servers names its own: %s',
    async (path) => {
      const { status, body } = await gateway.send(path, { method: 'POST', headers: bearer(token) });
      expect([status, body]).toEqual([
        404,
        { path: '$', error: 'resource does not exist: GraphQL is at /v1/graphql', code: 'not-found' },
      ]);
    },
  );

  test.each(['/%', '/%zz', '/healthz/%ff', '/api/rest/%', '/files/%ff', '/%00', '/a\\b', '/v1/%67raphql'])(
    'to an address that is none is no failure and shows no trace: %s',
    async (path) => {
      const text = await sendBytes(
        `GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nConnection: close\r\n\r\n`,
      );
      expect(text).toMatch(/^HTTP\/1\.1 (200|4\d\d) /);
      expect(text).not.toMatch(/<html|at \w+ \(|node_modules/i);
    },
  );

  test('to a whole address is the one to its path, as for clients that take the gateway for a proxy', async () => {
    const ask = (target: string, more = '') =>
      sendBytes(`GET ${target} HTTP/1.1\r\nHost: x\r\n${more}Connection: close\r\n\r\n`);
    expect(await ask('http://elsewhere.test/healthz')).toMatch(/^HTTP\/1\.1 200 /);
    expect(await ask('http://elsewhere.test/v1/graphql?query=%7Borders%7Bid%7D%7D')).toMatch(/^HTTP\/1\.1 401 /);
    expect(await ask('http://elsewhere.test/files/x')).toMatch(/^HTTP\/1\.1 401 /);
    expect(await ask('http://elsewhere.test/files/x', `Authorization: Bearer ${token}\r\n`)).toMatch(
      /^HTTP\/1\.1 (200|404) /,
    );
    expect(await ask('http://elsewhere.test')).toMatch(/^HTTP\/1\.1 200 /);
    expect(await ask('http://elsewhere.test?query=x')).toMatch(/^HTTP\/1\.1 200 /);
  });

  test.each(['ftp://x/healthz', 'file:///healthz', 'x:/healthz', 'http:///healthz', 'healthz'])(
    'to a target that is neither a path nor an address of HTTP is a 400: %s',
    async (target) => {
      expect(await sendBytes(`GET ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)).toMatch(
        /^HTTP\/1\.1 400 /,
      );
    },
  );

  test.each(['', ' HTTP/0.9', ' HTTP/2.0'])('to a message of another version of HTTP is a 505: %p', async (version) => {
    for (const path of ['/healthz', '/v1/graphql?query=%7B__typename%7D', '/files/x']) {
      const answer = await sendBytes(`GET ${path}${version}\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n\r\n`);
      expect(answer).toMatch(/^HTTP\/1\.1 505 [\s\S]*\r\nconnection: close\r\n[\s\S]*"code":"not-supported"/i);
    }
  });

  test('to what is no HTTP is a 400', async () => {
    expect(await sendBytes('HELLO\r\n\r\n')).toMatch(/^HTTP\/1\.1 400 /);
    expect(await sendBytes('GET / HTTP/1.1\r\nA B: c\r\n\r\n')).toMatch(/^HTTP\/1\.1 400 /);
  });
});

describe('health', () => {
  test('is asked without a token', async () => {
    expect(await gateway.send('/healthz')).toMatchObject({ status: 200, text: 'OK' });
    expect(await gateway.send('/hasura/healthz')).toMatchObject({ status: 200, text: 'OK' });
    expect(await gateway.send('/readyz')).toMatchObject({
      status: 200,
      body: { ready: true, token_keys: 'available' },
    });
  });
});

describe('the access log', () => {
  test('has one line for each request, without its query string', async () => {
    await gateway.send('/v1/graphql?query=%7Bsecret_field%7D', { headers: { 'x-request-id': 'logged-1' } });
    const lines = gateway
      .logs()
      .split('\n')
      .filter((line) => line.includes('"logged-1"'));
    expect(lines).toHaveLength(1);
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({
      level: 'info',
      service: 'gateway',
      type: 'http-log',
      method: 'GET',
      path: '/v1/graphql',
      status: 401,
      ip: '127.0.0.1',
      duration_ms: expect.any(Number),
    });
    expect(gateway.logs()).not.toContain('secret_field');
  });
});

describe('a browser of another origin', () => {
  const origin = 'https://shop.test';
  const preflight = {
    origin,
    'access-control-request-method': 'POST',
    'access-control-request-headers': 'authorization, content-type',
  };

  test('is allowed nothing by default', async () => {
    for (const path of PATHS) {
      const { headers } = await gateway.send(path, { headers: { ...bearer(token), origin } });
      expect(Object.keys(headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
      const { status, headers: asked } = await gateway.send(path, { method: 'OPTIONS', headers: preflight });
      expect(Object.keys(asked).filter((name) => name.startsWith('access-control'))).toEqual([]);
      expect(status).not.toBe(204);
    }
  });

  const { keep: keepHere, close: closeHere } = keeper();
  afterAll(closeHere);

  test('is answered when its origin is allowed', async () => {
    const environment = { HASURA_GRAPHQL_CORS_DOMAIN: 'https://shop.test, https://*.example.com' };
    const { gateway: open, issuer: own } = await keepHere(openPlatform({ environment }));
    for (const allowed of [origin, 'https://a.example.com']) {
      const asked = await open.send('/v1/graphql', { method: 'OPTIONS', headers: { ...preflight, origin: allowed } });
      expect([asked.status, asked.text]).toEqual([204, '']);
      expect(asked.headers).toMatchObject({
        'access-control-allow-origin': allowed,
        'access-control-allow-headers': 'authorization, content-type',
        'access-control-allow-methods': expect.stringContaining('POST'),
        vary: expect.stringContaining('Origin'),
      });
      expect(asked.headers).not.toHaveProperty('access-control-allow-credentials');
      const headers = { ...bearer(own.token()), origin: allowed };
      const answer = await open.send('/api/rest/orders', { headers });
      expect([answer.status, answer.headers['access-control-allow-origin']]).toEqual([200, allowed]);
      expect(answer.headers['access-control-expose-headers']).toContain('Retry-After');
      const refused = await open.send('/api/rest/orders', { headers: { origin: allowed } });
      expect([refused.status, refused.headers['access-control-allow-origin']]).toEqual([401, allowed]);
    }
    for (const other of [
      'https://evil.test',
      'http://shop.test',
      'https://shop.test.evil',
      'https://a.b.example.com',
      'null',
    ]) {
      const { headers } = await open.send('/v1/graphql', {
        method: 'OPTIONS',
        headers: { ...preflight, origin: other },
      });
      expect(headers).not.toHaveProperty('access-control-allow-origin');
      expect(headers.vary).toContain('Origin');
    }
  });
});
