import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, Server as NetServer, type Socket } from 'node:net';
import {
  CONNECTION_LIMITS,
  type ConnectionCounts,
  ConnectionGuard,
  type ConnectionLimits,
} from './connection-guard.ts';
import { acceptableConnections } from './open-files.ts';
import { StartError } from './process.ts';

/** Roomy enough that a token which is far too long is told so, rather than cut off by the HTTP parser. */
const MAX_HEADER_BYTES = 64 * 1024;

/** Connections that are refused with an answer, at a time. */
const MAX_REFUSED = 100;

/** For how long a connection that is kept open may bring one more request once a stop has begun. */
const LAST_REQUEST_MS = 500;

export interface ListenOptions {
  host: string;
  port: number;
  /** The variable that sets the port, named when the port cannot be had. */
  portVariable: string;
  /** How long requests in flight may take to finish at a stop, in milliseconds. */
  stopGraceMs?: number;
  /** Put over CONNECTION_LIMITS. */
  limits?: Partial<ConnectionLimits>;
}

export interface ListeningServer {
  readonly server: Server;
  readonly port: number;
  readonly connections: ConnectionCounts;
  /** From now on each answer ends its connection. New ones are still accepted, until `stop`. */
  drain(): void;
  stop(): Promise<void>;
}

/**
 * Serves `handler` over HTTP/1.1 until stopped. A stop takes no new connection, lets requests in flight finish within
 * the grace time, then cuts what is left. Connections that are in use end with an answer that says so.
 *
 * Connections beyond what the limit of open files allows are closed at once, see `acceptableConnections`.
 *
 * @throws StartError when the port is taken or may not be used.
 */
export async function listen(handler: RequestListener, options: ListenOptions): Promise<ListeningServer> {
  let isDraining = false;
  const lines = new ResponseLines();
  const limits = { ...CONNECTION_LIMITS, ...options.limits };
  const server = createServer(
    {
      keepAliveTimeout: limits.keepAliveMs,
      headersTimeout: limits.headersTimeoutMs,
      // A large body may take its time, as long as it comes at the least rate.
      requestTimeout: 0,
      connectionsCheckingInterval: Math.min(1_000, limits.headersTimeoutMs),
      maxHeaderSize: MAX_HEADER_BYTES,
    },
    (request, response) => {
      // Its client would send the next request just as the connection ends, and not know whether it was heard.
      if (isDraining) response.shouldKeepAlive = false;
      if (response.socket === null) lines.add(request.socket, response);
      handler(request, response);
    },
  );
  const most = acceptableConnections() ?? Number.POSITIVE_INFINITY;
  // The last few are for those that are told why they are refused. `server.maxConnections` is not used: a worker of a cluster
  // that has so many hands a connection back, and where all workers have, the main process keeps it and offers it for ever.
  const forRefused = Math.min(MAX_REFUSED, Math.floor(most / 10));
  const guard = new ConnectionGuard(
    { ...limits, maxConnections: Math.min(limits.maxConnections, most - forRefused) },
    forRefused,
  );
  guard.watch(server);
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(explainListenError(error, options)));
    server.listen(options.port, options.host, resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    server,
    port,
    connections: guard.counts,
    drain: () => {
      isDraining = true;
    },
    stop: () => {
      isDraining = true;
      return stopServer(server, () => guard.sockets(), options.stopGraceMs ?? 10_000);
    },
  };
}

/**
 * Looks whether a port can be had, without keeping it.
 *
 * @throws StartError when it is taken or may not be used.
 */
export async function checkPort(options: Pick<ListenOptions, 'host' | 'port' | 'portVariable'>): Promise<void> {
  if (options.port === 0) return;
  const server = new NetServer();
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(explainListenError(error, options)));
    server.listen({ port: options.port, host: options.host, exclusive: true }, resolve);
  });
  await new Promise((resolve) => server.close(resolve));
}

/**
 * Responses to requests that were sent without waiting for the answers to those before (RFC 9112 section 9.3.2). Such a
 * response has no socket before it is its turn, and node does not tell it when the connection ends: without a `close`,
 * whatever works for it would go on for ever.
 */
class ResponseLines {
  readonly #bySocket = new WeakMap<Socket, Set<ServerResponse>>();

  add(socket: Socket, response: ServerResponse): void {
    const line = this.#bySocket.get(socket) ?? this.#lineOf(socket);
    line.add(response);
    response.once('close', () => line.delete(response));
  }

  #lineOf(socket: Socket): Set<ServerResponse> {
    const line = new Set<ServerResponse>();
    this.#bySocket.set(socket, line);
    socket.once('close', () => {
      for (const response of line) {
        // One that has had its turn is told by node.
        if (response.socket !== null || response.writableFinished) continue;
        response.destroy();
        response.emit('close');
      }
    });
    return line;
  }
}

function stopServer(server: Server, sockets: () => Iterable<Socket>, graceMs: number): Promise<void> {
  // A connection that was kept alive would hold the stop up for as long as its client likes; so would one that was
  // opened ahead of need, which does not count as idle before its first request.
  const closeIdle = () => {
    server.closeIdleConnections();
    for (const socket of sockets()) if (socket.bytesRead === 0) socket.destroy();
  };
  return new Promise((resolve) => {
    let closing: NodeJS.Timeout | undefined;
    const lastRequests = setTimeout(
      () => {
        closeIdle();
        closing = setInterval(closeIdle, 50);
      },
      Math.min(LAST_REQUEST_MS, graceMs),
    );
    const cut = setTimeout(() => {
      for (const socket of sockets()) socket.destroy();
    }, graceMs);
    // That of an HTTP server would cut all connections that are idle at this moment.
    NetServer.prototype.close.call(server, () => {
      clearTimeout(lastRequests);
      clearInterval(closing);
      clearTimeout(cut);
      resolve();
    });
  });
}

function explainListenError(
  error: NodeJS.ErrnoException,
  options: Pick<ListenOptions, 'host' | 'port' | 'portVariable'>,
): Error {
  const { host, port, portVariable } = options;
  if (error.code === 'EADDRINUSE')
    return new StartError(`port ${port} on ${host} is already in use: set ${portVariable} to a free one`);
  if (error.code === 'EACCES')
    return new StartError(`port ${port} on ${host} may not be used by this user: set ${portVariable} to another one`);
  if (error.code === 'EADDRNOTAVAIL' || error.code === 'ENOTFOUND')
    return new StartError(`cannot listen on the address ${host} (${error.code})`);
  return error;
}
