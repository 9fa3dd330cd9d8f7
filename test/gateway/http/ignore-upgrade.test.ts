import { Agent, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { afterAll, describe, expect, test } from '@jest/globals';
import { ignoreUpgrade } from '../../../gateway/http/index.ts';
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
    const listed = `Connection: upgrade${','.repeat(30_000)}`;
    const answer = await sendBytes(gateway.port, headOf('GET /healthz HTTP/1.1', 'Host: a', 'Upgrade: h2c', listed));
    expect(answer).toMatch(/^HTTP\/1.1 200 OK\r\n/);
    expect(answer.toLowerCase()).toContain('\r\nconnection: close\r\n');
  });

  test('needs a token all the same', async () => {
    expect((await ask('/files/x', { ...H2C, authorization: 'Bearer x' }))[0]).toBe(401);
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
