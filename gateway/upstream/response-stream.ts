import { type IncomingHttpHeaders, type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';

/** The maximum number of bytes that are read of a response that is not a stream. */
const MAX_REFUSAL_BYTES = 1024 * 1024;
/** Matches compressed codings. Some servers send `none`, so that intermediaries do not compress their events. */
const COMPRESSED = /\b(?:gzip|deflate|br|zstd|compress)\b/i;

/** A request whose response is a stream of events. */
export interface StreamRequest {
  readonly url: string;
  readonly method: string;
  /** Header values contain one character for each byte. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | undefined;
  /** The timeout for the headers of the response, in milliseconds. */
  readonly timeoutMs: number;
  /** The stream is lost if nothing arrives for this time while it is read, in milliseconds. Undefined: never. */
  readonly idleMs?: number;
}

/** The head of a response. */
export interface StreamResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
}

/** Reads the body of a response. */
export interface StreamReader {
  read(chunk: Buffer): void;
  /**
   * The body has ended.
   *
   * @param isComplete whether the framing of the response proves that nothing is missing. A body that ends with its
   *   connection proves nothing.
   */
  end(isComplete: boolean): void;
}

/** Receives a response. The end of a connection may be reported several times. */
export interface StreamReceiver {
  /** @returns the reader of a stream. Undefined if the response is none and is read as a whole. */
  opened(response: StreamResponse): StreamReader | undefined;
  /** The response is no stream. The body is cut after 1 MiB. */
  refused(response: StreamResponse, body: Buffer): void;
  /**
   * The connection could not be established or was cut.
   *
   * @param isFinal whether another attempt cannot help.
   */
  lost(reason: string, isFinal: boolean): void;
  /** The connection is closed. */
  closed?(): void;
}

/** A connection over which a stream arrives. */
export interface StreamConnection {
  /** Stops reading, so that the server has to wait. */
  pause(): void;
  resume(): void;
  close(): void;
}

/** Sends a request on a connection of its own, outside the pool of other requests, and reads the response as it arrives. */
export function openResponseStream(request: StreamRequest, receiver: StreamReceiver): StreamConnection {
  const { url, method, body, timeoutMs, idleMs } = request;
  const headers = { ...request.headers, ...(body && { 'content-length': body.length }) };
  const send = url.startsWith('https:') ? requestHttps : requestHttp;
  const outgoing = send(url, { method, headers, agent: false });
  const idle = idleMs === undefined ? undefined : new IdleTimer(idleMs, () => fail('nothing has arrived for too long'));
  let incoming: IncomingMessage | undefined;
  let isPaused = false;
  const fail = (reason: string) => {
    receiver.lost(reason, false);
    outgoing.destroy();
  };
  const tooLate = setTimeout(() => fail('no response in time'), timeoutMs);
  outgoing.on('socket', (socket) => socket.setKeepAlive(true, 30_000));
  outgoing.on('error', (error) => {
    clearTimeout(tooLate);
    receiver.lost(error.message, false);
  });
  // A server that switches to another protocol closes the connection without an error or a response.
  outgoing.on('close', () => {
    clearTimeout(tooLate);
    idle?.stop();
    if (!incoming) receiver.lost('closed without a response', false);
    receiver.closed?.();
  });
  outgoing.on('response', (response) => {
    incoming = response;
    const head = { status: response.statusCode ?? 0, headers: response.headers };
    const reader = receiver.opened(head);
    if (!reader) {
      readWhole(response, (whole) => receiver.refused(head, whole));
      return;
    }
    if (COMPRESSED.test(response.headers['content-encoding'] ?? '')) {
      receiver.lost('an event stream in a coding that was not asked for', true);
      return;
    }
    clearTimeout(tooLate);
    readStream(response, reader, receiver, idle);
    if (isPaused) response.pause();
    else idle?.restart();
  });
  outgoing.end(body);
  return {
    pause: () => {
      isPaused = true;
      idle?.stop();
      incoming?.pause();
    },
    resume: () => {
      isPaused = false;
      if (incoming) idle?.restart();
      incoming?.resume();
    },
    close: () => {
      clearTimeout(tooLate);
      idle?.stop();
      outgoing.destroy();
    },
  };
}

function readStream(
  response: IncomingMessage,
  reader: StreamReader,
  receiver: StreamReceiver,
  idle: IdleTimer | undefined,
): void {
  const { 'content-length': length, 'transfer-encoding': coding } = response.headers;
  response.on('data', (chunk: Buffer) => {
    idle?.touch();
    reader.read(chunk);
  });
  response.on('end', () => reader.end(response.complete && (length !== undefined || coding !== undefined)));
  response.on('error', (error) => receiver.lost(error.message, false));
  response.on('close', () => receiver.lost('the stream was cut', false));
}

function readWhole(response: IncomingMessage, done: (body: Buffer) => void): void {
  const chunks: Buffer[] = [];
  let size = 0;
  response.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size <= MAX_REFUSAL_BYTES) chunks.push(chunk);
    else response.destroy();
  });
  response.on('error', () => {});
  response.on('close', () => done(Buffer.concat(chunks)));
}

/** A timeout that each chunk extends. It sets one timer for many chunks. */
class IdleTimer {
  readonly #idleMs: number;
  readonly #onIdle: () => void;
  #timer: NodeJS.Timeout | undefined;
  #lastAt = 0;

  constructor(idleMs: number, onIdle: () => void) {
    this.#idleMs = idleMs;
    this.#onIdle = onIdle;
  }

  touch(): void {
    this.#lastAt = performance.now();
  }

  restart(): void {
    this.touch();
    this.#timer ??= setTimeout(() => this.#expire(), this.#idleMs);
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #expire(): void {
    this.#timer = undefined;
    const leftMs = this.#lastAt + this.#idleMs - performance.now();
    if (leftMs > 0) this.#timer = setTimeout(() => this.#expire(), Math.ceil(leftMs));
    else this.#onIdle();
  }
}
