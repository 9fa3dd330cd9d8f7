import { Agent, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { afterAll, describe, expect, test } from '@jest/globals';
import { ignoreUpgrade } from '../../../gateway/transports/http/index.ts';
import { listen } from '../../../platform/index.ts';
import { bearer, headOf, keeper, openPlatform, type RequestHeaders, sendBytes, until } from '../harness/index.ts';

const { keep, close } = keeper();
afterAll(close);
const platform = await keep(openPlatform());
const { gateway, issuer, files } = platform;
const agent = new Agent({ keepAlive: true, maxSockets: 1 });
afterAll(() => agent.destroy());

/** What Java's HTTP client sends with its first request to an address. */
const H2C = {
  connection: 'Upgrade, HTTP2-Settings',
  upgrade: 'h2c',
  'http2-settings': 'AAEAAEAAAAIAAAABAAMAAABkAAQBAAAAAAUAAEAA',
};

/** Sends a request over the one connection that the agent keeps open. */
function ask(
  path: string,
  headers: RequestHeaders,
  pieces: readonly string[] = [],
): Promise<[number | undefined, string]> {
  return new Promise((resolve, reject) => {
    const method = pieces.length > 0 ? 'POST' : 'GET';
    const all = { 'content-type': 'application/json', ...bearer(issuer.token()), ...headers };
    const outgoing = request(
      { host: '127.0.0.1', port: gateway.port, path, method, agent, headers: all },
      (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (piece) => {
          text += piece;
        });
        response.on('end', () => resolve([response.statusCode, text]));
      },
    );
    outgoing.on('error', reject);
    outgoing.on('upgrade', () => reject(new Error('it was taken up on it')));
    for (const piece of pieces) outgoing.write(piece);
    outgoing.end();
  });
}

describe('a client that would rather speak another protocol', () => {
  test('is answered in this one', async () => {
    expect(await ask('/healthz', H2C)).toEqual([200, 'OK']);
    expect(await ask('/nowhere', { connection: 'upgrade', upgrade: 'TLS/1.0' })).toMatchObject([
      404,
      expect.any(String),
    ]);
  });

  test('gets its operation run, with a body of any length', async () => {
    const filling = ' '.repeat(300_000);
    const body = `{"query":"{ order(id: 1) { id } }"${filling}}`;
    expect(await ask('/v1/graphql', H2C, [body])).toEqual([200, '{"data":{"order":{"id":"1"}}}']);
    const framed = { ...H2C, 'content-length': String(body.length) };
    expect(await ask('/v1/graphql', framed, [body])).toEqual([200, '{"data":{"order":{"id":"1"}}}']);
    expect(await ask('/v1/graphql', H2C, [body.slice(0, 10), body.slice(10)])).toMatchObject([200, expect.any(String)]);
  });

  test('can go on over the same connection', async () => {
    for (let i = 0; i < 3; i++) expect(await ask('/healthz', i % 2 ? {} : H2C)).toEqual([200, 'OK']);
  });

  test('has its wish kept from the services', async () => {
    expect((await ask('/files/x', H2C))[0]).toBe(200);
    expect(Object.keys(files.requests.at(-1)?.headers ?? {})).not.toEqual(
      expect.arrayContaining([expect.stringMatching(/^(upgrade|http2-settings)$/)]),
    );
  });

  test('is answered and closed when its Connection header lists too many options', async () => {
    const listed = `Connection: upgrade${','.repeat(30_000)}close`;
    const answer = await sendBytes(gateway.port, headOf('GET /healthz HTTP/1.1', 'Host: a', 'Upgrade: h2c', listed));
    expect(answer).toMatch(/^HTTP\/1.1 200 OK\r\n/);
    expect(answer.toLowerCase()).toContain('\r\nconnection: close\r\n');
  });

  test('needs a token all the same', async () => {
    expect((await ask('/files/x', { ...H2C, authorization: 'Bearer x' }))[0]).toBe(401);
  });
});

describe('a handshake for a WebSocket with a body that has not arrived', () => {
  const handshake = [
    'Host: a',
    'Connection: Upgrade',
    'Upgrade: websocket',
    'Sec-WebSocket-Version: 13',
    `Sec-WebSocket-Key: ${'A'.repeat(22)}==`,
  ];

  test.each([
    ['/v1/graphql', 'Content-Length: 5'],
    ['/v1/graphql', 'Transfer-Encoding: chunked'],
    ['/files/x', 'Content-Length: 5'],
    ['/nowhere', 'Content-Length: 5'],
  ])('is refused and closed: %s, %s', async (path, framing) => {
    const answer = await sendBytes(gateway.port, headOf(`GET ${path} HTTP/1.1`, ...handshake, framing));
    expect(answer).toMatch(/^HTTP\/1.1 400 Bad Request\r\n/);
    expect(answer.match(/HTTP\/1.1/g)).toHaveLength(1);
    expect((await ask('/healthz', {}))[0]).toBe(200);
  });

  test('ends its connection when it is sent behind a request that is not answered yet', async () => {
    const first = headOf(
      'GET /files/slow HTTP/1.1',
      'Host: a',
      `Authorization: ${bearer(issuer.token()).authorization}`,
    );
    const second = headOf('GET /v1/graphql HTTP/1.1', ...handshake, 'Content-Length: 5');
    expect(await sendBytes(gateway.port, first + second)).not.toContain('400');
    expect((await ask('/healthz', {}))[0]).toBe(200);
  });
});

test('a connection on which it wishes so again and again carries nothing more each time', async () => {
  const counts: number[] = [];
  const listening = await listen(
    (incoming, response) => {
      counts.push(incoming.socket.listenerCount('close'));
      response.end();
    },
    { host: '127.0.0.1', port: 0, portVariable: 'PORT', stopGraceMs: 0 },
  );
  await keep({ close: () => listening.stop() });
  const { server, port } = listening;
  server.on('upgrade', (incoming, socket, head) => ignoreUpgrade(server, incoming, socket as Socket, head));
  const client = connect(port, '127.0.0.1');
  for (let i = 1; i <= 5; i++) {
    client.write('GET / HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: h2c\r\n\r\n');
    await until('it is answered', () => counts.length === i);
  }
  client.destroy();
  expect(new Set(counts.slice(1))).toEqual(new Set([counts[1]]));
});

test('a Connection header of more characters than any client needs is not parsed, and ends its connection', async () => {
  const listening = await listen((incoming, response) => response.end(incoming.headers.connection), {
    host: '127.0.0.1',
    port: 0,
    portVariable: 'PORT',
    stopGraceMs: 0,
  });
  await keep({ close: () => listening.stop() });
  const { server, port } = listening;
  server.on('upgrade', (incoming, socket, head) => ignoreUpgrade(server, incoming, socket as Socket, head));
  const listed = `Connection: upgrade${','.repeat(3_000)}keep-alive`;
  const answer = await sendBytes(port, headOf('GET / HTTP/1.1', 'Host: x', 'Upgrade: h2c', listed));
  expect(answer).toMatch(/\r\nconnection: close\r\n/i);
  expect(answer).toMatch(/\r\n\r\n(5\r\n)?close/);
});
