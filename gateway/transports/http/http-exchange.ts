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

/** A request, with the facts that all rooms need. */
export interface IncomingRequest {
  readonly request: IncomingMessage;
  readonly requestId: string;
  readonly clientAddress: string;
  /** The path without the query string, as it was sent. */
  readonly path: string;
  /** The query string, without its question mark. */
  readonly search: string;
  /** Its lines carry the request id, and the ids of the trace. */
  readonly log: Logger;
  /** Undefined while tracing is off. Set before anything is logged. */
  span: Span | undefined;
}

/** A handshake of a WebSocket. */
export interface UpgradeRequest extends IncomingRequest {
  /** Records with which status it was answered. Only the first call counts. */
  answered(status: number): void;
}

/** A request and its response. */
export interface HttpExchange extends IncomingRequest, RequestContext {
  readonly response: ServerResponse;
  /** The route, for metrics: a path of the gateway's own or a template, never one that a client chose. */
  route: string;
  /** When its head had arrived, as `performance.now()` tells it. */
  readonly startedAt: number;
  /** What the access log and the trace say of it; undefined where there is neither. */
  record: RequestRecord | undefined;
  span: Span | undefined;
  /** Where the response is to end together with others. */
  readonly batcher: ResponseBatcher;
  /** Compresses long answers; undefined where it is switched off, for the bodies of requests as well. */
  readonly compressor: Compressor | undefined;
  /** Closes the connection if the client reads nothing of the response for too long. */
  watchReading(): void;
  /**
   * Calls `listener` when the response is finished, or the client has disconnected before.
   *
   * @param listener gets how long it took, in milliseconds.
   */
  onClose(listener: (durationMs: number) => void): void;
}

export interface HttpExchangeSettings {
  /** How many proxies of ours stand in front of the gateway. */
  readonly trustedProxies: number;
  /** How long a client may take nothing of a long answer, in milliseconds. */
  readonly slowClientMs: number;
  /** Undefined where compression is switched off. */
  readonly compressor: Compressor | undefined;
}

/**
 * @param trustedProxies how many proxies of ours stand in front of the gateway.
 * @param onAnswered called once with the status, 499 where the client went away first, and the duration in milliseconds.
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
    // Express reads it there.
    request.url = url;
    const mark = url.indexOf('?');
    this.request = request;
    this.requestId = requestIdOf(request);
    this.clientAddress = clientAddress(request, trustedProxies);
    this.path = mark < 0 ? url : url.slice(0, mark);
    this.search = mark < 0 ? '' : url.slice(mark + 1);
    this.#parentLog = log;
  }

  // Most requests have nothing to log but the line that the access log makes of them.
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
 * The target without scheme and host. Clients that take the gateway for a proxy send the whole address, and then its
 * host is the one that counts (RFC 9112 section 3.2.2).
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
      // The access log writes what there was before the client left, and not what cancelling its operation leads to.
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
    // The next response of the connection may already wait for its turn, and what it waits for may take longer.
    this.response.prependOnceListener('finish', () => this.response.socket?.setTimeout(0));
  }

  onClose(listener: (durationMs: number) => void): void {
    this.#listeners.push(listener);
  }
}
