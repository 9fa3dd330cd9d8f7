import type { AddressInfo } from 'node:net';
import { connect, createServer, type Server, type Socket } from 'node:net';

const HOST = '127.0.0.1';
const PORT = 6379;

export const REDIS_URL = `redis://${HOST}:${PORT}`;

/** Whether a Redis answers where these tests look for one. Says so on standard error when none does. */
export async function isRedisThere(): Promise<boolean> {
  const isThere = await new Promise<boolean>((resolve) => {
    const socket = connect(PORT, HOST, () => socket.write('PING\r\n'));
    socket.setTimeout(2_000, () => socket.destroy());
    socket.once('data', (reply) => {
      resolve(reply.toString().startsWith('+PONG'));
      socket.destroy();
    });
    socket.once('error', () => resolve(false));
    socket.once('close', () => resolve(false));
  });
  if (!isThere)
    process.stderr.write(`\n*** No Redis at ${HOST}:${PORT}: the tests of rate limits in Redis are SKIPPED. ***\n\n`);
  return isThere;
}

export interface RedisRelay {
  readonly url: string;
  /** Connections that were made to it so far. */
  readonly connections: number;
  /** Takes no more connections and cuts those that there are. */
  stop(): Promise<void>;
  start(): Promise<void>;
  /** From now on passes nothing on, and keeps connections open. */
  hang(): void;
  /** Ends what `hang` began. */
  resume(): void;
  close(): Promise<void>;
}

/** A connection to the real Redis that can be lost in the ways that networks have. */
export async function redisRelay(): Promise<RedisRelay> {
  const sockets = new Set<Socket>();
  let isHanging = false;
  let connections = 0;
  const server: Server = createServer((client) => {
    connections += 1;
    const upstream = connect(PORT, HOST);
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(from);
      from.on('data', (data) => {
        if (!isHanging) to.write(data);
      });
      from.on('error', () => {});
      from.on('close', () => {
        sockets.delete(from);
        to.destroy();
      });
    }
  });
  const listenOn = (port: number) => new Promise<void>((resolve) => server.listen(port, HOST, resolve));
  await listenOn(0);
  const { port } = server.address() as AddressInfo;
  const stop = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      for (const socket of sockets) socket.destroy();
    });
  return {
    url: `redis://${HOST}:${port}`,
    get connections() {
      return connections;
    },
    stop,
    start: () => listenOn(port),
    hang: () => {
      isHanging = true;
    },
    resume: () => {
      isHanging = false;
    },
    close: stop,
  };
}
