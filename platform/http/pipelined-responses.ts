import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Requests of one connection that wait behind one that is not answered yet. Clients that pipeline send a few dozen, and load
 * generators some hundreds: those of one read are all parsed before the first of them is answered.
 */
const MAX_WAITING_RESPONSES = 1_000;
/** Responses of one connection that may wait for as long as those before them take, in bytes. */
const FREE_RESPONSE_BYTES = 64 * 1024;
/** The most bytes that may wait: as many as the longest response has. */
const MAX_BYTES = 64 * 1024 * 1024;
const CHECK_EVERY_MS = 1_000;

/** The responses of one connection that have to wait for others, and since when they have been more than the free bytes. */
interface WaitingResponses {
  readonly responses: Set<ServerResponse>;
  longSince: number | undefined;
}

/**
 * Responses to pipelined requests (RFC 9112 section 9.3.2). Such a response has no socket until the responses before it
 * have been sent, and Node 20 and 22 emit no `close` for it when the connection ends: the work for it would go on for ever.
 * Nor has Node a limit for them: behind an event stream, which may never end, one connection could keep any number of requests
 * in flight and of responses in memory.
 */
export class PipelinedResponses {
  readonly #maxWaitMs: number;
  readonly #lines = new Map<Socket, WaitingResponses>();
  #timer: NodeJS.Timeout | undefined;

  /** @param maxWaitMs how long more than the free bytes may wait. */
  constructor(maxWaitMs: number) {
    this.#maxWaitMs = maxWaitMs;
  }

  /** @returns false where its connection has too many of them. It is closed then, and the request is not to be handled. */
  admits(socket: Socket, response: ServerResponse): boolean {
    const { responses } = this.#lines.get(socket) ?? this.#open(socket);
    // What has been read of a connection is parsed to its end, also when that is closed.
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
      // Newer versions emit it within this turn of the event loop, and a second one would be counted as a second response.
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
    // Node emits `close` for a response that has its socket.
    if (response.socket !== null || response.writableFinished) continue;
    response.destroy();
    response.emit('close');
  }
}
