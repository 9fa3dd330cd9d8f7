import { request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import { WebSocket, WebSocketServer } from 'ws';
import { readExposition } from '../prometheus.ts';
import {
  type Answer,
  bearer,
  freePort,
  hostileTokens,
  keeper,
  openPlatform,
  send,
  serve,
  until,
} from './harness/index.ts';

const { keep, close } = keeper();
afterAll(close);

/** A service that sends back what it is sent, and first the headers that it was asked with. */
const echo = await keep(serve((_, response) => response.end('no socket')));
const sockets = new WebSocketServer({ noServer: true });
const upstreamSockets = new Set<Socket>();
const handshakes: string[] = [];
let refusing = false;
/** A service that has not answered a handshake yet. */
let isSilent = false;
const unanswered: (() => void)[] = [];
echo.server.on('upgrade', (incoming, socket, head) => {
  handshakes.push(incoming.url ?? '');
  upstreamSockets.add(socket as Socket);
  socket.once('close', () => upstreamSockets.delete(socket as Socket));
  if (refusing)
    return void socket.end('HTTP/1.1 403 Forbidden\r\nTransfer-Encoding: chunked\r\n\r\n6\r\nnot so\r\n0\r\n\r\n');
  const answer = () =>
    sockets.handleUpgrade(incoming, socket, head, (opened) => {
      opened.send(JSON.stringify(incoming.headers));
      opened.on('message', (data, isBinary) => opened.send(data, { binary: isBinary }));
    });
  if (isSilent) unanswered.push(answer);
  else answer();
  // Node closes no connection that it has let go of.
  socket.once('end', () => socket.destroy());
  if (isSilent) socket.resume();
});
const metricsPort = await freePort();
const options = {
  environment: { ECHO: echo.url },
  metadata: {
    'services.yaml': [
      { name: 'echo', path: '/echo', url: '{{ECHO}}/sockets' },
      { name: 'managed', path: '/managed', url: '{{ECHO}}', permissions: [{ role: 'manager' }] },
      { name: 'down', path: '/down', url: 'http://127.0.0.1:1' },
    ],
  },
};
const { gateway, issuer } = await keep(
  openPlatform({ ...options, environment: { ...options.environment, PORTICO_METRICS_PORT: String(metricsPort) } }),
);
beforeEach(() => {
  handshakes.length = 0;
  refusing = false;
  isSilent = false;
  unanswered.length = 0;
});

interface OpenSocket {
  socket: WebSocket;
  /** The next message. */
  next(): Promise<string>;
}

function openSocket(url: string, headers: Record<string, string> = {}, protocols: string[] = []): Promise<OpenSocket> {
  const socket = new WebSocket(url.replace('http:', 'ws:'), protocols, { headers });
  const messages: string[] = [];
  socket.on('message', (data) => messages.push(String(data)));
  return new Promise((resolve, reject) => {
    socket.on('error', reject);
    socket.on('open', () =>
      resolve({ socket, next: () => until('a message', () => messages.shift()) as Promise<string> }),
    );
  });
}

/** Asks for a WebSocket and returns the plain HTTP answer that refuses it. */
function refusal(
  path: string,
  headers: Record<string, string> = {},
): Promise<Pick<Answer, 'status' | 'headers' | 'text'>> {
  return new Promise((resolve, reject) => {
    const handshake = {
      connection: 'Upgrade',
      upgrade: 'websocket',
      'sec-websocket-version': '13',
      'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
    };
    const outgoing = request({
      host: '127.0.0.1',
      port: gateway.port,
      path,
      headers: { ...handshake, ...headers },
      agent: false,
    });
    outgoing.on('error', reject);
    outgoing.on('upgrade', () => reject(new Error('it was not refused')));
    outgoing.on('response', (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (piece) => {
        text += piece;
      });
      response.on('error', reject);
      response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }));
    });
    outgoing.end();
  });
}

/** How many handshakes have been counted, by route and status. */
async function countedHandshakes(): Promise<Map<string, number>> {
  const metrics = readExposition((await send(`http://127.0.0.1:${metricsPort}/metrics`)).text);
  const labels =
    /^http_server_request_duration_seconds_count\{http_request_method="GET",http_route="([^"]*)",http_response_status_code="(\d+)"\}$/;
  return new Map(
    [...metrics].flatMap(([name, count]) => {
      const [, route, status] = labels.exec(name) ?? [];
      return route === undefined ? [] : [[`${route} ${status}`, count] as const];
    }),
  );
}

describe('an operator sees how many handshakes there were', () => {
  test('by route and status, also those that a service refused', async () => {
    const before = await countedHandshakes();
    const added = async (key: string) => ((await countedHandshakes()).get(key) ?? 0) - (before.get(key) ?? 0);
    const { socket } = await openSocket(`${gateway.url}/echo`, bearer(issuer.token()));
    socket.terminate();
    const graphql = await openSocket(`${gateway.url}/v1/graphql`, {}, ['graphql-transport-ws']);
    graphql.socket.terminate();
    await refusal('/echo');
    await refusal('/nothing/here');
    await refusal('/v1/graphql', { 'sec-websocket-key': 'short' });
    await refusal('/v1/graphql', { 'sec-websocket-protocol': 'graphql-transport-ws,,' });
    refusing = true;
    await refusal('/echo', bearer(issuer.token()));
    expect([await added('/echo 101'), await added('/v1/graphql 101')]).toEqual([1, 1]);
    expect([await added('/echo 401'), await added('/echo 403')]).toEqual([1, 1]);
    expect([await added('/v1/graphql 400'), await added('other 404')]).toEqual([2, 1]);
  });
});

describe('a WebSocket through the gateway', () => {
  test('carries texts and bytes both ways, and is asked for under the path of its service', async () => {
    const { socket, next } = await openSocket(`${gateway.url}/echo/room?x=1`, bearer(issuer.token()));
    await next();
    expect(handshakes).toEqual(['/sockets/room?x=1']);
    for (const message of ['hello', 'Zoë 🚪', 'x'.repeat(100_000)]) {
      socket.send(message);
      expect(await next()).toBe(message);
    }
    const closed = new Promise((resolve) => socket.once('close', resolve));
    socket.close(1000);
    expect(await closed).toBe(1000);
    await until('the service sees it end', () => upstreamSockets.size === 0);
  });

  test('gives the service my claims and not my token, whatever I claim myself', async () => {
    const { socket, next } = await openSocket(`${gateway.url}/echo`, {
      ...bearer(issuer.token()),
      'x-hasura-tenant-id': '2',
      'X-Hasura-Is-Admin': 'true',
      'x-hasura-role': 'manager',
      'x-request-id': 'socket-1',
      cookie: 'a=1',
    });
    const headers = JSON.parse(await next());
    expect(headers).toMatchObject({
      'x-hasura-role': 'manager',
      'x-hasura-user-id': '7',
      'x-hasura-tenant-id': '1',
      'x-request-id': 'socket-1',
      'x-forwarded-for': '127.0.0.1',
    });
    for (const name of ['authorization', 'cookie', 'x-hasura-is-admin']) expect(headers).not.toHaveProperty(name);
    socket.terminate();
    await until('the service sees it end', () => upstreamSockets.size === 0);
  });

  test('speaks the protocol that the service chooses', async () => {
    const { socket } = await openSocket(`${gateway.url}/echo`, bearer(issuer.token()), ['chat', 'other']);
    expect(socket.protocol).toBe('chat');
    socket.terminate();
  });
});

describe('a WebSocket is refused', () => {
  const CHALLENGE = 'Bearer realm="portico"';

  test('without a token', async () => {
    const { status, headers, text } = await refusal('/echo');
    expect([status, headers['www-authenticate'], headers['content-type']]).toEqual([
      401,
      CHALLENGE,
      'application/json; charset=utf-8',
    ]);
    expect(JSON.parse(text)).toMatchObject({ code: 'invalid-headers' });
    expect(handshakes).toEqual([]);
  });

  test.each(hostileTokens(issuer).slice(0, 20))('with a token when %s', async (_, token) => {
    const { status, headers } = await refusal('/echo', bearer(token));
    expect([status, headers['www-authenticate']]).toEqual([401, expect.stringContaining('error="invalid_token"')]);
    expect(handshakes).toEqual([]);
  });

  test('for a role that is not permitted', async () => {
    expect((await refusal('/managed', bearer(issuer.token()))).status).toBe(403);
    expect(handshakes).toEqual([]);
  });

  test.each([
    ['/nowhere', 404],
    ['/healthz', 404],
    ['/echo/../admin', 400],
    ['/echo/%2e%2e/admin', 400],
  ])('at %s', async (path, status) => {
    expect((await refusal(path, bearer(issuer.token()))).status).toBe(status);
    expect(handshakes).toEqual([]);
  });

  test('when the service is down, without telling its address', async () => {
    const { status, text } = await refusal('/down', bearer(issuer.token()));
    expect([status, JSON.parse(text)]).toEqual([
      502,
      { path: '$', error: 'the service "down" cannot be reached', code: 'unexpected' },
    ]);
  });

  test('in the service’s own words when it does not want it', async () => {
    refusing = true;
    expect(await refusal('/echo', bearer(issuer.token()))).toMatchObject({ status: 403, text: 'not so' });
  });
});

describe('a client of a service that has not answered its handshake', () => {
  async function ask(path: string): Promise<Socket> {
    const socket = connect(gateway.port, '127.0.0.1');
    await new Promise((resolve) => socket.once('connect', resolve));
    socket.write(
      `GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${issuer.token()}\r\nConnection: Upgrade\r\n` +
        'Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
    );
    return socket;
  }

  beforeEach(() => {
    isSilent = true;
  });

  test.each([
    ['closes its connection', (socket: Socket) => socket.end()],
    ['resets its connection', (socket: Socket) => socket.resetAndDestroy()],
    ['has sent something and closes its connection', (socket: Socket) => socket.end('early')],
  ])('that %s ends the handshake with the service', async (_, leave) => {
    const socket = await ask('/echo');
    await until('the service is asked', () => upstreamSockets.size === 1);
    leave(socket);
    await until('the service sees it end', () => upstreamSockets.size === 0);
  });

  test('that waits gets the answer, and the service what was sent meanwhile', async () => {
    const socket = await ask('/echo');
    let received = '';
    socket.setEncoding('latin1').on('data', (text) => {
      received += text;
    });
    await until('the service is asked', () => unanswered.length === 1);
    // A masked text frame of two characters; its mask is zero.
    socket.write(Buffer.from([0x81, 0x82, 0, 0, 0, 0, 0x68, 0x69]));
    await until('it has reached the gateway', async () => (await gateway.send('/healthz')).status === 200);
    for (const answer of unanswered) answer();
    await until('the echo', () => received.endsWith('\x81\x02hi'));
    expect(received).toMatch(/^HTTP\/1\.1 101 /);
    socket.destroy();
    await until('the service sees it end', () => upstreamSockets.size === 0);
  });
});

describe('a connection that breaks', () => {
  test('while it is being refused does no harm to the gateway', async () => {
    for (let i = 0; i < 20; i++) {
      const socket = connect(gateway.port, '127.0.0.1');
      await new Promise((resolve) => socket.once('connect', resolve));
      const token = i % 2 ? `Authorization: Bearer ${issuer.token({ header: { kid: `k${i}` } })}\r\n` : '';
      socket.write(`GET /echo HTTP/1.1\r\nHost: x\r\n${token}Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n`);
      socket.resetAndDestroy();
    }
    expect((await gateway.send('/healthz')).status).toBe(200);
  });

  test('on the service’s side ends mine, and sends me no HTTP in between', async () => {
    const { socket, next } = await openSocket(`${gateway.url}/echo`, bearer(issuer.token()));
    await next();
    const ended = new Promise((resolve) => {
      socket.once('error', (error) => resolve(error.message));
      socket.once('close', resolve);
    });
    for (const upstream of upstreamSockets) upstream.resetAndDestroy();
    expect(await ended).toBe(1006);
  });

  test('on my side ends the service’s', async () => {
    const { socket, next } = await openSocket(`${gateway.url}/echo`, bearer(issuer.token()));
    await next();
    (socket as unknown as { _socket: Socket })._socket.resetAndDestroy();
    await until('the service sees it end', () => upstreamSockets.size === 0);
  });
});

test('an open WebSocket does not keep the gateway from stopping', async () => {
  const stopping = await openPlatform(options);
  const { socket, next } = await openSocket(`${stopping.gateway.url}/echo`, bearer(stopping.issuer.token()));
  await next();
  const ended = new Promise((resolve) => socket.once('close', resolve));
  socket.on('error', () => {});
  await stopping.close();
  expect(await ended).toBe(1006);
  await until('the service sees it end', () => upstreamSockets.size === 0);
});
