import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** Stands between a client and a server, and can stop passing anything on without closing a connection. */
export interface FreezableProxy {
  readonly port: number;
  /** Connections that are open now never hear anything again; new ones work. @returns how many there are. */
  freezeOpenConnections(): number;
  /** New connections are accepted and never hear anything. */
  freezeNewConnections(isFrozen: boolean): void;
  close(): Promise<void>;
}

export async function openFreezableProxy(target: { host: string; port: number }): Promise<FreezableProxy> {
  const pairs = new Set<readonly [Socket, Socket]>();
  let freezesNew = false;

  const server = createServer((client) => {
    const upstream = connect(target.port, target.host);
    const pair = [client, upstream] as const;
    pairs.add(pair);
    client
      .on('error', () => {})
      .on('close', () => {
        pairs.delete(pair);
        upstream.destroy();
      });
    upstream.on('error', () => {}).on('close', () => client.destroy());
    if (freezesNew) return;
    client.pipe(upstream).pipe(client);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');

  return {
    port: (server.address() as AddressInfo).port,
    freezeOpenConnections() {
      for (const [client, upstream] of pairs) {
        client.unpipe(upstream).pause();
        upstream.unpipe(client).pause();
      }
      return pairs.size;
    },
    freezeNewConnections(isFrozen) {
      freezesNew = isFrozen;
    },
    async close() {
      for (const [client] of pairs) client.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
