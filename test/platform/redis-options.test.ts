import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { afterEach, describe, expect, test } from '@jest/globals';
import { Redis } from 'ioredis';
import { COUNTING_REDIS, connectionErrors } from '../../platform/index.ts';
import { freePort } from '../gateway/harness/index.ts';

let close: () => void = () => {};
afterEach(() => close());

/** A client whose commands are rejected with the cause. */
function open(port: number) {
  const redis = new Redis(`redis://127.0.0.1:${port}`, COUNTING_REDIS);
  close = () => redis.disconnect();
  return { redis, run: connectionErrors(redis) };
}

describe('a command that Redis cannot answer names the cause', () => {
  test('nothing listens at its address', async () => {
    const port = await freePort();
    const { redis, run } = open(port);
    await expect(run(redis.get('a'))).rejects.toThrow(`connect ECONNREFUSED 127.0.0.1:${port}`);
  });

  test('its connection is closed', async () => {
    const server = createServer((socket) => socket.once('data', () => socket.end()));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { redis, run } = open((server.address() as AddressInfo).port);
    await expect(run(redis.get('a'))).rejects.toThrow('the connection was lost');
    server.close();
  });
});

/** A server that answers the first word of a command, for the connection of that number. */
async function openServer(answer: (command: string, connection: number) => string) {
  let connections = 0;
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    connections += 1;
    const connection = connections;
    sockets.add(socket);
    // Each command comes as an array of texts: `*2 $3 GET $1 a`, with line ends in place of the spaces.
    socket.on('data', (data) => {
      for (const [, word = ''] of data.toString().matchAll(/\*\d+\r\n\$\d+\r\n(\w+)/g))
        socket.write(answer(word.toUpperCase(), connection));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const stop = () => {
    for (const socket of sockets) socket.destroy();
    server.close();
  };
  return { port: (server.address() as AddressInfo).port, stop };
}

test('a connection to a server that has become a replica is replaced', async () => {
  const refusal = "-READONLY You can't write against a read only replica.\r\n";
  const server = await openServer((command, connection) =>
    command === 'SET' && connection === 1 ? refusal : '+OK\r\n',
  );
  const { redis, run } = open(server.port);
  await expect(run(redis.set('a', '1'))).rejects.toThrow('READONLY');
  await once(redis, 'ready');
  await expect(run(redis.set('a', '1'))).resolves.toBe('OK');
  server.stop();
});

test('an error that Redis answers is passed on', async () => {
  const { run } = open(await freePort());
  await expect(run(Promise.reject(new Error('WRONGTYPE not a text')))).rejects.toThrow('WRONGTYPE not a text');
});
