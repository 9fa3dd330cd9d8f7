import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import { networkOf } from './client-address.ts';

/** What connections of clients may take. */
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
  /** How long a body may come more slowly than that, in milliseconds. What comes faster makes up for it again. */
  readonly slowBodyMs: number;
  /** How long a client may take nothing of what waits to be sent to it, in milliseconds. */
  readonly slowReaderMs: number;
}

export const CONNECTION_LIMITS: ConnectionLimits = {
  maxConnections: 20_000,
  maxPerAddress: undefined,
  headersTimeoutMs: 15_000,
  // Longer than load balancers keep theirs, so that it is they who end them.
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
  /** Ended, because the head or the body of a request came too slowly, or nothing of an answer was taken. */
  readonly slow: { headers: number; body: number; reading: number };
}

interface Connection {
  readonly network: string;
  bytesRead: number;
  /** For how much longer the body that is coming may be too slow, in milliseconds. */
  patienceMs: number;
  /** Whether the socket's timeout is ours, for a client that has something to take. */
  isAwaited: boolean;
  /** Whether it was ended because of a body that came too slowly. */
  isTooSlow: boolean;
}

/** How long a refused connection stays open for its client to read why, where no other one needs its place. */
const LINGER_MS = 1_000;
const RETRY_AFTER_SECONDS = 5;

/**
 * Keeps the connections of an HTTP server within limits. What a connection does is looked at once a second, for all of
 * them together: a request costs nothing more.
 */
export class ConnectionGuard {
  readonly counts: ConnectionCounts = {
    open: 0,
    refused: { address: 0, total: 0 },
    slow: { headers: 0, body: 0, reading: 0 },
  };
  readonly #limits: ConnectionLimits;
  readonly #connections = new Map<Socket, Connection>();
  readonly #byNetwork = new Map<string, number>();
  readonly #timer: NodeJS.Timeout;
  readonly #maxLingering: number;
  /** Refused, the oldest first. */
  readonly #lingering = new Set<Socket>();
  #lookedAt = performance.now();

  /** @param maxLingering how many refused connections are open at a time; 0: they are closed without an answer. */
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

  /** Stands before what the server does with a new connection. */
  watch(server: Server): void {
    const listeners = server.listeners('connection') as ((this: Server, socket: Socket) => void)[];
    server.removeAllListeners('connection');
    server.on('connection', (socket) => {
      if (this.#admits(socket)) for (const listener of listeners) listener.call(server, socket);
    });
    server.once('close', () => clearInterval(this.#timer));
  }

  #admits(socket: Socket): boolean {
    // One whose wish for another protocol is ignored comes once more.
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
    const connection: Connection = { network, bytesRead: 0, patienceMs, isAwaited: false, isTooSlow: false };
    this.#connections.set(socket, connection);
    this.counts.open += 1;
    socket.once('close', () => this.#closed(socket, connection));
    socket.on('timeout', () => this.#timedOut(socket, connection));
    return true;
  }

  #closed(socket: Socket, { network, isTooSlow }: Connection): void {
    this.#connections.delete(socket);
    this.counts.open -= 1;
    const left = (this.#byNetwork.get(network) ?? 1) - 1;
    if (left > 0) this.#byNetwork.set(network, left);
    else this.#byNetwork.delete(network);
    if (!isTooSlow && codeOf(socket.errored) === TIMEOUT_CODE) this.counts.slow.headers += 1;
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
      `retry-after: ${RETRY_AFTER_SECONDS}`,
      'connection: close',
    ];
    socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
    // What it sends is read: to leave it would have the operating system take the answer back.
    socket.resume();
    setTimeout(() => socket.destroy(), LINGER_MS).unref();
  }

  #look(): void {
    const now = performance.now();
    // A turn of the event loop that took long is no client's fault.
    const elapsedMs = Math.min(now - this.#lookedAt, 2_000);
    this.#lookedAt = now;
    for (const [socket, connection] of this.#connections) {
      this.#lookAtBody(socket, connection, elapsedMs);
      this.#lookAtReading(socket, connection);
    }
  }

  /** Time passes while a body is waited for; each byte gives some of it back. */
  #lookAtBody(socket: Socket, connection: Connection, elapsedMs: number): void {
    const { minBodyRate, slowBodyMs } = this.#limits;
    if (minBodyRate === 0) return;
    const received = socket.bytesRead - connection.bytesRead;
    connection.bytesRead = socket.bytesRead;
    const request = incomingOf(socket);
    if (!request || request.complete) connection.patienceMs = slowBodyMs;
    // What we do not read for now, because a service takes it slowly, cannot come.
    else if (request.readableFlowing !== false && request.readableLength < request.readableHighWaterMark) {
      const earnedMs = (received / minBodyRate) * 1_000;
      connection.patienceMs = Math.min(slowBodyMs, connection.patienceMs - elapsedMs + earnedMs);
      if (connection.patienceMs > 0) return;
      connection.isTooSlow = true;
      this.counts.slow.body += 1;
      // Node's listener answers with 408 where nothing has been answered yet, and ends the connection.
      socket.emit('error', Object.assign(new Error('the request body comes too slowly'), { code: TIMEOUT_CODE }));
    }
  }

  #timedOut(socket: Socket, { isAwaited }: Connection): void {
    if (!isAwaited || socket.writableLength === 0) return;
    this.counts.slow.reading += 1;
    socket.destroy();
  }

  /** The socket's own timeout sees the operating system take more of what waits, and costs nothing while nothing does. */
  #lookAtReading(socket: Socket, connection: Connection): void {
    // Told apart from the other timeouts that are set on it by one millisecond.
    const timeoutMs = this.#limits.slowReaderMs + 1;
    const isWaiting = socket.writableLength > 0;
    // Node takes its own timeout again with each request of a connection that is kept open.
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

function codeOf(error: Error | null | undefined): string | undefined {
  return (error as NodeJS.ErrnoException | null | undefined)?.code;
}

/**
 * The request that comes over a connection now. Node has it at the connection's parser, which it does not document; to
 * note it down ourselves would keep each dead request alive until the next one, which costs more than all of this. Where
 * the parser is elsewhere one day, `test/platform/slow-connections.test.ts` fails.
 */
function incomingOf(socket: Socket): IncomingMessage | null | undefined {
  return (socket as { parser?: { incoming?: IncomingMessage | null } | null }).parser?.incoming;
}
