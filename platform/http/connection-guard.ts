import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import { errorCode } from '../error-code.ts';
import { networkOf } from './client-address.ts';

/** Limits of client connections. */
export interface ConnectionLimits {
  /** Connections at a time. */
  readonly maxConnections: number;
  /** Of one address, or of the /64 of an IPv6 address; undefined: not limited, as where all come from a proxy. */
  readonly maxPerAddress: number | undefined;
  /** How long the head of a request may take, in milliseconds, from its first byte or the connection's beginning. */
  readonly headersTimeoutMs: number;
  /** How long a connection may be idle between requests, in milliseconds. */
  readonly keepAliveMs: number;
  /** Bytes a second that a body has to come at; 0: at any rate. */
  readonly minBodyRate: number;
  /** How long a body may arrive more slowly than that, in milliseconds. Bytes that arrive faster make up for it. */
  readonly slowBodyMs: number;
  /** How long a client may read nothing while a response waits to be sent to it, in milliseconds. */
  readonly slowReaderMs: number;
}

export const CONNECTION_LIMITS: ConnectionLimits = {
  maxConnections: 20_000,
  maxPerAddress: undefined,
  headersTimeoutMs: 15_000,
  // Longer than load balancers keep theirs, so that it is the balancer that closes them.
  keepAliveMs: 65_000,
  minBodyRate: 1_000,
  slowBodyMs: 10_000,
  slowReaderMs: 30_000,
};

/** Connections of one server since its start, and those that are open. */
export interface ConnectionCounts {
  open: number;
  /** Refused, because there were too many of the address, or too many of all. */
  readonly refused: { address: number; total: number };
  /** Closed, because the headers or the body of a request arrived too slowly, or a response was not read. */
  readonly slow: { headers: number; body: number; reading: number };
  /** Bytes of all connections since the start, with those of HTTP itself. They are added up when they are asked for. */
  readonly bytes: () => { readonly received: number; readonly sent: number };
}

interface GuardedConnection {
  readonly network: string;
  bytesRead: number;
  /** For how much longer the current body may be too slow, in milliseconds. */
  patienceMs: number;
  /** Whether the socket's timeout is ours, because a response waits to be read. */
  isAwaited: boolean;
  /** Whether it was closed because of a slow body. */
  isTooSlow: boolean;
}

/** How long a refused connection stays open for its client to read the response, unless another one needs its place. */
const LINGER_MS = 1_000;
const REFUSED_RETRY_AFTER_SECONDS = 5;

/**
 * Keeps the connections of an HTTP server within limits. All connections are checked together once a second: a request costs
 * nothing extra. Node's own timeouts limit the time of a whole request, not the rate of its body, and have no limit for
 * slow readers or for the connections of an address.
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
  /** Refused, the oldest first. */
  readonly #lingering = new Set<Socket>();
  /** Of connections that are closed. */
  readonly #past = { received: 0, sent: 0 };
  #lookedAt = performance.now();

  /** @param maxLingering how many refused connections are open at a time; 0: they are closed without a response. */
  constructor(limits: ConnectionLimits, maxLingering: number) {
    this.#limits = limits;
    this.#maxLingering = maxLingering;
    const everyMs = Math.max(10, Math.min(1_000, limits.slowBodyMs / 4));
    this.#timer = setInterval(() => this.#look(), everyMs);
    this.#timer.unref();
  }

  /** The connections that are open at the time of the call. */
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
    // A connection whose upgrade is ignored is emitted again.
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
    // The oldest has had the most time to read.
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
    // What it sends is read: closing with unread data would reset the connection and discard the response.
    socket.resume();
    setTimeout(() => socket.destroy(), LINGER_MS).unref();
  }

  #look(): void {
    const now = performance.now();
    // Clients are not charged for a slow iteration of the event loop.
    const elapsedMs = Math.min(now - this.#lookedAt, 2_000);
    this.#lookedAt = now;
    for (const [socket, connection] of this.#connections) {
      this.#checkBodyRate(socket, connection, elapsedMs);
      this.#checkReader(socket, connection);
    }
  }

  /** The time that a body is waited for counts down; each received byte adds to it. */
  #checkBodyRate(socket: Socket, connection: GuardedConnection, elapsedMs: number): void {
    const { minBodyRate, slowBodyMs } = this.#limits;
    if (minBodyRate === 0) return;
    const received = socket.bytesRead - connection.bytesRead;
    connection.bytesRead = socket.bytesRead;
    const request = incomingOf(socket);
    if (!request || request.complete) connection.patienceMs = slowBodyMs;
    // Nothing can arrive while we do not read, because a service takes the body slowly.
    else if (request.readableFlowing !== false && request.readableLength < request.readableHighWaterMark) {
      const earnedMs = (received / minBodyRate) * 1_000;
      connection.patienceMs = Math.min(slowBodyMs, connection.patienceMs - elapsedMs + earnedMs);
      if (connection.patienceMs > 0) return;
      connection.isTooSlow = true;
      this.counts.slow.body += 1;
      // Node's listener responds with 408 if there is no response yet, and closes the connection.
      socket.emit('error', Object.assign(new Error('the request body arrives too slowly'), { code: TIMEOUT_CODE }));
    }
  }

  #timedOut(socket: Socket, { isAwaited }: GuardedConnection): void {
    if (!isAwaited || socket.writableLength === 0) return;
    this.counts.slow.reading += 1;
    socket.destroy();
  }

  /** The socket's own timeout is reset when the operating system takes more bytes, and costs nothing while nothing waits. */
  #checkReader(socket: Socket, connection: GuardedConnection): void {
    // One millisecond distinguishes it from other timeouts of the socket.
    const timeoutMs = this.#limits.slowReaderMs + 1;
    const isWaiting = socket.writableLength > 0;
    // Node sets its own timeout again with each request of a keep-alive connection.
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
 * The request that a connection receives now. Node keeps it at the connection's parser, which is not documented; keeping it
 * ourselves would keep each dead request alive until the next one, which costs more than all of this. If a Node release
 * moves the parser, `test/platform/slow-connections.test.ts` fails.
 */
function incomingOf(socket: Socket): IncomingMessage | null | undefined {
  return (socket as { parser?: { incoming?: IncomingMessage | null } | null }).parser?.incoming;
}
