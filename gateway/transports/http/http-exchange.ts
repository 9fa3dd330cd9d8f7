import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import {
  Cancellation,
  CLIENT_CLOSED_REQUEST,
  clientAddress,
  type Logger,
  OTHER_ROUTE,
  requestIdOf,
  type Span,
} from '../../../platform/index.ts';
import type { Compressor } from './compressor.ts';
import type { RequestContext } from './request-context.ts';
import type { RequestRecord } from './request-record.ts';
import type { ResponseBatcher } from './response-batcher.ts';

/** A request with the properties that all parts of the gateway need. */
export interface IncomingRequest {
  readonly request: IncomingMessage;
  readonly requestId: string;
  readonly clientAddress: string;
  /** The path as it was sent, without the query string. */
  readonly path: string;
  /** The query string without its question mark. */
  readonly search: string;
  /** Adds the request id and the trace ids to each line. */
  readonly log: Logger;
  /** Undefined while tracing is off. Set before the first log line. */
  span: Span | undefined;
}

/** A WebSocket handshake. */
export interface UpgradeRequest extends IncomingRequest {
  /** Records the status of the response. Only the first call counts. */
  answered(status: number): void;
}

/** A request and its response. */
export interface HttpExchange extends IncomingRequest, RequestContext {
  readonly response: ServerResponse;
  /** The route for metrics: a path of the gateway or a template, never a path that a client chose. */
  route: string;
  /** When the head of the request had arrived, as a value of `performance.now()`. */
  readonly startedAt: number;
  /** The fields for the access log and the trace. Undefined if both are off. */
  record: RequestRecord | undefined;
  span: Span | undefined;
  /** The batcher that ends the response together with others. */
  readonly batcher: ResponseBatcher;
  /** Compresses long responses and decompresses bodies. Undefined if compression is off. */
  readonly compressor: Compressor | undefined;
  /** Closes the connection if the client does not read the response for too long. */
  watchReading(): void;
  /**
   * Calls `listener` once the response is finished or the client has disconnected.
   *
   * @param listener receives the duration in milliseconds.
   */
  onClose(listener: (durationMs: number) => void): void;
}

export interface HttpExchangeSettings {
  /** The number of trusted proxies in front of the gateway. */
  readonly trustedProxies: number;
  /** How long a client may stop reading a long response, in milliseconds. */
  readonly slowClientMs: number;
  /** Undefined if compression is off. */
  readonly compressor: Compressor | undefined;
}

/**
 * @param trustedProxies the number of trusted proxies in front of the gateway.
 * @param onAnswered called once with the status, which is 499 if the client disconnected first, and the duration in
 * milliseconds.
 */
export function describeUpgrade(
  request: IncomingMessage,
  socket: Socket,
  log: Logger,
  trustedProxies: number,
  onAnswered: (status: number, durationMs: number) => void,
): UpgradeRequest {
  const upgrade = new DescribedUpgrade(request, log, trustedProxies, onAnswered);
  socket.once('close', () => upgrade.answered(CLIENT_CLOSED_REQUEST));
  return upgrade;
}

export function openExchange(
  request: IncomingMessage,
  response: ServerResponse,
  batcher: ResponseBatcher,
  log: Logger,
  settings: HttpExchangeSettings,
): HttpExchange {
  return new OpenHttpExchange(request, response, batcher, log, settings);
}

class DescribedRequest implements IncomingRequest {
  readonly request: IncomingMessage;
  readonly requestId: string;
  readonly clientAddress: string;
  readonly path: string;
  readonly search: string;
  span: Span | undefined = undefined;
  readonly #parentLog: Logger;
  #log: Logger | undefined;

  constructor(request: IncomingMessage, log: Logger, trustedProxies: number) {
    const url = originForm(request);
    // Express reads the target there.
    request.url = url;
    const mark = url.indexOf('?');
    this.request = request;
    this.requestId = requestIdOf(request);
    this.clientAddress = clientAddress(request, trustedProxies);
    this.path = mark < 0 ? url : url.slice(0, mark);
    this.search = mark < 0 ? '' : url.slice(mark + 1);
    this.#parentLog = log;
  }

  // Created on first use: most requests log nothing but the line of the access log.
  get log(): Logger {
    const { span } = this;
    this.#log ??= this.#parentLog.child({
      request_id: this.requestId,
      ...(span && { trace_id: span.traceId, span_id: span.spanId }),
    });
    return this.#log;
  }
}

/**
 * Returns the target without scheme and host. A client that treats the gateway as a proxy sends an absolute URL, whose host
 * then takes precedence (RFC 9112 section 3.2.2).
 */
function originForm(request: IncomingMessage): string {
  const { url: target = '/', headers } = request;
  if (target.startsWith('/')) return target;
  const [, host, path] = /^https?:\/\/([^/?#]+)(.*)$/is.exec(target) ?? [];
  if (host === undefined || path === undefined) return target;
  headers.host = host;
  return path.startsWith('/') ? path : `/${path}`;
}

class DescribedUpgrade extends DescribedRequest implements UpgradeRequest {
  readonly #startedAt = performance.now();
  #onAnswered: ((status: number, durationMs: number) => void) | undefined;

  constructor(
    request: IncomingMessage,
    log: Logger,
    trustedProxies: number,
    onAnswered: (status: number, durationMs: number) => void,
  ) {
    super(request, log, trustedProxies);
    this.#onAnswered = onAnswered;
  }

  answered(status: number): void {
    const onAnswered = this.#onAnswered;
    this.#onAnswered = undefined;
    onAnswered?.(status, performance.now() - this.#startedAt);
  }
}

class OpenHttpExchange extends DescribedRequest implements HttpExchange {
  readonly response: ServerResponse;
  readonly batcher: ResponseBatcher;
  readonly compressor: Compressor | undefined;
  route = OTHER_ROUTE;
  readonly startedAt = performance.now();
  record: RequestRecord | undefined = undefined;
  readonly cancellation = new Cancellation(true);
  readonly #slowClientMs: number;
  readonly #listeners: ((durationMs: number) => void)[] = [];

  constructor(
    request: IncomingMessage,
    response: ServerResponse,
    batcher: ResponseBatcher,
    log: Logger,
    settings: HttpExchangeSettings,
  ) {
    super(request, log, settings.trustedProxies);
    this.response = response;
    this.batcher = batcher;
    this.compressor = settings.compressor;
    this.#slowClientMs = settings.slowClientMs;
    response.on('close', () => {
      const durationMs = performance.now() - this.startedAt;
      // Listeners run before the cancellation, so that the access log does not include its consequences.
      for (const listener of this.#listeners) listener(durationMs);
      if (!response.writableFinished) this.cancellation.cancel();
      this.cancellation.end();
    });
  }

  get clientHeaders(): IncomingHttpHeaders {
    return this.request.headers;
  }

  watchReading(): void {
    this.response.setTimeout(this.#slowClientMs, () => {
      this.log.warn({ event: 'response.aborted', reason: 'the client does not read its messages' }, 'response aborted');
      this.response.destroy();
    });
    // The next request of the connection may already be pending, and may take longer.
    this.response.prependOnceListener('finish', () => this.response.socket?.setTimeout(0));
  }

  onClose(listener: (durationMs: number) => void): void {
    this.#listeners.push(listener);
  }
}
