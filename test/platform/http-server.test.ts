import { Agent, type RequestListener, request, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { afterEach, describe, expect, test } from '@jest/globals';
import { type ConnectionLimits, type ListeningServer, listen } from '../../platform/index.ts';
import { until } from '../gateway/harness/keep.ts';
import { sendBytes } from '../gateway/harness/raw.ts';

const opened: ListeningServer[] = [];
afterEach(async () => {
  for (const { server } of opened.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

async function open(
  handler: RequestListener,
  stopGraceMs = 5_000,
  limits: Partial<ConnectionLimits> = {},
): Promise<ListeningServer> {
  const listening = await listen(handler, {
    host: '127.0.0.1',
    port: 0,
    portVariable: 'SOME_PORT',
    stopGraceMs,
    limits,
  });
  opened.push(listening);
  return listening;
}

/** Asks for `/`; rejects when the connection breaks. */
function get(port: number, agent?: Agent): Promise<string> {
  return new Promise((resolve, reject) => {
    const outgoing = request({ host: '127.0.0.1', port, ...(agent && { agent }) }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (piece) => {
        text += piece;
      });
      response.on('end', () => resolve(text));
      response.on('error', reject);
    });
    outgoing.on('error', reject);
    outgoing.end();
  });
}

/** A server whose answer to the first request is held back. */
async function openHolding(stopGraceMs?: number) {
  let held: (response: ServerResponse) => void = () => {};
  const begun = new Promise<ServerResponse>((resolve) => {
    held = resolve;
  });
  const listening = await open((_, response) => held(response), stopGraceMs);
  return { ...listening, begun };
}

test('a server whose host is "*" listens on all addresses of this machine', async () => {
  const listening = await listen((_, response) => response.end('here'), {
    host: '*',
    port: 0,
    portVariable: 'SOME_PORT',
  });
  opened.push(listening);
  expect(await get(listening.port)).toBe('here');
  expect(['::', '0.0.0.0']).toContain((listening.server.address() as AddressInfo).address);
});

describe('a server that stops', () => {
  test('finishes the request that is under way and takes no other', async () => {
    const { port, stop, begun } = await openHolding();
    const answered = get(port);
    const response = await begun;
    const stopped = stop();
    await expect(get(port)).rejects.toThrow(/ECONNREFUSED/);
    response.end('finished');
    expect(await answered).toBe('finished');
    await stopped;
  });

  test('answers the next request of a connection that is in use, and says that it is the last', async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const { port, stop, server } = await open((_, response) => response.end('once'));
    let connections = 0;
    server.on('connection', () => connections++);
    await get(port, agent);
    const stopped = stop();
    expect(await get(port, agent)).toBe('once');
    expect(connections).toBe(1);
    await expect(get(port, agent)).rejects.toThrow(/ECONNREFUSED/);
    await stopped;
    agent.destroy();
  });

  test('does not wait for connections that are only kept open', async () => {
    const agent = new Agent({ keepAlive: true });
    const { port, stop } = await open((_, response) => response.end('once'));
    expect(await get(port, agent)).toBe('once');
    await stop();
    agent.destroy();
  });

  test('does not wait for a connection that is kept open after its last request', async () => {
    const agent = new Agent({ keepAlive: true });
    const { port, stop, begun } = await openHolding();
    const answered = get(port, agent);
    const response = await begun;
    const stopped = stop();
    response.end('last');
    expect(await answered).toBe('last');
    await stopped;
    agent.destroy();
  });

  test('closes the remaining connections after the grace time', async () => {
    const { port, stop, begun } = await openHolding(100);
    const answered = get(port);
    await begun;
    await stop();
    await expect(answered).rejects.toThrow(/hang up|ECONNRESET/);
  });

  test('does not wait for a connection that has not said anything yet', async () => {
    const { port, stop } = await open((_, response) => response.end(), 600_000);
    const silent = connect(port, '127.0.0.1');
    await new Promise((resolve) => silent.once('connect', resolve));
    const closed = new Promise((resolve) => silent.once('close', resolve));
    silent.resume();
    await stop();
    await closed;
  });
});

describe('a port that cannot be opened', () => {
  test('because it is taken is one line that names its variable', async () => {
    const { port } = await open((_, response) => response.end());
    const taken = listen(() => {}, { host: '127.0.0.1', port, portVariable: 'SOME_PORT' });
    await expect(taken).rejects.toMatchObject({
      name: 'StartError',
      message: `port ${port} on 127.0.0.1 is already in use: set SOME_PORT to a free one`,
    });
  });

  test('because there is no such address is one line that names the address', async () => {
    const elsewhere = listen(() => {}, { host: '192.0.2.1', port: 0, portVariable: 'SOME_PORT' });
    await expect(elsewhere).rejects.toThrow('cannot listen on the address 192.0.2.1 (EADDRNOTAVAIL)');
  });

  test('because the system does not accept the address is one line that names it', async () => {
    // A link-local address is of no use without its network. Where there is no IPv6, there is another reason.
    const refused = listen(() => {}, { host: 'fe80::1', port: 0, portVariable: 'SOME_PORT' });
    await expect(refused).rejects.toMatchObject({
      name: 'StartError',
      message: expect.stringMatching(/^cannot listen on the address fe80::1 \([A-Z]+\)$/),
    });
  });
});

describe('a request of many headers', () => {
  const headOf = (count: number) =>
    `GET / HTTP/1.1\r\nHost: x\r\n${'a:\r\n'.repeat(count - 3)}Connection: close\r\nX-Forwarded-For: 192.0.2.7\r\n\r\n`;

  test.each([
    [2_000, /^HTTP\/1\.1 200 .*\r\n\r\n192\.0\.2\.7$/s],
    [2_001, /^HTTP\/1\.1 431 /],
    [2_500, /^HTTP\/1\.1 431 /],
  ])('is read as a whole, or refused: %d', async (count, expected) => {
    const { port } = await open((received, response) => response.end(received.headers['x-forwarded-for']));
    expect(await sendBytes(port, headOf(count))).toMatch(expected);
  });
});

test('each of several pipelined responses whose client has left is closed once', async () => {
  const closed: number[] = [];
  let begun = 0;
  const { port } = await open((_, response) => {
    const number = begun++;
    closed[number] = 0;
    response.on('close', () => {
      closed[number] = (closed[number] ?? 0) + 1;
    });
    if (number === 2) client.destroy();
  });
  const client = connect(port, '127.0.0.1');
  client.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n'.repeat(3));
  await until('all are closed', () => closed.length === 3 && closed.every((times) => times > 0));
  // What a second event needs to arrive.
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
  expect(closed).toEqual([1, 1, 1]);
});

test('a connection with more pipelined requests than any client sends is closed', async () => {
  let begun = 0;
  const { port } = await open(() => {
    begun++;
  });
  const client = connect(port, '127.0.0.1');
  client.on('error', () => {});
  const closed = new Promise((resolve) => client.once('close', resolve));
  client.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n'.repeat(2_000));
  await closed;
  expect(begun).toBeLessThanOrEqual(1_001);
});

test('hundreds of pipelined requests that are answered at once are all answered', async () => {
  const { port } = await open((_, response) => response.end('answer'));
  const client = connect(port, '127.0.0.1');
  let text = '';
  client.on('data', (chunk) => {
    text += chunk;
  });
  client.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n'.repeat(900));
  await until('all are answered', () => text.split('answer').length - 1 === 900);
  client.destroy();
});

test('pipelined responses wait behind another one for as long as they are short', async () => {
  let finish = () => {};
  let closed = 0;
  const { port } = await open(
    ({ url }, response) => {
      response.on('close', () => closed++);
      if (url === '/late') finish = () => response.end('late');
      else if (url === '/stream') response.write('begun');
      else response.end(url === '/long' ? 'x'.repeat(100_000) : 'short');
    },
    undefined,
    { slowReaderMs: 50 },
  );
  const send = (...paths: readonly string[]) => {
    const client = connect(port, '127.0.0.1');
    client.on('error', () => {});
    client.write(paths.map((path) => `GET ${path} HTTP/1.1\r\nhost: x\r\n\r\n`).join(''));
    return client;
  };
  const short = send('/late', '/short');
  let text = '';
  short.on('data', (chunk) => {
    text += chunk;
  });
  send('/stream', '/long', '/long').resume();
  await until('the connection with long ones is closed', () => closed === 3);
  finish();
  await until('both are answered', () => text.includes('late') && text.includes('short'));
  short.destroy();
});
