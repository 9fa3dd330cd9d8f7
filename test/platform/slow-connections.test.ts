import type { IncomingMessage, RequestListener } from 'node:http';
import { connect, type Socket } from 'node:net';
import { afterEach, describe, expect, test } from '@jest/globals';
import { type ConnectionLimits, type ListeningServer, listen } from '../../platform/index.ts';
import { until } from '../gateway/harness/index.ts';

const opened: ListeningServer[] = [];
const clients: Socket[] = [];
afterEach(async () => {
  for (const client of clients.splice(0)) client.destroy();
  await Promise.all(opened.splice(0).map((listening) => listening.stop()));
});

async function open(limits: Partial<ConnectionLimits>, handler: RequestListener = echo): Promise<ListeningServer> {
  const listening = await listen(handler, {
    host: '127.0.0.1',
    port: 0,
    portVariable: 'SOME_PORT',
    stopGraceMs: 0,
    limits,
  });
  opened.push(listening);
  return listening;
}

/** Answers with the length of the body when it has come. */
function echo(request: IncomingMessage, response: Parameters<RequestListener>[1]): void {
  let length = 0;
  request.on('data', (piece: Buffer) => {
    length += piece.length;
  });
  request.on('end', () => response.end(`${length} bytes`));
}

interface Client {
  readonly socket: Socket;
  readonly received: () => string;
  /** Resolves when the connection has ended, with all that came. */
  readonly ended: Promise<string>;
}

function openClient({ port }: ListeningServer, bytes = ''): Client {
  const socket = connect(port, '127.0.0.1');
  // Written now, so that it comes before what the test writes, however long connecting takes.
  if (bytes !== '') socket.write(bytes);
  clients.push(socket);
  let text = '';
  socket.setEncoding('latin1').on('data', (piece) => {
    text += piece;
  });
  socket.on('error', () => {});
  const ended = new Promise<string>((resolve) => socket.on('close', () => resolve(text)));
  return { socket, received: () => text, ended };
}

/** Writes pieces one after another until the connection ends or there are no more. @returns what stops it. */
function trickle({ socket }: Client, piece: string, everyMs: number, times = Number.POSITIVE_INFINITY) {
  let written = 0;
  const timer = setInterval(() => {
    if (socket.destroyed || written >= times) clearInterval(timer);
    else socket.write(piece);
    written += 1;
  }, everyMs);
}

const POST = 'POST / HTTP/1.1\r\nHost: x\r\n';

describe('a slow client is cut off', () => {
  test.each([
    ['that says nothing', ''],
    ['that begins a head and leaves it', 'GET / HTTP/1.1\r\nHost: x\r\n'],
  ])('%s', async (_, bytes) => {
    const server = await open({ headersTimeoutMs: 100 });
    const client = openClient(server, bytes);
    expect(await client.ended).toMatch(/^(HTTP\/1\.1 408 |$)/);
    await until('it is counted', () => server.connections.slow.headers === 1);
    expect(server.connections.open).toBe(0);
  });

  test('that sends a header every now and then', async () => {
    const server = await open({ headersTimeoutMs: 200 });
    const client = openClient(server, 'GET / HTTP/1.1\r\nHost: x\r\n');
    trickle(client, 'X-A: b\r\n', 20);
    expect(await client.ended).toMatch(/^HTTP\/1\.1 408 /);
  });

  test.each([
    ['with a length', `${POST}Content-Length: 100000\r\n\r\n`, 'a'],
    ['in chunks', `${POST}Transfer-Encoding: chunked\r\n\r\n`, '1\r\na\r\n'],
  ])('whose body comes in drops, %s', async (_, head, drop) => {
    const server = await open({ minBodyRate: 10_000, slowBodyMs: 200 });
    const client = openClient(server, head);
    trickle(client, drop, 10);
    expect(await client.ended).toMatch(/^HTTP\/1\.1 408 /);
    expect(server.connections.slow).toEqual({ headers: 0, body: 1, reading: 0 });
  });

  test('whose second request of a connection stops in its body', async () => {
    const server = await open({ minBodyRate: 1_000, slowBodyMs: 100 });
    const client = openClient(server, `${POST}Content-Length: 2\r\n\r\nab${POST}Content-Length: 9\r\n\r\na`);
    const text = await client.ended;
    expect(text).toContain('2 bytes');
    expect(text).toContain('HTTP/1.1 408 ');
  });

  test('that reads nothing of an answer in pieces', async () => {
    const piece = Buffer.alloc(1_000_000);
    const server = await open({ slowReaderMs: 200, slowBodyMs: 100 }, (_, response) => {
      for (let index = 0; index < 40; index += 1) response.write(piece);
    });
    const client = openClient(server, 'GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    client.socket.pause();
    await until('it is counted', () => server.connections.slow.reading === 1);
    await until('it is cut', () => server.connections.open === 0);
  });

  test('that keeps an idle connection for too long', async () => {
    const server = await open({ keepAliveMs: 50 });
    const client = openClient(server, 'GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    expect(await client.ended).toContain('0 bytes');
    expect(server.connections.slow).toEqual({ headers: 0, body: 0, reading: 0 });
  });
});

describe('a client is not cut off', () => {
  test('whose body takes long and comes at the least rate', async () => {
    // Far above the rate, so that a busy machine does not fall below it.
    const server = await open({ minBodyRate: 1_000, slowBodyMs: 400, headersTimeoutMs: 500 });
    const client = openClient(server, `${POST}Content-Length: 60000\r\n\r\n`);
    trickle(client, 'a'.repeat(1_000), 20, 60);
    await until('the answer', () => client.received().includes('60000 bytes'));
  });

  test('whose body is not read for now', async () => {
    let request: IncomingMessage | undefined;
    const server = await open({ minBodyRate: 1_000, slowBodyMs: 100 }, (incoming, response) => {
      request = incoming;
      incoming.on('data', () => incoming.pause());
      incoming.on('end', () => response.end('all of it'));
    });
    const client = openClient(server, `${POST}Content-Length: 4\r\n\r\nab`);
    await until('the request', () => request?.isPaused());
    // Twenty looks at it.
    for (let look = 0; look < 20; look += 1) await new Promise((resolve) => setTimeout(resolve, 25));
    client.socket.write('cd');
    // Only then is it read on: what is missing of a body that is read has to come in time.
    await until('the rest has come', () => request?.readableLength === 2);
    request?.removeAllListeners('data');
    request?.resume();
    await until('the answer', () => client.received().includes('all of it'));
  });

  test('that waits for an answer which takes long', async () => {
    const server = await open(
      { minBodyRate: 1_000, slowBodyMs: 300, slowReaderMs: 300, headersTimeoutMs: 300 },
      (incoming, response) => {
        incoming.resume().on('end', () => setTimeout(() => response.end('at last'), 1_500));
      },
    );
    const client = openClient(server, `${POST}Content-Length: 2\r\n\r\nab`);
    await until('the answer', () => client.received().includes('at last'));
  });
});

describe('connections are refused', () => {
  const GET = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n';

  test('when there are too many of one address, until one of them has ended', async () => {
    const server = await open({ maxPerAddress: 2 });
    const [first] = [openClient(server), openClient(server)];
    await until('both are open', () => server.connections.open === 2);
    const refused = await openClient(server, GET).ended;
    expect(refused).toMatch(/^HTTP\/1\.1 429 Too Many Requests\r\n/);
    expect(refused).toContain('retry-after: 5');
    expect(refused).toContain('"code":"connection-limit-exceeded"');
    expect(server.connections).toMatchObject({ open: 2, refused: { address: 1, total: 0 } });
    first?.socket.destroy();
    await until('one is left', () => server.connections.open === 1);
    const taken = openClient(server, GET);
    await until('the answer', () => taken.received().includes('0 bytes'));
  });

  test('when there are too many of all', async () => {
    const server = await open({ maxConnections: 1 });
    openClient(server);
    await until('it is open', () => server.connections.open === 1);
    const refused = await openClient(server, GET).ended;
    expect(refused).toMatch(/^HTTP\/1\.1 503 Service Unavailable\r\n/);
    expect(refused).toContain('"code":"service-unavailable"');
    expect(server.connections.refused).toEqual({ address: 0, total: 1 });
  });
});
