import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/**
 * The most requests of one connection that wait behind a pending one. Clients that pipeline send a few dozen, and load
 * generators some hundreds: all requests of one read are parsed before the first is answered.
 */
const MAX_WAITING_RESPONSES = 1_000;
/** The size of waiting responses of one connection that may wait without a time limit, in bytes. */
const FREE_RESPONSE_BYTES = 64 * 1024;
/** The most bytes that may wait: the size of the longest response. */
const MAX_BYTES = 64 * 1024 * 1024;
const CHECK_EVERY_MS = 1_000;

/** The waiting responses of a connection, and the time since when they exceed the free bytes. */
interface WaitingResponses {
  readonly responses: Set<ServerResponse>;
  longSince: number | undefined;
}

/**
 * Tracks responses to pipelined requests (RFC 9112 section 9.3.2). Such a response has no socket until the earlier ones have
 * been sent. If the connection ends, Node.js 20 and 22 emit no `close` for it, so its work would go on indefinitely. Node.js
 * has no limit for them either. Behind an event stream, which may never end, one connection could keep any number of pending
 * requests and of responses in memory.
 */
export class PipelinedResponses {
  readonly #maxWaitMs: number;
  readonly #lines = new Map<Socket, WaitingResponses>();
  #timer: NodeJS.Timeout | undefined;

  /** @param maxWaitMs how long more than the free bytes may wait. */
  constructor(maxWaitMs: number) {
    this.#maxWaitMs = maxWaitMs;
  }

  /**
   * @returns false if the connection has too many waiting responses. The connection is closed then, and the request must not be
   * handled.
   */
  admits(socket: Socket, response: ServerResponse): boolean {
    const { responses } = this.#lines.get(socket) ?? this.#open(socket);
    // Data that has been read from a connection is parsed completely, even if the connection has been closed.
    if (socket.destroyed) return false;
    if (responses.size >= MAX_WAITING_RESPONSES) {
      socket.destroy();
      return false;
    }
    responses.add(response);
    response.once('close', () => responses.delete(response));
    return true;
  }

  #open(socket: Socket): WaitingResponses {
    const line: WaitingResponses = { responses: new Set(), longSince: undefined };
    this.#lines.set(socket, line);
    this.#timer ??= setInterval(() => this.#check(), Math.min(CHECK_EVERY_MS, this.#maxWaitMs)).unref();
    socket.once('close', () => {
      this.#lines.delete(socket);
      if (this.#lines.size === 0) {
        clearInterval(this.#timer);
        this.#timer = undefined;
      }
      // Newer versions of Node.js emit `close` within this turn of the event loop, and a second event would count as a second
      // response.
      setImmediate(() => closeResponses(line.responses));
    });
    return line;
  }

  #check(): void {
    const now = performance.now();
    for (const [socket, line] of this.#lines) {
      const bytes = waitingBytes(line.responses);
      if (bytes <= FREE_RESPONSE_BYTES) line.longSince = undefined;
      else line.longSince ??= now;
      if (bytes > MAX_BYTES || now - (line.longSince ?? now) > this.#maxWaitMs) socket.destroy();
    }
  }
}

function waitingBytes(responses: Iterable<ServerResponse>): number {
  let bytes = 0;
  for (const response of responses) if (response.socket === null) bytes += response.writableLength;
  return bytes;
}

function closeResponses(responses: Iterable<ServerResponse>): void {
  for (const response of responses) {
    // Node.js emits `close` for a response that has its socket.
    if (response.socket !== null || response.writableFinished) continue;
    response.destroy();
    response.emit('close');
  }
}
