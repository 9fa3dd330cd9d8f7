import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import { errorCode } from '../error-code.ts';
import { networkOf } from './client-address.ts';

/** Limits of client connections. */
export interface ConnectionLimits {
  /** The most connections at a time. */
  readonly maxConnections: number;
  /**
   * The most connections of one IPv4 address or IPv6 /64. Undefined if not limited, such as when all connections come from a
   * proxy.
   */
  readonly maxPerAddress: number | undefined;
  /** How long the head of a request may take, in milliseconds, from its first byte or from the beginning of the connection. */
  readonly headersTimeoutMs: number;
  /** How long a connection may be idle between requests, in milliseconds. */
  readonly keepAliveMs: number;
  /** The minimum rate of a request body in bytes per second. 0 allows any rate. */
  readonly minBodyRate: number;
  /** How long a body may be slower than the minimum rate, in milliseconds. Faster bytes make up for slow ones. */
  readonly slowBodyMs: number;
  /** How long a client may read nothing of a pending response, in milliseconds. */
  readonly slowReaderMs: number;
}

export const CONNECTION_LIMITS: ConnectionLimits = {
  maxConnections: 20_000,
  maxPerAddress: undefined,
  headersTimeoutMs: 15_000,
  // Longer than the idle timeout of load balancers, so that the balancer closes connections.
  keepAliveMs: 65_000,
  minBodyRate: 1_000,
  slowBodyMs: 10_000,
  slowReaderMs: 30_000,
};

/** The open connections of a server, and counts since its start. */
export interface ConnectionCounts {
  open: number;
  /** Connections that were refused, because there were too many of the address, or too many in total. */
  readonly refused: { address: number; total: number };
  /**
   * Connections that were closed, because the headers or the body of a request arrived too slowly, or a response was not read.
   */
  readonly slow: { headers: number; body: number; reading: number };
  /** Returns the bytes of all connections since the start, including those of HTTP itself. They are summed on demand. */
  readonly bytes: () => { readonly received: number; readonly sent: number };
}

interface GuardedConnection {
  readonly network: string;
  bytesRead: number;
  /** How much longer the current body may be too slow, in milliseconds. */
  patienceMs: number;
  /** Whether the guard has set the socket's timeout, because a response waits to be read. */
  isAwaited: boolean;
  /** Whether the connection was closed because of a slow body. */
  isTooSlow: boolean;
}

/** How long a refused connection stays open for the client to read the response, unless its place is needed. */
const LINGER_MS = 1_000;
const REFUSED_RETRY_AFTER_SECONDS = 5;

/**
 * Keeps the connections of an HTTP server within limits. All connections are checked together once a second, so a request costs
 * nothing extra. Node.js's own timeouts limit the duration of a whole request and not the rate of its body. They cover neither
 * slow readers nor the connections of an address.
 */
export class ConnectionGuard {
  readonly counts: ConnectionCounts = {
    open: 0,
    refused: { address: 0, total: 0 },
    slow: { headers: 0, body: 0, reading: 0 },
    bytes: () => this.#bytes(),
  };
  readonly #limits: ConnectionLimits;
  readonly #connections = new Map<Socket, GuardedConnection>();
  readonly #byNetwork = new Map<string, number>();
  readonly #timer: NodeJS.Timeout;
  readonly #maxLingering: number;
  /** Refused connections, the oldest first. */
  readonly #lingering = new Set<Socket>();
  /** The bytes of closed connections. */
  readonly #past = { received: 0, sent: 0 };
  #lookedAt = performance.now();

  /**
   * @param maxLingering the most refused connections that stay open for a response. With 0 they are closed without a response.
   */
  constructor(limits: ConnectionLimits, maxLingering: number) {
    this.#limits = limits;
    this.#maxLingering = maxLingering;
    const everyMs = Math.max(10, Math.min(1_000, limits.slowBodyMs / 4));
    this.#timer = setInterval(() => this.#look(), everyMs);
    this.#timer.unref();
  }

  /** Returns the connections that are open at the time of the call. */
  sockets(): Iterable<Socket> {
    return this.#connections.keys();
  }

  /** Checks each new connection before the server's own listeners see it. */
  watch(server: Server): void {
    const listeners = server.listeners('connection') as ((this: Server, socket: Socket) => void)[];
    server.removeAllListeners('connection');
    server.on('connection', (socket) => {
      if (this.#admits(socket)) for (const listener of listeners) listener.call(server, socket);
    });
    server.once('close', () => clearInterval(this.#timer));
  }

  #admits(socket: Socket): boolean {
    // If an upgrade is ignored, its connection is emitted again.
    if (this.#connections.has(socket)) return true;
    const network = networkOf(socket.remoteAddress ?? '');
    const ofNetwork = this.#byNetwork.get(network) ?? 0;
    if (this.#connections.size >= this.#limits.maxConnections) {
      this.counts.refused.total += 1;
      this.#refuse(socket, '503 Service Unavailable', 'service-unavailable', 'too many open connections');
      return false;
    }
    if (ofNetwork >= (this.#limits.maxPerAddress ?? Number.POSITIVE_INFINITY)) {
      this.counts.refused.address += 1;
      const message = 'too many open connections from this address';
      this.#refuse(socket, '429 Too Many Requests', 'connection-limit-exceeded', message);
      return false;
    }
    this.#byNetwork.set(network, ofNetwork + 1);
    const { slowBodyMs: patienceMs } = this.#limits;
    const connection: GuardedConnection = { network, bytesRead: 0, patienceMs, isAwaited: false, isTooSlow: false };
    this.#connections.set(socket, connection);
    this.counts.open += 1;
    socket.once('close', () => this.#closed(socket, connection));
    socket.on('timeout', () => this.#timedOut(socket, connection));
    return true;
  }

  #closed(socket: Socket, { network, isTooSlow }: GuardedConnection): void {
    this.#connections.delete(socket);
    this.counts.open -= 1;
    this.#past.received += socket.bytesRead;
    this.#past.sent += socket.bytesWritten;
    const left = (this.#byNetwork.get(network) ?? 1) - 1;
    if (left > 0) this.#byNetwork.set(network, left);
    else this.#byNetwork.delete(network);
    if (!isTooSlow && errorCode(socket.errored) === TIMEOUT_CODE) this.counts.slow.headers += 1;
  }

  #bytes(): { received: number; sent: number } {
    let { received, sent } = this.#past;
    for (const socket of this.#connections.keys()) {
      received += socket.bytesRead;
      sent += socket.bytesWritten;
    }
    return { received, sent };
  }

  #refuse(socket: Socket, status: string, code: string, error: string): void {
    socket.on('error', () => {});
    if (this.#maxLingering === 0) {
      socket.destroy();
      return;
    }
    // The oldest one has had the most time to read.
    if (this.#lingering.size >= this.#maxLingering) {
      const [oldest] = this.#lingering;
      oldest?.destroy();
      if (oldest) this.#lingering.delete(oldest);
    }
    this.#lingering.add(socket);
    socket.once('close', () => this.#lingering.delete(socket));
    const body = JSON.stringify({ path: '$', error, code });
    const head = [
      `HTTP/1.1 ${status}`,
      'content-type: application/json; charset=utf-8',
      `content-length: ${Buffer.byteLength(body)}`,
      `retry-after: ${REFUSED_RETRY_AFTER_SECONDS}`,
      'connection: close',
    ];
    socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
    // The client's data has to be read: closing with unread data would reset the connection and discard the response.
    socket.resume();
    setTimeout(() => socket.destroy(), LINGER_MS).unref();
  }

  #look(): void {
    const now = performance.now();
    // A slow iteration of the event loop does not count against clients.
    const elapsedMs = Math.min(now - this.#lookedAt, 2_000);
    this.#lookedAt = now;
    for (const [socket, connection] of this.#connections) {
      this.#checkBodyRate(socket, connection, elapsedMs);
      this.#checkReader(socket, connection);
    }
  }

  /** Counts down the time that a body may be slow. Each received byte adds to it. */
  #checkBodyRate(socket: Socket, connection: GuardedConnection, elapsedMs: number): void {
    const { minBodyRate, slowBodyMs } = this.#limits;
    if (minBodyRate === 0) return;
    const received = socket.bytesRead - connection.bytesRead;
    connection.bytesRead = socket.bytesRead;
    const request = incomingOf(socket);
    if (!request || request.complete) connection.patienceMs = slowBodyMs;
    // While the gateway does not read because a service accepts the body slowly, nothing can arrive.
    else if (request.readableFlowing !== false && request.readableLength < request.readableHighWaterMark) {
      const earnedMs = (received / minBodyRate) * 1_000;
      connection.patienceMs = Math.min(slowBodyMs, connection.patienceMs - elapsedMs + earnedMs);
      if (connection.patienceMs > 0) return;
      connection.isTooSlow = true;
      this.counts.slow.body += 1;
      // Node.js's listener responds with 408 if there is no response yet, and closes the connection.
      socket.emit('error', Object.assign(new Error('the request body arrives too slowly'), { code: TIMEOUT_CODE }));
    }
  }

  #timedOut(socket: Socket, { isAwaited }: GuardedConnection): void {
    if (!isAwaited || socket.writableLength === 0) return;
    this.counts.slow.reading += 1;
    socket.destroy();
  }

  /**
   * Uses the socket's own timeout. It is reset when the operating system accepts more bytes, and costs nothing while nothing
   * waits.
   */
  #checkReader(socket: Socket, connection: GuardedConnection): void {
    // The additional millisecond distinguishes this timeout from others of the socket.
    const timeoutMs = this.#limits.slowReaderMs + 1;
    const isWaiting = socket.writableLength > 0;
    // Node.js sets its own timeout again with each request of a keep-alive connection.
    const isTimed = connection.isAwaited && socket.timeout === timeoutMs;
    if (isWaiting && !isTimed) {
      connection.isAwaited = true;
      socket.setTimeout(timeoutMs);
    } else if (!isWaiting && connection.isAwaited) {
      connection.isAwaited = false;
      if (socket.timeout === timeoutMs) socket.setTimeout(0);
    }
  }
}

const TIMEOUT_CODE = 'ERR_HTTP_REQUEST_TIMEOUT';

/**
 * Returns the request that a connection is receiving. Node.js keeps it at the connection's parser, which is undocumented. A
 * separate reference would keep each finished request alive until the next one, which costs more than everything else here. If
 * a Node.js release moves the parser, `test/platform/slow-connections.test.ts` fails.
 */
function incomingOf(socket: Socket): IncomingMessage | null | undefined {
  return (socket as { parser?: { incoming?: IncomingMessage | null } | null }).parser?.incoming;
}
