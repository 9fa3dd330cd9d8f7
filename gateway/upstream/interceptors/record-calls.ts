import { type FixedAttributes, fixedAttributes, type Span } from '../../../platform/index.ts';
import { type CallCounts, type CallOutcome, outcomeOf } from '../call-counts.ts';
import type { UpstreamError } from '../errors.ts';
import type { UpstreamHandler } from '../exchange.ts';
import type { CallRecorder, UpstreamRequest } from '../http-client.ts';
import { InterceptingHandler, type Interceptor } from './interceptor.ts';

/** The source that is called. */
export interface CalledSource {
  readonly name: string;
  readonly kind: string;
}

/**
 * Counts each call of a source once, however many attempts it takes. Records the call's outcome and duration, including
 * waits and retries, for the client request, and gives the call a span below the request's span. A single handler does
 * all of this, because each handler costs a request about a microsecond. If the request's span is not recorded, the
 * call has no span, and the ids of the request's span are sent to the source.
 *
 * @param countsOf returns the counts for a request. Undefined if an inner interceptor counts it, because requests may
 *   share a call.
 */
export function recordCalls(
  source: CalledSource,
  countsOf: (request: UpstreamRequest) => CallCounts | undefined,
): Interceptor {
  const callSpanOf = callSpans(source);
  return (next) => (request, handler) => {
    const { record, span } = request;
    const counts = countsOf(request);
    if (span?.isRecording) {
      const callSpan = callSpanOf(request);
      const startedAt = performance.now();
      const call = span.startChild(callSpan.name, 'client', undefined, startedAt);
      next({ ...request, span: call }, new RecordedCall(handler, source, counts, record, startedAt, call, callSpan));
    } else
      next(request, counts || record ? new RecordedCall(handler, source, counts, record, performance.now()) : handler);
  };
}

class RecordedCall extends InterceptingHandler {
  readonly #source: CalledSource;
  readonly #counts: CallCounts | undefined;
  readonly #record: CallRecorder | undefined;
  readonly #span: Span | undefined;
  readonly #callSpan: CallSpan | undefined;
  readonly #startedAt: number;

  constructor(
    handler: UpstreamHandler,
    source: CalledSource,
    counts: CallCounts | undefined,
    record: CallRecorder | undefined,
    startedAt: number,
    span?: Span,
    callSpan?: CallSpan,
  ) {
    super(handler);
    this.#source = source;
    this.#counts = counts;
    this.#record = record;
    this.#startedAt = startedAt;
    this.#span = span;
    this.#callSpan = callSpan;
  }

  protected ended(status: number): void {
    const endedAt = this.#add(outcomeOf(status));
    const span = this.#span;
    if (!span) return;
    if (this.#callSpan) span.addFixed(this.#callSpan.attributesOf(status));
    if (status >= 400) span.fail(String(status));
    span.end(endedAt);
  }

  protected failed({ reason }: UpstreamError): void {
    const endedAt = this.#add(reason);
    const span = this.#span;
    if (!span) return;
    if (this.#callSpan) span.addFixed(this.#callSpan.attributesOf(undefined));
    // If the client disconnects, the call has not failed.
    if (reason === 'aborted') span.setAttribute('error.type', reason);
    else span.fail(reason);
    span.end(endedAt);
  }

  /** @returns the end time of the call. */
  #add(outcome: CallOutcome): number {
    const endedAt = performance.now();
    const durationMs = endedAt - this.#startedAt;
    this.#counts?.add(outcome, durationMs);
    this.#record?.addCall(this.#source.name, this.#source.kind, outcome, durationMs);
    return endedAt;
  }
}

/** The common attributes of the spans of calls with one method to one address. */
class CallSpan {
  readonly name: string;
  readonly #values: Readonly<Record<string, string | number>>;
  readonly #byStatus = new Map<number | undefined, FixedAttributes>();

  /** The path is left out because it may contain values. */
  constructor(
    { name, kind }: CalledSource,
    readonly url: string,
    readonly method: string,
  ) {
    const { protocol, hostname, port } = URL.canParse(url) ? new URL(url) : UNKNOWN_ORIGIN;
    this.name = `${method} ${name}`;
    this.#values = {
      'http.request.method': method,
      'server.address': hostname,
      'server.port': Number(port) || (protocol === 'https:' ? 443 : 80),
      'portico.source.name': name,
      'portico.source.kind': kind,
    };
  }

  /** @param status the status of the response. Undefined if there is none. */
  attributesOf(status: number | undefined): FixedAttributes {
    return this.#byStatus.get(status) ?? this.#add(status);
  }

  #add(status: number | undefined): FixedAttributes {
    const attributes = fixedAttributes({
      ...this.#values,
      ...(status !== undefined && { 'http.response.status_code': status }),
    });
    // A service may send any status.
    if (this.#byStatus.size < MAX_STATUSES) this.#byStatus.set(status, attributes);
    return attributes;
  }
}

const UNKNOWN_ORIGIN = { protocol: 'http:', hostname: '', port: '' };
const MAX_STATUSES = 100;

/** Caches only the last address, since templates of actions can create any number of addresses. */
function callSpans(source: CalledSource): (request: UpstreamRequest) => CallSpan {
  let last: CallSpan | undefined;
  return ({ url, method }) => {
    if (last?.url !== url || last.method !== method) last = new CallSpan(source, url, method);
    return last;
  };
}
