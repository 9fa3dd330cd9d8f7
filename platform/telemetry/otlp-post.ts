import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Dispatcher, Pool } from 'undici';
import { basicAuthorization } from '../http/index.ts';

/** The response to a request, as far as retries depend on it. */
export type PostOutcome =
  | { readonly status: 'success'; readonly data: Uint8Array }
  | { readonly status: 'retryable'; readonly retryInMillis?: number; readonly error: Error }
  | { readonly status: 'failure'; readonly error: Error };

export interface OtlpPostOptions {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly compression: 'none' | 'gzip';
  /** The longest timeout that `send` is called with, in milliseconds. */
  readonly longestTimeoutMs: number;
  /** The most connections to the collector. */
  readonly connections: number;
}

/** Posts requests of the OpenTelemetry protocol to one URL. */
export interface OtlpPost {
  /** Posts a request once. Never rejects. @param timeoutMs for everything, from connecting to the last byte of the response. */
  send(request: Uint8Array, timeoutMs: number): Promise<PostOutcome>;
  /** Ends running requests with this error, and all later ones too. */
  close(error: Error): void;
}

/** The longest response that is read, in bytes. */
const MAX_COLLECTOR_ANSWER_BYTES = 4 * 1024 * 1024;
const COLLECTOR_CONNECT_MS = 10_000;
/** undici's timers are only accurate to a second, so the more accurate one of the request has to end first. */
const UNDICI_TIMER_MS = 1_000;
/** How long a connection stays open between exports unless the collector specifies it. Longer than most intervals. */
const KEEP_ALIVE_MS = 30_000;
/** Statuses after which the protocol requires a retry. */
const RETRYABLE_STATUSES = new Set([429, 502, 503, 504]);
/** Errors of a collector that is unavailable, starting or has closed the connection. */
const RETRYABLE_CODES = new Set([
  'ECONNRESET',
  'ECONNREFUSED',
  'EPIPE',
  'ETIMEDOUT',
  'EAI_AGAIN',
  'ENOTFOUND',
  'ENETUNREACH',
  'EHOSTUNREACH',
  'UND_ERR_SOCKET',
  'UND_ERR_CONNECT_TIMEOUT',
]);

const gzipped = promisify(gzip);

/**
 * Opens connections with undici, which is also the client for services. OpenTelemetry's own transport uses `node:http`, whose
 * client shares its streams with the server. V8 would then compile those for the objects of both, and every request of the
 * process would take longer, however rarely something is exported (docs/development.md, Speed).
 */
export async function openOtlpPost(options: OtlpPostOptions): Promise<OtlpPost> {
  const { url, headers, compression, longestTimeoutMs, connections } = options;
  const { Pool } = await import('undici');
  const address = new URL(url);
  const { origin, pathname, search } = address;
  const pool = new Pool(origin, {
    connections,
    pipelining: 1,
    headersTimeout: longestTimeoutMs + UNDICI_TIMER_MS,
    bodyTimeout: longestTimeoutMs + UNDICI_TIMER_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    connect: { timeout: Math.min(COLLECTOR_CONNECT_MS, longestTimeoutMs + UNDICI_TIMER_MS) },
  });
  const isAuthorized = Object.keys(headers).some((name) => name.toLowerCase() === 'authorization');
  const allHeaders = Object.entries({
    ...(!isAuthorized && basicAuthorization(address)),
    ...headers,
    'user-agent': 'portico',
    'content-type': 'application/x-protobuf',
    ...(compression === 'gzip' && { 'content-encoding': 'gzip' }),
  }).flat();
  let closedBy: Error | undefined;
  return {
    send: async (request, timeoutMs) => {
      const body = compression === 'gzip' ? await gzipped(request) : request;
      if (closedBy) return { status: 'failure', error: closedBy };
      const outcome = await postExport(pool, { path: pathname + search, headers: allHeaders, body }, timeoutMs);
      return closedBy && outcome.status !== 'success' ? { status: 'failure', error: closedBy } : outcome;
    },
    close: (error) => {
      closedBy ??= error;
      void pool.destroy(error);
    },
  };
}

function postExport(
  pool: Pool,
  { path, headers, body }: { path: string; headers: string[]; body: Uint8Array },
  timeoutMs: number,
): Promise<PostOutcome> {
  return new Promise((resolve) => {
    const answer = new PostedExport(resolve, timeoutMs);
    pool.dispatch({ method: 'POST', path, headers, body }, answer);
  });
}

/** A request and its response. */
class PostedExport implements Dispatcher.DispatchHandler {
  readonly #resolve: (outcome: PostOutcome) => void;
  readonly #timer: NodeJS.Timeout;
  #controller: Dispatcher.DispatchController | undefined;
  #isOver = false;
  #status = 0;
  #retryAfter: string | undefined;
  #chunks: Buffer[] = [];
  #size = 0;

  constructor(resolve: (outcome: PostOutcome) => void, timeoutMs: number) {
    this.#resolve = resolve;
    this.#timer = setTimeout(() => this.#giveUp({ status: 'retryable', error: new Error('timeout') }), timeoutMs);
    this.#timer.unref();
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    // undici cannot take back a request that waits for a connection, so the time may be over before it is sent.
    if (this.#isOver) controller.abort(new Error('timeout'));
  }

  onResponseStart(
    _: Dispatcher.DispatchController,
    status: number,
    headers: Readonly<Record<string, string | string[] | undefined>>,
  ): void {
    this.#status = status;
    this.#retryAfter = headers['retry-after']?.toString();
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#size += chunk.length;
    if (this.#size <= MAX_COLLECTOR_ANSWER_BYTES) this.#chunks.push(chunk);
    else this.#giveUp({ status: 'failure', error: new Error('the response is too long') });
  }

  onResponseEnd(): void {
    this.#end(this.#outcome());
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    // The status counts, even if the end of the response is lost.
    if (this.#status !== 0) {
      this.#chunks = [];
      this.#end(this.#outcome());
      return;
    }
    const { code } = error as NodeJS.ErrnoException;
    this.#end({ status: code !== undefined && RETRYABLE_CODES.has(code) ? 'retryable' : 'failure', error });
  }

  #outcome(): PostOutcome {
    const status = this.#status;
    if (status <= 299) return { status: 'success', data: Buffer.concat(this.#chunks) };
    // `exportFailure` reports it by its code.
    const error = Object.assign(new Error(`status ${status}`), { code: status });
    if (!RETRYABLE_STATUSES.has(status)) return { status: 'failure', error };
    const retryInMillis = retryAfterOf(this.#retryAfter);
    return { status: 'retryable', error, ...(retryInMillis !== undefined && { retryInMillis }) };
  }

  #giveUp(outcome: PostOutcome & { readonly error: Error }): void {
    this.#end(outcome);
    this.#controller?.abort(outcome.error);
  }

  /** Ends the request. Only the first call counts. */
  #end(outcome: PostOutcome): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
    this.#resolve(outcome);
  }
}

/** Returns `Retry-After` (RFC 9110 section 10.2.3) in milliseconds, or undefined if it is absent or invalid. */
function retryAfterOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const ms = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - Date.now();
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}
