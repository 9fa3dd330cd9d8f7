import { createServer, type Socket } from 'node:net';
import { afterAll, describe, expect, test } from '@jest/globals';
import { publicLocation } from '../../../../gateway/transports/rest/pass-through/public-location.ts';
import { type Answer, bearer, headOf, keeper, openPlatform, sendBytes } from '../../harness/index.ts';

const { keep, close } = keeper();
afterAll(close);

/** Answers each request with the bytes that a test wants. */
let answering = '';
const sockets = new Set<Socket>();
const server = createServer((socket) => {
  sockets.add(socket);
  socket.on('error', () => {});
  socket.on('data', () => socket.write(Buffer.from(answering, 'latin1')));
});
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
await keep({
  close: () => {
    for (const socket of sockets) socket.destroy();
    server.close();
  },
});
const { port } = server.address() as { port: number };
const origin = `http://127.0.0.1:${port}`;
const { gateway, issuer } = await keep(
  openPlatform({
    metadata: {
      'services.yaml': [
        { name: 'raw', path: '/raw', url: `${origin}/base`, timeout_seconds: 2 },
        { name: 'trusted', path: '/trusted', url: origin, forward_client_headers: true },
      ],
    },
    environment: { HASURA_GRAPHQL_CORS_DOMAIN: 'https://app.test' },
  }),
);
const headers = bearer(issuer.token());

const handshake = headOf(
  'GET /raw/x HTTP/1.1',
  'Host: portico.test',
  `Authorization: ${headers.authorization}`,
  'Connection: Upgrade',
  'Upgrade: websocket',
  'Sec-WebSocket-Version: 13',
  'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
);

function get(lines: readonly string[], path = '/raw/x', more: Record<string, string> = {}): Promise<Answer> {
  answering = `HTTP/1.1 ${lines.join('\r\n')}\r\ncontent-length: 2\r\n\r\nok`;
  return gateway.send(path, { headers: { ...headers, ...more } });
}

describe('a header of a service’s answer', () => {
  test.each([
    'Server: apache/1.3',
    'X-Powered-By: PHP/4',
    'Via: 1.1 inner',
    'Proxy-Authenticate: Basic',
    'WWW-Authenticate: Basic realm="inner"',
    'Strict-Transport-Security: max-age=1',
    'Alt-Svc: h3=":443"',
    'Clear-Site-Data: "*"',
    'Service-Worker-Allowed: /',
    'X-Accel-Redirect: /internal/file',
    'X-Sendfile: /etc/passwd',
    'X-Hasura-Role: admin',
    'X_Hasura_User_Id: 7',
    'X-Portico-Assertion: a.b.c',
    'Access-Control-Allow-Credentials: true',
    'Access-Control-Allow-Methods: *',
    'Timing-Allow-Origin: *',
    'Upgrade: h2c',
    'Trailer: x',
    'Sec-WebSocket-Accept: x',
  ])('does not reach me: %s', async (line) => {
    const answer = await get(['200 OK', line]);
    expect([answer.status, answer.text]).toEqual([200, 'ok']);
    expect(answer.headers).not.toHaveProperty(line.slice(0, line.indexOf(':')).toLowerCase());
  });

  test.each([
    'ETag: "1"',
    'Cache-Control: max-age=60',
    'Content-Security-Policy: default-src',
    'Content-Language: de',
    'Retry-After: 7',
    'X-Accel-Buffering: no',
    'X-Own: caf\u00c3\u00a9',
    'Date: Mon, 01 Jan 2024 00:00:00 GMT',
    'ListNode: <https://elsewhere.test/>; rel="next"',
  ])('reaches me as it is: %s', async (line) => {
    const [name = '', value] = line.split(/: (.*)/);
    expect((await get(['200 OK', line])).headers[name.toLowerCase()]).toBe(value);
  });

  test('is ours where it is about the request or the origin', async () => {
    const lines = ['200 OK', 'x-request-id: theirs', 'x-content-type-options: sniff', 'Access-Control-Allow-Origin: *'];
    const answer = await get(lines, '/raw/x', { 'x-request-id': 'mine', origin: 'https://app.test' });
    expect(answer.headers).toMatchObject({
      'x-request-id': 'mine',
      'x-content-type-options': 'nosniff',
      'access-control-allow-origin': 'https://app.test',
    });
    expect((await get(lines)).headers).not.toHaveProperty('access-control-allow-origin');
  });

  test('is dropped where Connection names it', async () => {
    const { headers: sent } = await get([
      '200 OK',
      'Connection: keep-alive, X-Hop',
      'X-Hop: 1',
      'Keep-Alive: timeout=1',
    ]);
    expect(sent).not.toHaveProperty('x-hop');
    expect(sent['keep-alive']).not.toBe('timeout=1');
  });

  test('keeps the callers apart in caches', async () => {
    const { vary } = (await get(['200 OK', 'Cache-Control: public', 'Vary: Accept'])).headers;
    expect(vary).toBe('Accept, authorization, cookie, x-hasura-role');
    const both = await get(['200 OK', 'Vary: Accept'], '/raw/x', { origin: 'https://app.test' });
    expect(both.headers.vary).toBe('Origin, Accept, authorization, cookie, x-hasura-role');
  });

  test('may ask for the credentials that the service gets', async () => {
    const { headers: sent } = await get(['401 Unauthorized', 'WWW-Authenticate: Basic realm="own"'], '/trusted/x');
    expect(sent['www-authenticate']).toBe('Basic realm="own"');
  });

  test('keeps each of several cookies', async () => {
    const { headers: sent } = await get(['200 OK', 'Set-Cookie: a=1; Path=/raw', 'Set-Cookie: b=2']);
    expect(sent['set-cookie']).toEqual(['a=1; Path=/raw', 'b=2']);
  });
});

describe('an address in an answer', () => {
  const service = { origin: 'http://10.0.0.7:4010', base: '/orders', path: '/api/orders' };
  test.each<[string, string | undefined]>([
    ['http://10.0.0.7:4010/orders/7?x=1#y', '/api/orders/7?x=1#y'],
    ['http://portico.test/orders/7', '/api/orders/7'],
    ['//10.0.0.7:4010/orders/7', '/api/orders/7'],
    ['/orders/7', '/api/orders/7'],
    ['/orders', '/api/orders'],
    ['/api/orders/7', '/api/orders/7'],
    ['http://portico.test/api/orders/7', '/api/orders/7'],
    ['/admin', undefined],
    ['/orders/../admin', undefined],
    ['http://10.0.0.7:4010/ordersx', undefined],
    ['http://10.0.0.7:4010', undefined],
    ['http://[', undefined],
    ['https://elsewhere.test/x', 'https://elsewhere.test/x'],
    ['//elsewhere.test/x', '//elsewhere.test/x'],
    ['7', '7'],
    ['?page=2', '?page=2'],
    ['mailto:me@elsewhere.test', 'mailto:me@elsewhere.test'],
  ])('is one that a client can use: %s', (location, shown) => {
    expect(publicLocation(location, service, 'portico.test')).toBe(shown);
  });

  test('reaches me so, and never says where the service is', async () => {
    const { status, headers: sent } = await get([
      '302 Found',
      `Location: ${origin}/base/y`,
      `Content-Location: ${origin}/z`,
    ]);
    expect([status, sent.location, sent['content-location']]).toEqual([302, '/raw/y', undefined]);
  });
});

describe('an answer', () => {
  const answers = async (bytes: string, method = 'GET') => {
    answering = bytes;
    return gateway.send('/raw/x', { headers, method });
  };

  test('comes after early hints, which stay behind', async () => {
    const hints = 'HTTP/1.1 103 Early Hints\r\nlink: </a>; rel=preload\r\n\r\nHTTP/1.1 102 Processing\r\n\r\n';
    const answer = await answers(`${hints}HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok`);
    expect([answer.status, answer.text, answer.headers.link]).toEqual([200, 'ok', undefined]);
  });

  const interim = 'HTTP/1.1 102 Processing\r\n\r\n';

  test('comes after as many informational responses as are accepted', async () => {
    const answer = await answers(`${interim.repeat(100)}HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok`);
    expect([answer.status, answer.text]).toEqual([200, 'ok']);
  });

  test.each([
    ['after informational responses that would not end', interim.repeat(101)],
    ['with two lengths', 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\ncontent-length: 3\r\n\r\nok'],
    [
      'with a length and chunks',
      'HTTP/1.1 200 OK\r\ncontent-length: 2\r\ntransfer-encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n',
    ],
    ['that is no HTTP', 'SSH-2.0-OpenSSH_9\r\n'],
    [
      'that switches protocols without having been asked',
      'HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n',
    ],
    ['that wants a proxy’s credentials', 'HTTP/1.1 407 Proxy Authentication Required\r\ncontent-length: 0\r\n\r\n'],
    ['with a status that there is not', 'HTTP/1.1 999 Unheard\r\ncontent-length: 0\r\n\r\n'],
    ['with a control character', 'HTTP/1.1 200 OK\r\nx-a: \u0001\r\ncontent-length: 0\r\n\r\n'],
    [
      'with a transfer coding that is not decoded',
      'HTTP/1.1 200 OK\r\ntransfer-encoding: gzip, chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n',
    ],
    ['with a header line that is none', 'HTTP/1.1 200 OK\r\nx y: z\r\ncontent-length: 0\r\n\r\n'],
  ])('%s is a 502', async (_, bytes) => {
    expect((await answers(bytes)).status).toBe(502);
    answering = bytes;
    expect(await sendBytes(gateway.port, handshake)).toMatch(/^HTTP\/1.1 502 /);
    // And what is left of it reaches no other request.
    expect((await get(['200 OK'])).text).toBe('ok');
  });

  test('with more bytes than its Content-Length is cut, and no other response gets the rest', async () => {
    const smuggled = 'HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nother';
    for (let i = 0; i < 5; i++) {
      expect((await answers(`HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok${smuggled}`)).text).toBe('ok');
      expect((await get(['200 OK'])).text).toBe('ok');
    }
  });

  test.each(['204 No Content', '304 Not Modified'])('without a body has none: %s', async (status) => {
    const answer = await answers(`HTTP/1.1 ${status}\r\ncontent-length: 5\r\n\r\nother`);
    expect([answer.status, answer.text]).toEqual([Number(status.slice(0, 3)), '']);
    answering = `HTTP/1.1 ${status}\r\ncontent-length: 5\r\n\r\n`;
    expect(await sendBytes(gateway.port, handshake)).toMatch(new RegExp(`^HTTP/1.1 ${status}\r\n`));
    expect((await get(['200 OK'])).text).toBe('ok');
  });

  test('with trailers comes without them', async () => {
    const answer = await answers(
      'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\ntrailer: x-later\r\n\r\n2\r\nok\r\n0\r\nx-later: 1\r\n\r\n',
    );
    expect([answer.text, answer.headers.trailer]).toEqual(['ok', undefined]);
  });
});
