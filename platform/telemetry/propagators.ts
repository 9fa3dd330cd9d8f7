import type { IncomingHttpHeaders } from 'node:http';
import { formatB3, parseB3, parseB3Headers } from './b3.ts';
import { parseBaggage } from './baggage.ts';
import { formatTraceParent, parseTraceParent, type SpanContext } from './trace-context.ts';

/** Formats in which the trace context is received and passed on, by their names in `OTEL_PROPAGATORS`. */
export const PROPAGATORS = ['tracecontext', 'baggage', 'b3', 'b3multi'] as const;

export type Propagator = (typeof PROPAGATORS)[number];

/** The headers of all formats. A service gets them from the gateway's own span, never from a client. */
export const PROPAGATION_HEADERS: readonly string[] = [
  'traceparent',
  'tracestate',
  'baggage',
  'b3',
  'x-b3-traceid',
  'x-b3-spanid',
  'x-b3-parentspanid',
  'x-b3-sampled',
  'x-b3-flags',
];

/** The trace context of a caller. */
export interface IncomingContext {
  /** The caller's span. Undefined if it is absent or invalid. */
  readonly parent: SpanContext | undefined;
  /** Empty if there is none. */
  readonly baggage: string;
}

const NOTHING: IncomingContext = Object.freeze({ parent: undefined, baggage: '' });

export class Propagation {
  readonly #takesTraceContext: boolean;
  readonly #takesBaggage: boolean;
  readonly #takesB3: boolean;
  readonly #takesB3Headers: boolean;

  constructor(propagators: readonly Propagator[]) {
    this.#takesTraceContext = propagators.includes('tracecontext');
    this.#takesBaggage = propagators.includes('baggage');
    this.#takesB3 = propagators.includes('b3');
    this.#takesB3Headers = propagators.includes('b3multi');
  }

  /**
   * Reads the context of a request. The formats are tried in the order of `PROPAGATORS`, and the first valid one counts.
   *
   * @param isTrusted whether baggage is read. The baggage of untrusted callers is not passed on.
   */
  extract(headers: IncomingHttpHeaders, isTrusted: boolean): IncomingContext {
    const parent = this.#parent(headers);
    const baggage = this.#takesBaggage && isTrusted ? single(headers.baggage) : undefined;
    if (!parent && baggage === undefined) return NOTHING;
    return { parent, baggage: baggage === undefined ? '' : parseBaggage(baggage) };
  }

  #parent(headers: IncomingHttpHeaders): SpanContext | undefined {
    let parent: SpanContext | undefined;
    if (this.#takesTraceContext && headers.traceparent !== undefined)
      parent = parseTraceParent(single(headers.traceparent) ?? '', single(headers.tracestate));
    if (!parent && this.#takesB3 && headers.b3 !== undefined) parent = parseB3(single(headers.b3) ?? '');
    if (!parent && (this.#takesB3Headers || this.#takesB3) && headers['x-b3-traceid'] !== undefined)
      parent = parseB3Headers(
        single(headers['x-b3-traceid']),
        single(headers['x-b3-spanid']),
        single(headers['x-b3-sampled']),
        single(headers['x-b3-flags']),
      );
    return parent;
  }

  /** @returns alternating names and values of the headers for a service. */
  inject(span: SpanContext, baggage: string): readonly string[] {
    return this.injectText(formatTraceParent(span), span, baggage);
  }

  /** Like `inject`. @param traceParent the span's `traceparent`. */
  injectText(traceParent: string, span: SpanContext, baggage: string): readonly string[] {
    if (this.#takesTraceContext && !this.#takesB3 && !this.#takesB3Headers && baggage === '' && span.traceState === '')
      return ['traceparent', traceParent];
    const headers: string[] = [];
    if (this.#takesTraceContext) {
      headers.push('traceparent', traceParent);
      if (span.traceState !== '') headers.push('tracestate', span.traceState);
    }
    if (this.#takesBaggage && baggage !== '') headers.push('baggage', baggage);
    if (this.#takesB3) headers.push('b3', formatB3(span));
    if (this.#takesB3Headers)
      headers.push(
        'x-b3-traceid',
        span.traceId,
        'x-b3-spanid',
        span.spanId,
        'x-b3-sampled',
        span.isSampled ? '1' : '0',
      );
    return headers;
  }
}

/** Node.js joins repeated headers of these names by commas, which is correct for lists and makes the others invalid. */
function single(value: string | readonly string[] | undefined): string | undefined {
  return typeof value === 'string' || value === undefined ? value : value.join(',');
}
