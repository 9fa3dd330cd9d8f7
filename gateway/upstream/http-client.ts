import type { Readable } from 'node:stream';
import { Pool } from 'undici';
import { type Cancellation, ImmediateQueue, type Span } from '../../platform/index.ts';
import { AnswerBudget } from './answer-budget.ts';
import type { CallOutcome } from './call-counts.ts';
import {
  type ExchangeLimits,
  UpstreamError,
  UpstreamExchange,
  type UpstreamHandler,
  type UpstreamResponse,
} from './exchange.ts';
import { singleDeadline, TimerBuckets } from './timer-buckets.ts';
import { UnfinishedEvents } from './unfinished-events.ts';
import { type RequestHeaders, withHeaders } from './with-headers.ts';

export interface UpstreamRequest {
  readonly url: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Names to values, or names and values in turn. */
  readonly headers: RequestHeaders;
  /** A stream is sent once and never retried. */
  readonly body?: string | Readable;
  /** For the whole exchange, in milliseconds. */
  readonly timeoutMs: number;
  /** For a retry, or a call that has waited: the timeout of the whole call, of which `timeoutMs` is the remainder. */
  readonly fullTimeoutMs?: number;
  /** The longest response that is taken, in bytes, where that is less than of other responses. */
  readonly maxResponseBytes?: number;
  /** Whether it is a query: it changes nothing, so it may be retried and its response shared. */
  readonly isQuery?: boolean;
  /** Whether its response may be received in parts, as it arrives: then it cannot be shared. */
  readonly takesParts?: boolean;
  /** Cancels the exchange. */
  readonly cancellation?: Cancellation | undefined;
  /** Records the call for the client's request that causes it. */
  readonly record?: CallRecorder | undefined;
  /** Is told when the request begins to be sent: until then, identical ones may join it. Set by the interceptors. */
  readonly unsent?: { sent(): void } | undefined;
  /** Takes the details of the call, for a request that is explained. Set by the interceptors. */
  readonly explanation?: CallExplanation | undefined;
  /**
   * The parent of the call's span. Within the interceptors it is the span of the call itself, whose ids are sent to the
   * upstream in headers.
   */
  readonly span?: Span | undefined;
}

/** Records the calls of services that a request of a client causes. */
export interface CallRecorder {
  /** A call has ended, after `durationMs` milliseconds with its waits and retries. */
  addCall(name: string, kind: string, outcome: CallOutcome, durationMs: number): void;
  /** A call begins that is to be described in detail; undefined, as is the method itself, where none is. */
  explainCall?(name: string, kind: string): CallExplanation | undefined;
}

/** Takes the details of one call, in the order in which they happen. */
export interface CallExplanation {
  /** The query is sent again. */
  addRetry(): void;
  /** The query gets the response of an equal one that is under way. */
  share(): void;
  /** It has waited for a slot, in milliseconds. */
  addWait(waitMs: number): void;
  /** @param bytes of the response's body, as far as it came. */
  end(outcome: CallOutcome, bytes: number): void;
}

/** Sends requests to upstreams. */
export interface UpstreamHttp {
  /** Sends a request and calls `handler` with the response or the error. */
  dispatch(request: UpstreamRequest, handler: UpstreamHandler): void;
  /**
   * The same as a promise.
   *
   * @throws UpstreamError when there is no complete response; any status is a response.
   */
  send(request: UpstreamRequest): Promise<UpstreamResponse>;
}

/** How a source is connected to. */
export interface PoolSettings {
  readonly name: string;
  /** Connections to one origin at most. */
  readonly connections: number;
  readonly connectTimeoutMs: number;
  readonly headersTimeoutMs: number | undefined;
}

/** The gateway's connections to its upstreams. */
export interface UpstreamConnections extends UpstreamHttp {
  /** Connections that belong to one source. Pools with equal settings share them. */
  pool(settings: PoolSettings): UpstreamHttp;
  /** Bytes of long answers that are in memory, and how many answers are not read for it. */
  readonly buffered: Pick<AnswerBudget, 'bytes' | 'held'>;
  /** Limits the memory of events that come over connections of their own. */
  readonly unfinishedEvents: Pick<UnfinishedEvents, 'begin'>;
  close(): Promise<void>;
}

export interface UpstreamConnectionsOptions {
  /** The longest answer that is taken, in bytes. */
  readonly maxResponseBytes?: number;
  /** What answers may take of the memory together, in bytes. */
  readonly maxBufferedBytes?: number;
  /** Headers that go with the requests of one origin that have a span, names and values in turn. */
  readonly traced?: TracedHeaders | undefined;
}

/** Headers that one origin gets beside the context of a trace, which make it continue the trace. */
export interface TracedHeaders {
  readonly origin: string;
  /** Names and values in turn. */
  readonly headers: readonly string[];
}

/** The most parsed addresses that are cached; templates of actions can make any number of them. */
const MAX_ADDRESSES = 1_000;
const DEFAULT_MAX_RESPONSE_BYTES = 64 * 1024 * 1024;
const DEFAULT_MAX_BUFFERED_BYTES = 128 * 1024 * 1024;
/** For requests that belong to no source: keys of tokens, revocations, introspection. */
const COMMON: PoolSettings = { name: '', connections: 128, connectTimeoutMs: 5_000, headersTimeoutMs: undefined };

/** Keep-alive connections to upstream origins. All requests to them are sent here. */
export function openUpstreamHttp(options: UpstreamConnectionsOptions = {}): UpstreamConnections {
  const { maxResponseBytes = DEFAULT_MAX_RESPONSE_BYTES, maxBufferedBytes = DEFAULT_MAX_BUFFERED_BYTES } = options;
  const budget = new AnswerBudget(maxBufferedBytes);
  const pools = new Map<string, Pool>();
  const deadlines = new TimerBuckets();
  const pending = new ImmediateQueue(dispatchPending, ({ exchange }, error) =>
    exchange.fail(new UpstreamError('connection', error)),
  );

  function poolFor(origin: string, { name, connections, connectTimeoutMs }: PoolSettings): Pool {
    const key = JSON.stringify([origin, name, connections, connectTimeoutMs]);
    let pool = pools.get(key);
    if (!pool) {
      // An exchange has its own deadlines, so undici need not watch its parts.
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
      // The remainder of a timeout is hardly ever as long for two requests.
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

/** A request that is to be sent. */
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

/** Wraps `dispatch` as a function that returns a promise. */
export function sender(dispatch: UpstreamHttp['dispatch']): UpstreamHttp['send'] {
  return (request) => new Promise((onResponse, onError) => dispatch(request, { onResponse, onError }));
}

/** A parsed URL. */
interface UpstreamAddress {
  readonly pool: Pool;
  readonly path: string;
  /** Of requests that have a span. */
  readonly traced: readonly string[] | undefined;
}
