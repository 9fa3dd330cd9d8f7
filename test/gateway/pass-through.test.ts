import { request } from 'node:http';
import { connect } from 'node:net';
import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import { bearer, freePort, type Handler, keeper, openPlatform, serve, until } from './harness/index.ts';

const CSV = 'id,item\r\n1,"bolt; long"\r\n';
let answering: Handler = () => {};
const { keep, close } = keeper();
afterAll(close);
const files = await keep(serve((received, response, incoming) => answering(received, response, incoming)));
const archive = await keep(serve((_, response) => response.end('archive')));
const closedPort = await freePort();
const platform = await keep(
  openPlatform({
    environment: { FILES: files.url, ARCHIVE: archive.url },
    metadata: {
      'services.yaml': [
        { name: 'files', path: '/api/files', url: '{{FILES}}/stored/', timeout_seconds: 2 },
        { name: 'archive', path: '/api/files/archive', url: '{{ARCHIVE}}' },
        { name: 'managed', path: '/managed', url: '{{FILES}}', permissions: [{ role: 'manager' }] },
        { name: 'down', path: '/down', url: `http://127.0.0.1:${closedPort}` },
      ],
    },
  }),
);
const { gateway, issuer } = platform;
const headers = bearer(issuer.token());
beforeEach(() => {
  files.requests.length = 0;
  archive.requests.length = 0;
  answering = (_, response) => response.writeHead(200, { 'content-type': 'text/csv' }).end(CSV);
});

describe('a plain HTTP service', () => {
  test('is reached under its path, with the query string as I sent it', async () => {
    for (const [path, url] of [
      ['/api/files/a.csv', '/stored/a.csv'],
      ['/api/files', '/stored'],
      ['/api/files/', '/stored/'],
      ['/api/files?x=1', '/stored?x=1'],
      ['/api/files/a%20b/%C3%A9?q=%2F&q=a+b&empty=', '/stored/a%20b/%C3%A9?q=%2F&q=a+b&empty='],
    ] as const) {
      expect((await gateway.send(path, { headers })).status).toBe(200);
      expect(files.requests.at(-1)?.url).toBe(url);
    }
  });

  test('is not reached under a path that only begins like its own', async () => {
    expect((await gateway.send('/api/filesystem', { headers })).status).toBe(404);
    expect((await gateway.send('/API/FILES', { headers })).status).toBe(404);
    expect(files.requests).toHaveLength(0);
  });

  test('leaves a longer path to the service that has it', async () => {
    expect((await gateway.send('/api/files/archive/2020', { headers })).text).toBe('archive');
    expect((await gateway.send('/api/files/archives', { headers })).text).toBe(CSV);
    expect(archive.requests.map((received) => received.url)).toEqual(['/2020']);
  });

  test('gives me what it answers: status, headers, bytes', async () => {
    const bytes = Buffer.from([0, 255, 10, 13, 128]);
    answering = (_, response) =>
      response
        .writeHead(206, {
          'content-type': 'application/octet-stream',
          'content-disposition': 'attachment',
          etag: '"1"',
        })
        .end(bytes);
    const fetched = await fetch(`${gateway.url}/api/files/x`, { headers });
    expect([fetched.status, fetched.headers.get('content-disposition'), fetched.headers.get('etag')]).toEqual([
      206,
      'attachment',
      '"1"',
    ]);
    expect(Buffer.from(await fetched.arrayBuffer())).toEqual(bytes);
  });

  test.each(['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])('gets my %s with its body', async (method) => {
    const type = { 'content-type': 'text/plain; charset=latin1' };
    await gateway.send('/api/files/x', { method, headers: { ...headers, ...type }, body: 'the body' });
    expect(files.requests[0]).toMatchObject({ method, text: 'the body', headers: type });
  });

  test('answers HEAD without a body', async () => {
    const { status, text } = await gateway.send('/api/files/x', { method: 'HEAD', headers });
    expect([status, text, files.requests[0]?.method]).toEqual([200, '', 'HEAD']);
  });

  test('keeps its own errors', async () => {
    answering = (_, response) => response.writeHead(418, { 'content-type': 'text/plain' }).end('teapot');
    expect(await gateway.send('/api/files/x', { headers })).toMatchObject({ status: 418, text: 'teapot' });
  });

  test('gets the Accept and the validators of the client', async () => {
    const mine = { accept: 'text/csv', 'accept-encoding': 'gzip', 'if-none-match': '"1"', range: 'bytes=0-1' };
    await gateway.send('/api/files/x', { headers: { ...headers, ...mine } });
    expect(files.requests[0]?.headers).toMatchObject(mine);
  });

  test('ends the connection when I want that', async () => {
    const text = await new Promise<string>((resolve) => {
      const socket = connect(gateway.port, '127.0.0.1');
      let received = '';
      socket.on('data', (piece) => {
        received += piece.toString();
      });
      socket.on('close', () => resolve(received));
      socket.write(
        `GET /api/files/x HTTP/1.1\r\nHost: x\r\nAuthorization: ${headers.authorization}\r\nConnection: close\r\n\r\n`,
      );
    });
    expect(text).toContain('bolt');
    expect(text).toMatch(/^connection: close\r$/im);
  });
});

describe('a body', () => {
  test('goes up piece by piece, before I have sent all of it', async () => {
    const streaming = await keep(serve(() => {}));
    let seen = '';
    streaming.server.removeAllListeners('request').on('request', (incoming, response) => {
      incoming.on('data', (piece: Buffer) => {
        seen += piece.toString();
      });
      incoming.on('end', () => response.end(String(seen.length)));
    });
    const upload = await keep(
      openPlatform({
        environment: { STREAM: streaming.url },
        metadata: { 'services.yaml': [{ name: 'upload', path: '/upload', url: '{{STREAM}}' }] },
      }),
    );
    const outgoing = request(`${upload.gateway.url}/upload`, {
      method: 'POST',
      headers: { ...bearer(upload.issuer.token()), 'transfer-encoding': 'chunked' },
    });
    const answered = new Promise<string>((resolve, reject) => {
      outgoing.on('error', reject);
      outgoing.on('response', (response) => response.setEncoding('utf8').once('data', resolve));
    });
    outgoing.write('first');
    await until('the first piece has come', () => seen === 'first');
    outgoing.write('second');
    await until('the second piece has come', () => seen === 'firstsecond');
    // More than a JSON body may have: the limit is not for what only passes through.
    outgoing.end('x'.repeat(2_000_000));
    expect(await answered).toBe('2000011');
  });

  test('comes down piece by piece', async () => {
    let finish = () => {};
    answering = (_, response) => {
      response.write('first');
      finish = () => void response.end('second');
    };
    const fetched = await fetch(`${gateway.url}/api/files/x`, { headers });
    const reader = fetched.body?.getReader();
    expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe('first');
    finish();
    expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe('second');
  });

  test('that breaks off reaches me as broken off', async () => {
    answering = (_, response) => {
      response.writeHead(200, { 'content-length': '100' }).write('only this');
      setImmediate(() => response.destroy());
    };
    await expect(gateway.send('/api/files/x', { headers })).rejects.toThrow(/aborted|ECONNRESET|hang up/);
  });

  test('is given up by the service’s side when I leave', async () => {
    const gone = new Promise<void>((resolve) => {
      answering = (_, response) => {
        response.once('close', resolve);
        response.write('first');
      };
    });
    const leaving = new AbortController();
    const fetched = await fetch(`${gateway.url}/api/files/x`, { headers, signal: leaving.signal });
    leaving.abort();
    await expect(fetched.text()).rejects.toThrow();
    await gone;
  });
});

describe('a service that cannot answer', () => {
  test('is a 502 that names it and no address when it is down', async () => {
    const { status, headers: sent, body, text } = await gateway.send('/down/x', { headers });
    expect([status, sent['content-type'], body]).toEqual([
      502,
      'application/json; charset=utf-8',
      { path: '$', error: 'the service "down" cannot be reached', code: 'unexpected' },
    ]);
    expect(text).not.toContain(String(closedPort));
    const line = gateway
      .logs()
      .split('\n')
      .findLast((one) => one.includes('upstream.call_failed'));
    expect(JSON.parse(line ?? '')).toMatchObject({ service: 'gateway', source: 'down' });
    // A reader of logs may refuse an object with two members of one name.
    expect(line?.match(/"service":/g)).toHaveLength(1);
  });

  test('is a 502 when the service closes the connection', async () => {
    answering = (_, response) => response.destroy();
    expect((await gateway.send('/api/files/x', { headers })).status).toBe(502);
  });

  test('is given up after its timeout', async () => {
    answering = () => {};
    const { status, body } = await gateway.send('/api/files/x', { headers });
    expect([status, body]).toMatchObject([504, { path: '$', code: 'unexpected' }]);
  });
});

describe('a path that leads elsewhere', () => {
  test.each([
    '/api/files/../admin',
    '/api/files/..',
    '/api/files/./x',
    '/api/files/a/../../admin',
    '/api/files/%2e%2e/admin',
    '/api/files/%2E%2E/admin',
    '/api/files/.%2e/admin',
    '/api/files/..%2fadmin',
    '/api/files/..%2Fadmin',
    '/api/files/a%2f..%2f..%2fadmin',
    '/api/files/..\\admin',
    '/api/files/..%5cadmin',
    '/api/files/..;/admin',
    '/api/files/..;x=1/admin',
    '/api/files/..%3b/admin',
    '/api/files/..%3Bx=1/admin',
    '/api/files/..%253b/admin',
    '/api/files/..%23a',
    '/api/files/..%3fa',
    '/api/files/..%3Fa',
    '/api/files/..%20/admin',
    '/api/files/%20../admin',
    '/api/files/..%c2%a0/admin',
    '/api/files/%2e%2e%3b/admin',
    '/api/files/.%3f/admin',
    '/api/files/a%2f..%23',
  ])('is refused: %s', async (path) => {
    const { status, body } = await gateway.send(path, { headers });
    expect([status, body]).toEqual([400, { path: '$', error: 'the path contains a dot segment', code: 'bad-request' }]);
    expect(files.requests).toHaveLength(0);
  });

  test.each(['/api/files/..', '/api/files/%2e%2e/x'])('is a 401 before that without a token: %s', async (path) => {
    expect((await gateway.send(path)).status).toBe(401);
  });

  test.each([
    '/api/files/.hidden',
    '/api/files/a..b',
    '/api/files/...',
    '/api/files/a..%3b',
    '/api/files/a%20b',
    '/api/files/x?a=../..%3b',
  ])('is not meant by dots of other kinds: %s', async (path) => {
    expect((await gateway.send(path, { headers })).status).toBe(200);
  });

  test('cannot lead to the gateway’s own addresses', async () => {
    for (const path of ['/api/files/../../v1/graphql', '/managed/../healthz'])
      expect((await gateway.send(path, { headers })).status).toBe(path.startsWith('/managed') ? 403 : 400);
  });
});

describe('a service with permissions', () => {
  test('is there for the roles that it names and for the admin', async () => {
    for (const role of ['manager', 'admin']) {
      const token = issuer.token({ role, roles: [role] });
      expect((await gateway.send('/managed/x', { headers: bearer(token) })).status).toBe(200);
    }
    expect((await gateway.send('/managed/x', { headers: { ...headers, 'x-hasura-role': 'manager' } })).status).toBe(
      200,
    );
  });

  test('answers 403 to others', async () => {
    const { status, headers: sent, body } = await gateway.send('/managed/x', { headers });
    expect([status, body]).toMatchObject([403, { code: 'access-denied' }]);
    expect(sent['www-authenticate']).toBe('Bearer realm="portico", error="insufficient_scope"');
    expect(files.requests).toHaveLength(0);
  });
});
