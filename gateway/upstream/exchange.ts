import type { Dispatcher } from 'undici';
import { type Cancellable, type Cancellation, Chunks } from '../../platform/index.ts';
import { type BudgetedAnswer, type SourceBudget, UNCOUNTED_BYTES } from './answer-budget.ts';
import type { Deadline, Timed } from './deadlines.ts';
import { UpstreamError } from './errors.ts';

export interface UpstreamResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The bytes in the received chunks. */
  readonly chunks: readonly Buffer[];
  readonly bytes: Buffer;
  /** The bytes as UTF-8 text. */
  readonly body: string;
  /** Counts the memory for reading `chunks`, if it has to be counted. `bytes` and `body` do so themselves. */
  beginReading?(): void;
  /** Creates the response for another reader, if the memory of each reader has to be counted. */
  forAnother?(): UpstreamResponse;
}

/** Receives the outcome of a request. Exactly one of `onResponse` and `onError` is called, once. */
export interface UpstreamHandler {
  /** The response is complete, with any status. */
  onResponse(response: UpstreamResponse): void;
  onError(error: UpstreamError): void;
  /**
   * The response begins. If the handler returns a sink, the sink's `onEnd` replaces `onResponse`. `onError` may still
   * follow.
   *
   * @returns undefined to receive the complete response.
   */
  onStart?(status: number, headers: UpstreamResponse['headers'], flow: UpstreamFlow): UpstreamSink | undefined;
}

/** Receives the bytes of a response as they arrive. */
export interface UpstreamSink {
  /** @returns the number of bytes that the sink keeps until more data arrives. */
  onData(chunk: Buffer): number;
  /** The response is complete. */
  onEnd(): void;
}

/** Controls the reading of a response that a sink receives. */
export interface UpstreamFlow {
  /** Stops reading, so that the upstream has to wait. */
  pause(): void;
  resume(): void;
  /** The response has usable content. The headers' deadline is met, and the request is no longer retried. */
  begun(): void;
  /** Rejects an invalid response: ends the exchange and calls `onError`. */
  refuse(reason: string): void;
}

/** Connection errors of this machine: no descriptors, buffers, memory or local ports are left (errno(3)). */
const EXHAUSTED = new Set(['EMFILE', 'ENFILE', 'ENOBUFS', 'ENOMEM', 'EADDRNOTAVAIL', 'EAGAIN']);
const EXHAUSTED_RETRY_SECONDS = 1;

/**
 * The maximum number of informational responses (RFC 9110 section 15.2) before the final one. Without a limit, a
 * service could send them forever.
 */
export const MAX_INFORMATIONAL_RESPONSES = 100;

/** The limits of an exchange. */
export interface ExchangeLimits {
  /**
   * The timeout for the headers of the response, in milliseconds. If undefined, the timeout of the whole response
   * applies.
   */
  readonly headersTimeoutMs: number | undefined;
  readonly maxBodyBytes: number;
  /** The memory budget that the source's responses share with all others. */
  readonly budget: SourceBudget;
  /** Starts a deadline. */
  readonly deadline: (timed: Timed, timeoutMs: number) => Deadline;
}

/**
 * The memory that reading a response takes, as a multiple of its length, besides its bytes: a contiguous copy, its text
 * and its value.
 */
const READ_FACTOR = 3;

/** A request in progress: undici's handler, its deadlines and its cancellation. */
export class UpstreamExchange implements Dispatcher.DispatchHandler, Cancellable, Timed, UpstreamFlow, BudgetedAnswer {
  readonly #handler: UpstreamHandler;
  readonly #cancellation: Cancellation | undefined;
  readonly #deadline: Deadline;
  readonly #headersDeadline: Deadline | undefined;
  readonly #maxBodyBytes: number;
  readonly #budget: SourceBudget;
  readonly #chunks = new Chunks();
  #controller: Dispatcher.DispatchController | undefined;
  /** Set if the response is received in chunks. */
  #sink: UpstreamSink | undefined;
  #informational = 0;
  #status = 0;
  #headers: UpstreamResponse['headers'] = {};
  #size = 0;
  /** The number of bytes counted in the budget. */
  #counted = 0;
  /** Whether the receiver has paused the response. */
  #isPaused = false;
  /** Whether the budget currently holds the response. `#wasHeld` stays true afterwards. */
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
    // If the response was held, the gateway may have caused the delay, not the service.
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
    // The timeout may have passed while the request waited for a connection.
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
    // Whether the response will be parsed is still unknown, and later it would be too late to pause. The memory for
    // parsing is therefore counted now.
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
      // undici would discard the error, and the caller would wait forever.
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
    // undici's parser cannot resume a connection while it processes another one, whose response may have ended.
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

  /** Releases counted bytes. Data that is still needed counts until the client has received the result made from it. */
  #giveBack(isNeeded: boolean): void {
    const kept = this.#counted / (1 + READ_FACTOR);
    const isKept = isNeeded && this.#cancellation?.whenOver(givingBack(this.#budget, kept));
    this.#budget.giveBack(isKept ? this.#counted - kept : this.#counted, this);
  }

  #complete(): UpstreamResponse {
    const chunks = this.#chunks.list;
    // Reading concatenates, decodes and parses the chunks.
    const onRead = this.#counted > 0 ? () => this.#countRead() : undefined;
    return new CompleteResponse(this.#status, this.#headers, chunks, onRead);
  }

  #countRead(): void {
    const bytes = this.#size * READ_FACTOR;
    const giveBack = givingBack(this.#budget, bytes);
    this.#budget.keep(bytes);
    if (!this.#cancellation?.whenOver(giveBack)) giveBack();
  }

  /** @returns false if the exchange had already ended. */
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

/** A separate function, since the closure may live long and must not keep the exchange with its chunks. */
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

  beginReading(): void {
    if (!this.#isRead) this.#onRead?.();
    this.#isRead = true;
  }

  get bytes(): Buffer {
    this.beginReading();
    const [first] = this.chunks;
    return first && this.chunks.length === 1 ? first : Buffer.concat(this.chunks);
  }

  get body(): string {
    return this.bytes.toString('utf8');
  }
}
