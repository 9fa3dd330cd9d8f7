import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** Turned away by the server, as one too many; or accepted and closed when the first query comes. */
export type Failure = 'too-many-connections' | 'cut';

/** Stands between a client and PostgreSQL, and fails connections by their number. */
export interface FailingProxy {
  /** The database behind it. */
  readonly url: string;
  /** How many connections there were since the last call of `fail`, or the beginning. */
  connections(): number;
  /** @param isFailed which of the next connections fail; the next one is 1. */
  fail(failure: Failure, isFailed: (number: number) => boolean): void;
  /** Calls `listener` after each failure. */
  onFailure(listener: () => void): void;
  close(): Promise<void>;
}

export async function openFailingProxy(databaseUrl: string): Promise<FailingProxy> {
  const target = new URL(databaseUrl);
  const sockets = new Set<Socket>();
  let count = 0;
  let failureOf: (number: number) => Failure | undefined = () => undefined;
  let failed = () => {};

  const server = createServer((client) => {
    count += 1;
    const failure = failureOf(count);
    sockets.add(client);
    client.on('error', () => {}).on('close', () => sockets.delete(client));
    if (failure === 'too-many-connections') {
      client.once('data', () => client.end(errorMessage('53300')));
      client.once('close', () => failed());
      return;
    }
    const upstream = connect(Number(target.port), target.hostname);
    client.on('close', () => upstream.destroy());
    upstream.on('error', () => {}).on('close', () => client.destroy());
    // The first message is the login; what comes once the server has accepted it is a query.
    if (failure === 'cut')
      upstream.once('data', () =>
        client.once('data', () => {
          client.destroy();
          failed();
        }),
      );
    client.pipe(upstream).pipe(client);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');

  const { port } = server.address() as AddressInfo;
  return {
    url: Object.assign(new URL(databaseUrl), { hostname: '127.0.0.1', port: String(port) }).href,
    connections: () => count,
    fail(failure, isFailed) {
      count = 0;
      failureOf = (number) => (isFailed(number) ? failure : undefined);
    },
    onFailure(listener) {
      failed = listener;
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

/** What a PostgreSQL server says when it turns a client away (its manual, "Message Formats", ErrorResponse). */
export function errorMessage(code: string): Buffer {
  const fields = Buffer.from(`SFATAL\0C${code}\0Msomething with me in it\0\0`);
  const head = Buffer.alloc(5, 'E');
  head.writeInt32BE(4 + fields.length, 1);
  return Buffer.concat([head, fields]);
}
