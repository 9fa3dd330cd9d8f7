import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import { type AddressInfo, Server as NetServer, type Socket } from 'node:net';
import { StartError } from '../process.ts';
import {
  CONNECTION_LIMITS,
  type ConnectionCounts,
  ConnectionGuard,
  type ConnectionLimits,
} from './connection-guard.ts';
import { acceptableConnections } from './open-files.ts';
import { PacedRequests } from './paced-requests.ts';
import { PipelinedResponses } from './pipelined-responses.ts';

/** The host that stands for all addresses of this machine, as in Hasura. */
export const ANY_ADDRESS = '*';

/** Large enough that a request with a much too long token gets the gateway's error, not the HTTP parser's. */
const MAX_HEADER_BYTES = 64 * 1024;

/**
 * The most headers of a request. By default Node.js begins at 1,000 to drop headers (20) or to reject the request (newer
 * versions), but the gateway has its own limit. A dropped header could be that of a proxy, or the second of two credentials.
 */
const MAX_HEADERS = 2_000;

/** The most connections at a time that are refused with a response. */
const MAX_REFUSED = 100;

/**
 * The most connections that wait to be accepted, if the system allows it (`net.core.somaxconn`, 4,096 by default). With
 * Node.js's default of 511, a client that reaches it retries only after a second.
 */
const MAX_UNACCEPTED = 4_096;

/** How long a keep-alive connection may send one more request after a stop has begun. */
const LAST_REQUEST_MS = 500;

export interface ListenOptions {
  /** An address or a name, or `ANY_ADDRESS`. */
  host: string;
  port: number;
  /** The environment variable that sets the port, named in the error when the port is not available. */
  portVariable: string;
  /** How long pending requests may take to finish during a stop, in milliseconds. */
  stopGraceMs?: number;
  /** Overrides CONNECTION_LIMITS. */
  limits?: Partial<ConnectionLimits>;
  /**
   * Returns whether a request for another protocol is emitted as `upgrade`. Others are handled as ordinary requests. Versions
   * of Node.js without this option (20 and early 22) emit all of them if there is a listener, as they do without this function.
   */
  shouldUpgradeCallback?: (request: IncomingMessage) => boolean;
}

export interface ListeningServer {
  readonly server: Server;
  readonly port: number;
  readonly connections: ConnectionCounts;
  /** From now on, each response closes its connection. New connections are still accepted until `stop`. */
  drain(): void;
  stop(): Promise<void>;
}

/**
 * Serves `handler` over HTTP/1.1 until stopped. A stop accepts no new connections, lets pending requests finish within the
 * grace time, then destroys the remaining connections. Responses sent meanwhile have `connection: close`.
 *
 * Connections beyond the limit of open files are closed immediately, see `acceptableConnections`.
 *
 * @throws StartError if the port is in use or not permitted.
 */
export async function listen(handler: RequestListener, options: ListenOptions): Promise<ListeningServer> {
  let isDraining = false;
  const limits = { ...CONNECTION_LIMITS, ...options.limits };
  const pipelined = new PipelinedResponses(limits.slowReaderMs);
  const { shouldUpgradeCallback } = options;
  const paced = new PacedRequests(handler);
  const server = createServer(
    {
      ...(shouldUpgradeCallback && { shouldUpgradeCallback }),
      keepAliveTimeout: limits.keepAliveMs,
      headersTimeout: limits.headersTimeoutMs,
      // A large body may take any time, as long as it arrives at the minimum rate.
      requestTimeout: 0,
      connectionsCheckingInterval: Math.min(1_000, limits.headersTimeoutMs),
      maxHeaderSize: MAX_HEADER_BYTES,
    },
    (request, response) => {
      // Otherwise the client could send the next request just as the connection closes, without knowing whether it arrived.
      if (isDraining) response.shouldKeepAlive = false;
      if (response.socket === null && !pipelined.admits(request.socket, response)) return;
      if (request.rawHeaders.length > 2 * MAX_HEADERS) {
        response.writeHead(431, { connection: 'close' }).end();
        return;
      }
      paced.begin(request, response);
    },
  );
  // One more than the limit, so that an excess can be detected.
  server.maxHeadersCount = MAX_HEADERS + 1;
  const most = acceptableConnections() ?? Number.POSITIVE_INFINITY;
  // The last few are for connections that are refused with a response. `server.maxConnections` is not used: a cluster worker at
  // that limit hands a connection back, and if all workers do, the main process offers it again endlessly.
  const forRefused = Math.min(MAX_REFUSED, Math.floor(most / 10));
  const guard = new ConnectionGuard(
    { ...limits, maxConnections: Math.min(limits.maxConnections, most - forRefused) },
    forRefused,
  );
  guard.watch(server);
  server.prependListener('connection', () => paced.accepted());
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(explainListenError(error, options)));
    server.listen({ port: options.port, host: boundHost(options.host), backlog: MAX_UNACCEPTED }, resolve);
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
 * Checks that a port is available, without keeping it.
 *
 * @throws StartError if the port is in use or not permitted.
 */
export async function checkPort(options: Pick<ListenOptions, 'host' | 'port' | 'portVariable'>): Promise<void> {
  if (options.port === 0) return;
  const release = await reservePort(options);
  await release();
}

/**
 * Occupies a port until the returned function is called, so that conflicts with it are detected.
 *
 * @throws StartError if the port is in use or not permitted. Its cause is the error of `listen`.
 */
export async function reservePort(
  options: Pick<ListenOptions, 'host' | 'port' | 'portVariable'>,
): Promise<() => Promise<void>> {
  const server = new NetServer((socket) => socket.destroy());
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(explainListenError(error, options)));
    server.listen({ port: options.port, host: boundHost(options.host), exclusive: true }, resolve);
  });
  return () => new Promise((resolve) => server.close(() => resolve()));
}

/** Without a host, Node.js listens on all addresses of both IP versions. */
function boundHost(host: string): string | undefined {
  return host === ANY_ADDRESS ? undefined : host;
}

function stopServer(server: Server, sockets: () => Iterable<Socket>, graceMs: number): Promise<void> {
  // A keep-alive connection would delay the stop for as long as its client likes. So would a connection that was opened in
  // advance, which does not count as idle before its first request.
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
    // The HTTP server's own method would immediately close all idle connections.
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
    return new StartError(`port ${port} on ${host} is already in use: set ${portVariable} to a free one`, {
      cause: error,
    });
  if (error.code === 'EACCES')
    return new StartError(`port ${port} on ${host} may not be used by this user: set ${portVariable} to another one`, {
      cause: error,
    });
  // The address belongs to no network of this machine, the name cannot be resolved, or a link-local address lacks its network.
  if (error.code !== undefined)
    return new StartError(`cannot listen on the address ${host} (${error.code})`, { cause: error });
  return error;
}
