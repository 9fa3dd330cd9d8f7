import { type FixedAttributes, fixedAttributes, type Span } from '../../../platform/index.ts';
import { type CallCounts, type CallOutcome, outcomeOf } from '../call-counts.ts';
import type { UpstreamError, UpstreamHandler } from '../exchange.ts';
import type { CallRecorder, UpstreamRequest } from '../http-client.ts';
import { InterceptingHandler, type Interceptor } from './interceptor.ts';

/** The source that is called. */
export interface CalledSource {
  readonly name: string;
  readonly kind: string;
}

/**
 * Counts each call of a source, however often it is tried, records it for the client's request that causes it (its outcome
 * and how long it took with waits and retries), and gives it a span below the request's. One handler does all of that, since
 * each further handler costs a request about a microsecond. Where the request's span is not recorded, the call has no span of
 * its own, and the ids of the request's span are sent to the source.
 *
 * @param countsOf where a request is counted; undefined where it is counted further inside, because several may share a call.
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
    // A call whose client has disconnected has not failed.
    if (reason === 'aborted') span.setAttribute('error.type', reason);
    else span.fail(reason);
    span.end(endedAt);
  }

  /** @returns when it has ended. */
  #add(outcome: CallOutcome): number {
    const endedAt = performance.now();
    const durationMs = endedAt - this.#startedAt;
    this.#counts?.add(outcome, durationMs);
    this.#record?.addCall(this.#source.name, this.#source.kind, outcome, durationMs);
    return endedAt;
  }
}

/** What the spans of calls with one method to one address have in common. */
class CallSpan {
  readonly name: string;
  readonly #values: Readonly<Record<string, string | number>>;
  readonly #byStatus = new Map<number | undefined, FixedAttributes>();

  /** The path is left out: it may hold values. */
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

  /** @param status of the response; undefined where there is none. */
  attributesOf(status: number | undefined): FixedAttributes {
    return this.#byStatus.get(status) ?? this.#add(status);
  }

  #add(status: number | undefined): FixedAttributes {
    const attributes = fixedAttributes({
      ...this.#values,
      ...(status !== undefined && { 'http.response.status_code': status }),
    });
    // A service may answer with any number.
    if (this.#byStatus.size < MAX_STATUSES) this.#byStatus.set(status, attributes);
    return attributes;
  }
}

const UNKNOWN_ORIGIN = { protocol: 'http:', hostname: '', port: '' };
const MAX_STATUSES = 100;

/** Templates of actions can make up any number of addresses: those of the last one are kept. */
function callSpans(source: CalledSource): (request: UpstreamRequest) => CallSpan {
  let last: CallSpan | undefined;
  return ({ url, method }) => {
    if (last?.url !== url || last.method !== method) last = new CallSpan(source, url, method);
    return last;
  };
}
