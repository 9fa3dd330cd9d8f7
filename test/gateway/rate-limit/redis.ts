import { connect, createServer, type Server, type Socket } from 'node:net';
import { freePort } from '../../../bench/machine/free-port.ts';
import { isServiceThere } from '../../found-services.ts';

const HOST = '127.0.0.1';
const PORT = 6379;

export const REDIS_URL = `redis://${HOST}:${PORT}`;

/** Databases of the suites that flush one, by suite: they run at the same time. The others use keys of their own in 0. */
export const REDIS_DATABASES = { documentStore: 8, reloadMarks: 9, cluster: 10, workers: 12 } as const;

/** Whether there is a Redis to test on. */
export async function isRedisThere(): Promise<boolean> {
  return isServiceThere('redis');
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
  const port = await freePort();
  await listenOn(port);
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
