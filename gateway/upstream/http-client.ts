import type { Readable } from 'node:stream';
import { Pool } from 'undici';
import { type Cancellation, ImmediateQueue, type Span } from '../../platform/index.ts';
import { AnswerBudget } from './answer-budget.ts';
import type { CallOutcome } from './call-counts.ts';
import { Deadlines, singleDeadline } from './deadlines.ts';
import { UpstreamError } from './errors.ts';
import { type ExchangeLimits, UpstreamExchange, type UpstreamHandler, type UpstreamResponse } from './exchange.ts';
import { UnfinishedEvents } from './unfinished-events.ts';
import { type RequestHeaders, withHeaders } from './with-headers.ts';

export interface UpstreamRequest {
  readonly url: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Names to values, or alternating names and values. */
  readonly headers: RequestHeaders;
  /** The body. A stream is sent once and never retried. */
  readonly body?: string | Readable;
  /** The timeout of the whole exchange, in milliseconds. */
  readonly timeoutMs: number;
  /**
   * Set for a retry or a call that has waited: the timeout of the whole call, of which `timeoutMs` is the remainder.
   */
  readonly fullTimeoutMs?: number;
  /** The maximum size of the response in bytes, if it is lower than the general limit. */
  readonly maxResponseBytes?: number;
  /** Whether the request is a query. A query changes nothing, so it may be retried and its response shared. */
  readonly isQuery?: boolean;
  /** Whether the response may be received in chunks. If so, it cannot be shared. */
  readonly takesParts?: boolean;
  /** Cancels the exchange. */
  readonly cancellation?: Cancellation | undefined;
  /** Records the call for the client request that caused it. */
  readonly record?: CallRecorder | undefined;
  /** Notified when sending begins. Until then, identical requests may join. Set by the interceptors. */
  readonly unsent?: { sent(): void } | undefined;
  /** Receives the details of the call if the client request is explained. Set by the interceptors. */
  readonly explanation?: CallExplanation | undefined;
  /**
   * The parent of the call's span. Within the interceptors it is the span of the call itself, whose ids are sent to the
   * upstream in headers.
   */
  readonly span?: Span | undefined;
}

/** Records the calls of services that a client request causes. */
export interface CallRecorder {
  /** Records a finished call. `durationMs` includes waits and retries, in milliseconds. */
  addCall(name: string, kind: string, outcome: CallOutcome, durationMs: number): void;
  /** Starts the detailed description of a call. Undefined if calls are not described. */
  explainCall?(name: string, kind: string): CallExplanation | undefined;
}

/** Receives the details of one call in chronological order. */
export interface CallExplanation {
  /** The query is sent again. */
  addRetry(): void;
  /** The query gets the response of an equal query in progress. */
  share(): void;
  /** The query has waited for a slot, in milliseconds. */
  addWait(waitMs: number): void;
  /** @param bytes the number of bytes received of the response's body. */
  end(outcome: CallOutcome, bytes: number): void;
}

/** Sends requests to upstreams. */
export interface UpstreamHttp {
  /** Sends a request and calls `handler` with the response or the error. */
  dispatch(request: UpstreamRequest, handler: UpstreamHandler): void;
  /**
   * Like `dispatch`, but returns a promise.
   *
   * @throws UpstreamError if there is no complete response. A response may have any status.
   */
  send(request: UpstreamRequest): Promise<UpstreamResponse>;
}

/** The settings of a source's connections. */
export interface PoolSettings {
  readonly name: string;
  /** The maximum number of connections to one origin. */
  readonly connections: number;
  readonly connectTimeoutMs: number;
  readonly headersTimeoutMs: number | undefined;
}

/** The gateway's connections to its upstreams. */
export interface UpstreamConnections extends UpstreamHttp {
  /** The connections of one source. Pools with equal settings share them. */
  pool(settings: PoolSettings): UpstreamHttp;
  /** The bytes of long responses in memory, and the number of responses that are paused because of them. */
  readonly buffered: Pick<AnswerBudget, 'bytes' | 'held'>;
  /** Limits the memory of events that arrive over separate connections. */
  readonly unfinishedEvents: Pick<UnfinishedEvents, 'begin'>;
  close(): Promise<void>;
}

export interface UpstreamConnectionsOptions {
  /** The maximum size of a response, in bytes. */
  readonly maxResponseBytes?: number;
  /** The maximum memory of all responses together, in bytes. */
  readonly maxBufferedBytes?: number;
  /** Headers for requests to one origin that have a span. */
  readonly traced?: TracedHeaders | undefined;
}

/** Headers that one origin gets besides the trace context, so that it continues the trace. */
export interface TracedHeaders {
  readonly origin: string;
  /** Alternating names and values. */
  readonly headers: readonly string[];
}

/** The maximum number of cached parsed addresses. Templates of actions can create any number of addresses. */
const MAX_ADDRESSES = 1_000;
const DEFAULT_MAX_RESPONSE_BYTES = 64 * 1024 * 1024;
const DEFAULT_MAX_BUFFERED_BYTES = 128 * 1024 * 1024;
/** The pool for requests that belong to no source: token keys, revocations and introspection. */
const COMMON: PoolSettings = { name: '', connections: 128, connectTimeoutMs: 5_000, headersTimeoutMs: undefined };

/** Opens keep-alive connections to upstream origins. All requests to upstreams go through these. */
export function openUpstreamHttp(options: UpstreamConnectionsOptions = {}): UpstreamConnections {
  const { maxResponseBytes = DEFAULT_MAX_RESPONSE_BYTES, maxBufferedBytes = DEFAULT_MAX_BUFFERED_BYTES } = options;
  const budget = new AnswerBudget(maxBufferedBytes);
  const pools = new Map<string, Pool>();
  const deadlines = new Deadlines();
  const pending = new ImmediateQueue(dispatchPending, ({ exchange }, error) =>
    exchange.fail(new UpstreamError('connection', error)),
  );

  function poolFor(origin: string, { name, connections, connectTimeoutMs }: PoolSettings): Pool {
    const key = JSON.stringify([origin, name, connections, connectTimeoutMs]);
    let pool = pools.get(key);
    if (!pool) {
      // Exchanges have their own deadlines, so undici's timeouts are disabled.
      pool = new Pool(origin, {
        connections,
        pipelining: 1,
        headersTimeout: 0,
        bodyTimeout: 0,
        connect: { timeout: connectTimeoutMs },
      });
      pools.set(key, pool);
    }
    return pool;
  }

  function pool(settings: PoolSettings): UpstreamHttp {
    const addresses = new Map<string, UpstreamAddress>();
    const limits: ExchangeLimits = {
      headersTimeoutMs: settings.headersTimeoutMs,
      maxBodyBytes: maxResponseBytes,
      budget: budget.ofSource(),
      deadline: (timed, timeoutMs) => deadlines.start(timed, timeoutMs),
    };
    const limitsOfRemainder: ExchangeLimits = { ...limits, deadline: singleDeadline };

    function addressOf(url: string): UpstreamAddress {
      let address = addresses.get(url);
      if (!address) {
        const { origin, pathname, search } = new URL(url);
        const traced = origin === options.traced?.origin ? options.traced.headers : undefined;
        address = { pool: poolFor(origin, settings), path: pathname + search, traced };
        if (addresses.size >= MAX_ADDRESSES) addresses.clear();
        addresses.set(url, address);
      }
      return address;
    }

    function dispatch(request: UpstreamRequest, handler: UpstreamHandler): void {
      const { cancellation, timeoutMs, fullTimeoutMs } = request;
      // Remainders of timeouts are rarely equal, so they do not share timers.
      const ofTimeout = fullTimeoutMs === undefined ? limits : limitsOfRemainder;
      const ownLimits =
        request.maxResponseBytes === undefined ? ofTimeout : shorter(ofTimeout, request.maxResponseBytes);
      const exchange = new UpstreamExchange(handler, cancellation, timeoutMs, ownLimits);
      if (!exchange.isOver) pending.add({ request, exchange, addressOf });
    }
    return { dispatch, send: sender(dispatch) };
  }

  return {
    ...pool(COMMON),
    pool,
    buffered: budget,
    unfinishedEvents: new UnfinishedEvents(maxBufferedBytes),
    close: async () => {
      await Promise.all([...pools.values()].map((pool) => pool.destroy()));
    },
  };
}

function shorter(limits: ExchangeLimits, maxBytes: number): ExchangeLimits {
  return { ...limits, maxBodyBytes: Math.min(limits.maxBodyBytes, maxBytes) };
}

/** A request that waits to be sent. */
interface PendingDispatch {
  readonly request: UpstreamRequest;
  readonly exchange: UpstreamExchange;
  readonly addressOf: (url: string) => UpstreamAddress;
}

function dispatchPending({ request, exchange, addressOf }: PendingDispatch): void {
  if (exchange.isOver) return;
  request.unsent?.sent();
  const { pool, path, traced } = addressOf(request.url);
  const { method, span, body = null } = request;
  let { headers } = request;
  if (span) {
    headers = withHeaders(headers, span.headers);
    if (traced) headers = withHeaders(headers, traced);
  }
  pool.dispatch({ path, method, headers: headers as Record<string, string>, body }, exchange);
}

/** Wraps `dispatch` in a function that returns a promise. */
export function sender(dispatch: UpstreamHttp['dispatch']): UpstreamHttp['send'] {
  return (request) => new Promise((onResponse, onError) => dispatch(request, { onResponse, onError }));
}

/** A parsed URL. */
interface UpstreamAddress {
  readonly pool: Pool;
  readonly path: string;
  /** Headers for requests with a span. */
  readonly traced: readonly string[] | undefined;
}
