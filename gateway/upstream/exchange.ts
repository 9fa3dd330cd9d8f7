import type { Dispatcher } from 'undici';
import { boundedText, type Cancellable, type Cancellation, Chunks } from '../../platform/index.ts';
import { type BudgetedAnswer, type SourceBudget, UNCOUNTED_BYTES } from './answer-budget.ts';
import type { Deadline, Timed } from './timer-buckets.ts';

export interface UpstreamResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The bytes in the chunks in which they came. */
  readonly chunks: readonly Buffer[];
  readonly bytes: Buffer;
  /** The bytes as UTF-8 text. */
  readonly body: string;
  /** The response for another reader, where the bytes that it takes count for each reader. */
  forAnother?(): UpstreamResponse;
}

/** Receives the outcome of a request: exactly one of `onResponse` and `onError` is called, once. */
export interface UpstreamHandler {
  /** The response is complete, with any status. */
  onResponse(response: UpstreamResponse): void;
  onError(error: UpstreamError): void;
  /**
   * The response begins. A handler that returns a sink gets `onEnd` there in place of `onResponse`; `onError` may
   * follow.
   *
   * @returns undefined to receive the complete response.
   */
  onStart?(status: number, headers: UpstreamResponse['headers'], flow: UpstreamFlow): UpstreamSink | undefined;
}

/** Receives the bytes of a response as they arrive. */
export interface UpstreamSink {
  /** @returns how many bytes of the response it keeps until more of it has come. */
  onData(chunk: Buffer): number;
  /** The response is complete. */
  onEnd(): void;
}

/** Controls the reading of a response that is received by a sink. */
export interface UpstreamFlow {
  /** Reads nothing more, so that the upstream has to wait. */
  pause(): void;
  resume(): void;
  /** The response has usable content: the deadline of the headers is met, and the request is not retried any more. */
  begun(): void;
  /** Rejects an invalid response: ends the exchange and calls `onError`. */
  refuse(reason: string): void;
}

/**
 * Why an upstream gave no usable response. With the last four the request was not sent: the circuit breaker is open,
 * too many requests are queued, the source has not been introspected yet, or the gateway has no more memory or
 * connections.
 */
export type UpstreamFailure =
  | 'timeout'
  | 'connection'
  | 'too-large'
  | 'aborted'
  | 'circuit-open'
  | 'overloaded'
  | 'unavailable'
  | 'exhausted';

/** Errors of connecting that are this machine's own: no descriptor, buffer, memory or local port is left (errno(3)). */
const EXHAUSTED = new Set(['EMFILE', 'ENFILE', 'ENOBUFS', 'ENOMEM', 'EADDRNOTAVAIL', 'EAGAIN']);
const EXHAUSTED_RETRY_SECONDS = 1;

/** Characters of why a call failed. */
const MAX_REASON = 1_000;

/** An upstream gave no usable response. The message is for logs; it may contain addresses. */
export class UpstreamError extends Error {
  constructor(
    readonly reason: UpstreamFailure,
    cause?: unknown,
    /** When it is worth trying again, in whole seconds from now. */
    readonly retryAfterSeconds?: number,
  ) {
    // A name with several addresses fails with an error that has a code and no message.
    const { message, code } = (cause ?? {}) as { message?: string; code?: string };
    const what = withoutTls(message) ?? (message || code);
    // A message may quote the service, such as the names of its certificate.
    super([reason, what && boundedText(what, MAX_REASON)].filter(Boolean).join(': '), { cause });
    this.name = 'UpstreamError';
  }

  /** Whether the request itself is invalid, for any service. */
  get isOfRequest(): boolean {
    const { code } = (this.cause ?? {}) as { code?: unknown };
    return code === 'UND_ERR_INVALID_ARG' || code === 'UND_ERR_NOT_SUPPORTED' || code === 'ERR_INVALID_URL';
  }
}

/** OpenSSL's message for a response that is not TLS consists of addresses in its code. */
function withoutTls(message = ''): string | undefined {
  return message.includes('wrong version number') ? 'the service does not use TLS: is its URL http://?' : undefined;
}

/** Informational responses (RFC 9110 section 15.2) before the final one. Without a limit a service could send them for ever. */
export const MAX_INFORMATIONAL_RESPONSES = 100;

/** The limits of an exchange. */
export interface ExchangeLimits {
  /** For the headers of the response, in milliseconds; undefined: as long as for the whole response. */
  readonly headersTimeoutMs: number | undefined;
  readonly maxBodyBytes: number;
  /** The memory that responses of the source and all others may take together. */
  readonly budget: SourceBudget;
  /** Begins a deadline. */
  readonly deadline: (timed: Timed, timeoutMs: number) => Deadline;
}

/** What a response takes beside its bytes once it is read, in lengths of it: a copy in one piece, its text, its value. */
const READ_FACTOR = 3;

/** One request that is under way: undici's handler, its deadlines and its cancellation. */
export class UpstreamExchange implements Dispatcher.DispatchHandler, Cancellable, Timed, UpstreamFlow, BudgetedAnswer {
  readonly #handler: UpstreamHandler;
  readonly #cancellation: Cancellation | undefined;
  readonly #deadline: Deadline;
  readonly #headersDeadline: Deadline | undefined;
  readonly #maxBodyBytes: number;
  readonly #budget: SourceBudget;
  readonly #chunks = new Chunks();
  #controller: Dispatcher.DispatchController | undefined;
  /** Set where the response is received as it arrives. */
  #sink: UpstreamSink | undefined;
  #informational = 0;
  #status = 0;
  #headers: UpstreamResponse['headers'] = {};
  #size = 0;
  /** Bytes that the budget has counted. */
  #counted = 0;
  /** Whether its receiver has paused it. */
  #isPaused = false;
  /** Whether the budget holds it up, or has done so. */
  #isHeld = false;
  #wasHeld = false;
  #isOver = false;

  constructor(
    handler: UpstreamHandler,
    cancellation: Cancellation | undefined,
    timeoutMs: number,
    { headersTimeoutMs, maxBodyBytes, budget, deadline }: ExchangeLimits,
  ) {
    this.#handler = handler;
    this.#cancellation = cancellation;
    this.#maxBodyBytes = maxBodyBytes;
    this.#budget = budget;
    this.#deadline = deadline(this, timeoutMs);
    if (headersTimeoutMs !== undefined) this.#headersDeadline = deadline(this, headersTimeoutMs);
    cancellation?.add(this);
    if (cancellation?.isCancelled) this.cancel();
  }

  /** Whether the handler has been called with the outcome. */
  get isOver(): boolean {
    return this.#isOver;
  }

  expire(): void {
    // A response that was paused may be late because of the gateway, not its service.
    this.fail(
      this.#wasHeld ? new UpstreamError('exhausted', undefined, EXHAUSTED_RETRY_SECONDS) : new UpstreamError('timeout'),
    );
  }

  cancel(): void {
    this.fail(new UpstreamError('aborted'));
  }

  /** Ends the exchange without a response. */
  fail(error: UpstreamError): void {
    if (!this.#end()) return;
    this.#controller?.abort(error);
    this.#handler.onError(error);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    // The timeout may have passed while it waited for a connection.
    if (this.#isOver) controller.abort(new UpstreamError('aborted'));
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: UpstreamResponse['headers']): void {
    this.#status = status;
    this.#headers = headers;
    if (status >= 200) {
      this.#sink = this.#handler.onStart?.(status, headers, this);
      if (!this.#sink) this.begun();
    } else if (++this.#informational > MAX_INFORMATIONAL_RESPONSES) this.refuse('too many informational responses');
    if (Number(headers['content-length']) > this.#maxBodyBytes) this.fail(new UpstreamError('too-large'));
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#size += chunk.length;
    if (this.#size > this.#maxBodyBytes) this.fail(new UpstreamError('too-large'));
    else if (this.#sink) this.#countKept(this.#sink.onData(chunk));
    else this.#keep(chunk);
  }

  #countKept(kept: number): void {
    if (this.#isOver) return;
    const before = this.#counted;
    this.#counted = kept > UNCOUNTED_BYTES ? kept : 0;
    if (this.#counted > before) this.#budget.take(this.#counted - before, this);
    else if (this.#counted < before) this.#budget.giveBack(before - this.#counted, this);
  }

  #keep(chunk: Buffer): void {
    this.#chunks.add(chunk);
    if (this.#size <= UNCOUNTED_BYTES) return;
    // Whether it will be read is not known yet, and then it would be too late to wait.
    const bytes = chunk.length * (1 + READ_FACTOR);
    this.#counted += bytes;
    this.#budget.take(bytes, this);
  }

  onResponseEnd(): void {
    if (!this.#end(true)) return;
    try {
      if (this.#sink) this.#sink.onEnd();
      else this.#handler.onResponse(this.#complete());
    } catch (error) {
      // undici would swallow the error, and the caller would wait for ever.
      this.#handler.onError(new UpstreamError('connection', error));
    }
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    const { code } = error as { code?: unknown };
    const isExhausted = typeof code === 'string' && EXHAUSTED.has(code);
    this.fail(
      isExhausted
        ? new UpstreamError('exhausted', error, EXHAUSTED_RETRY_SECONDS)
        : new UpstreamError('connection', error),
    );
  }

  hold(): void {
    this.#wasHeld = true;
    this.#isHeld = true;
    this.#controller?.pause();
  }

  release(): void {
    this.#isHeld = false;
    // undici's parser cannot go on with one connection while it is at work on another, whose answer may have ended.
    setImmediate(() => this.#readOn());
  }

  pause(): void {
    this.#isPaused = true;
    if (!this.#isOver) this.#controller?.pause();
  }

  resume(): void {
    this.#isPaused = false;
    this.#readOn();
  }

  #readOn(): void {
    if (!this.#isOver && !this.#isHeld && !this.#isPaused) this.#controller?.resume();
  }

  begun(): void {
    this.#headersDeadline?.end();
  }

  refuse(reason: string): void {
    this.fail(new UpstreamError('connection', new Error(reason)));
  }

  /** What was received is in memory until its client has the response that is made of it. */
  #giveBack(isNeeded: boolean): void {
    const kept = this.#counted / (1 + READ_FACTOR);
    const isKept = isNeeded && this.#cancellation?.whenOver(givingBack(this.#budget, kept));
    this.#budget.giveBack(isKept ? this.#counted - kept : this.#counted, this);
  }

  #complete(): UpstreamResponse {
    const chunks = this.#chunks.list;
    // To read it, its chunks are put together, decoded and parsed.
    const onRead = this.#counted > 0 ? () => this.#countRead() : undefined;
    return new CompleteResponse(this.#status, this.#headers, chunks, onRead);
  }

  #countRead(): void {
    const bytes = this.#size * READ_FACTOR;
    const giveBack = givingBack(this.#budget, bytes);
    this.#budget.keep(bytes);
    if (!this.#cancellation?.whenOver(giveBack)) giveBack();
  }

  /** @returns false when it had ended before. */
  #end(isComplete = false): boolean {
    if (this.#isOver) return false;
    this.#isOver = true;
    this.#deadline.end();
    this.#headersDeadline?.end();
    this.#cancellation?.delete(this);
    if (this.#counted > 0) this.#giveBack(isComplete && !this.#sink);
    return true;
  }
}

/** It may be kept for long, and must not keep the exchange with its chunks. */
function givingBack(budget: SourceBudget, bytes: number): () => void {
  return () => budget.giveBack(bytes);
}

class CompleteResponse implements UpstreamResponse {
  readonly #onRead: (() => void) | undefined;
  #isRead = false;

  constructor(
    readonly status: number,
    readonly headers: UpstreamResponse['headers'],
    readonly chunks: readonly Buffer[],
    onRead: (() => void) | undefined,
  ) {
    this.#onRead = onRead;
  }

  forAnother(): UpstreamResponse {
    return new CompleteResponse(this.status, this.headers, this.chunks, this.#onRead);
  }

  get bytes(): Buffer {
    if (!this.#isRead) this.#onRead?.();
    this.#isRead = true;
    const [first] = this.chunks;
    return first && this.chunks.length === 1 ? first : Buffer.concat(this.chunks);
  }

  get body(): string {
    return this.bytes.toString('utf8');
  }
}
