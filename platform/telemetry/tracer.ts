import type { IncomingHttpHeaders } from 'node:http';
import { contextText, NewContexts, spanIdIn, traceIdIn } from './new-contexts.ts';
import type { IncomingContext, Propagation } from './propagators.ts';
import type { Sampler } from './sampler.ts';
import { type LocalTrace, RecordedSpan, type Span, type SpanKind, UnrecordedSpan } from './span.ts';
import { SpanIdGenerator } from './span-ids.ts';
import { type SpanContext, wordAt } from './trace-context.ts';

export interface TracerOptions {
  readonly sampler: Sampler;
  readonly propagation: Propagation;
  /** Receives spans to be exported. */
  readonly export: (span: RecordedSpan) => void;
  /** Called with the number of lost spans of a kept trace, because too many waited for the decision at its end. */
  readonly onDropped: (count: number) => void;
  readonly tail: TailOptions;
}

/** The traces that are kept although the sampler did not choose them. The decision is made when the request's span ends. */
export interface TailOptions {
  readonly keepErrors: boolean;
  /** The milliseconds from which a request counts as slow. Undefined if slow requests are not kept. */
  readonly keepSlowMs: number | undefined;
}

export interface RequestSpanOptions {
  readonly name: string;
  readonly kind?: SpanKind;
  readonly headers: IncomingHttpHeaders;
  /** Whether the caller's trace is continued. Otherwise a new trace begins, with a link to the caller's span. */
  readonly isTrusted: boolean;
  /** When the request began, by `performance.now()`. Defaults to now. */
  readonly startMs?: number;
}

/** The most spans of a trace that wait for the decision. */
const MAX_HELD = 128;
/** The difference from which the clock is corrected, in milliseconds. */
const MAX_DRIFT_MS = 2;
/** How often the difference is checked, in milliseconds. */
const CLOCK_CHECK_MS = 50;

/** Starts the spans of requests. A tracer exists while tracing is on. */
export class Tracer {
  /** How the trace context is received and passed on. */
  readonly propagation: Propagation;
  readonly #options: TracerOptions;
  readonly #spanIds = new SpanIdGenerator();
  readonly #newContexts = new NewContexts();
  readonly #hasTail: boolean;
  /** The origin of `performance.now()` by the current clock, in milliseconds since 1970. */
  #epochMs = performance.timeOrigin;
  #checkedClockMs = Number.NEGATIVE_INFINITY;

  constructor(options: TracerOptions) {
    this.#options = options;
    this.propagation = options.propagation;
    this.#hasTail = options.tail.keepErrors || options.tail.keepSlowMs !== undefined;
  }

  /** Starts the span of a received request. */
  startRequest({ name, kind = 'server', headers, isTrusted, startMs }: RequestSpanOptions): Span {
    const incoming = this.propagation.extract(headers, isTrusted);
    return isTrusted
      ? this.#start(name, kind, incoming, undefined, startMs)
      : this.#start(name, kind, NO_CONTEXT, incoming.parent, startMs);
  }

  /**
   * Starts a span without a caller's context: of the process's own work, or of a request without one.
   *
   * @param startMs when it began, by `performance.now()`. Defaults to now.
   */
  startRoot(name: string, kind: SpanKind = 'internal', startMs?: number): Span {
    return this.#start(name, kind, NO_CONTEXT, undefined, startMs);
  }

  #start(
    name: string,
    kind: SpanKind,
    { parent, baggage }: IncomingContext,
    link: SpanContext | undefined,
    startMs: number | undefined,
  ): Span {
    if (parent) return this.#continue(name, kind, parent, baggage, link, startMs);
    const contexts = this.#newContexts;
    const context = contexts.next();
    const isSampled = this.#options.sampler(contexts.word(2), undefined);
    // Most requests take this path if only a share of them is recorded.
    if (!isSampled && !this.#hasTail) return new UnrecordedSpan(context, '', this.propagation, baggage);
    const words = [contexts.word(0), contexts.word(1), contexts.word(2), contexts.word(3)] as const;
    const startedMs = startMs ?? performance.now();
    const trace = this.#trace(traceIdIn(context), words, isSampled, '', baggage, startedMs);
    const high = contexts.word(4);
    const low = contexts.word(5);
    const root = new RecordedSpan(trace, spanIdIn(context), high, low, 0, 0, false, name, kind, link, startedMs);
    trace.root = root;
    return root;
  }

  #continue(
    name: string,
    kind: SpanKind,
    parent: SpanContext,
    baggage: string,
    link: SpanContext | undefined,
    startMs: number | undefined,
  ): Span {
    const ids = this.#spanIds;
    const { traceId, traceState } = parent;
    const isSampled = this.#options.sampler(wordAt(traceId, 2), parent);
    const spanId = ids.next();
    if (!isSampled && !this.#hasTail)
      return new UnrecordedSpan(contextText(traceId, spanId), traceState, this.propagation, baggage);
    const words = [wordAt(traceId, 0), wordAt(traceId, 1), wordAt(traceId, 2), wordAt(traceId, 3)] as const;
    const startedMs = startMs ?? performance.now();
    const trace = this.#trace(traceId, words, isSampled, traceState, baggage, startedMs);
    const high = ids.lastWord(2);
    const low = ids.lastWord(1);
    const parentHigh = wordAt(parent.spanId, 0);
    const parentLow = wordAt(parent.spanId, 1);
    const root = new RecordedSpan(trace, spanId, high, low, parentHigh, parentLow, true, name, kind, link, startedMs);
    trace.root = root;
    return root;
  }

  #trace(
    traceId: string,
    words: LocalTrace['traceWords'],
    isSampled: boolean,
    traceState: string,
    baggage: string,
    startedMs: number,
  ): Trace {
    const epochMs = this.#clock(startedMs);
    return new Trace(this.#options, this.#spanIds, traceId, words, isSampled, traceState, epochMs, baggage);
  }

  /** All spans of a trace share one clock, so that they nest correctly even if the system's clock is changed. */
  #clock(nowMs: number): number {
    if (nowMs - this.#checkedClockMs < CLOCK_CHECK_MS) return this.#epochMs;
    this.#checkedClockMs = nowMs;
    const epochMs = Date.now() - performance.now();
    if (Math.abs(epochMs - this.#epochMs) > MAX_DRIFT_MS) this.#epochMs = epochMs;
    return this.#epochMs;
  }
}

const NO_CONTEXT: IncomingContext = Object.freeze({ parent: undefined, baggage: '' });

/** The spans of one request. If the sampler has not chosen them, they are held until the request ends. */
class Trace implements LocalTrace {
  root: RecordedSpan | undefined = undefined;
  #isKept: boolean;
  #isDecided: boolean;
  #held: RecordedSpan[] | undefined = undefined;
  /** Spans without room. They are lost only if the trace is kept. */
  #notHeld = 0;

  constructor(
    readonly options: TracerOptions,
    readonly spanIds: SpanIdGenerator,
    readonly traceId: string,
    readonly traceWords: LocalTrace['traceWords'],
    readonly isSampled: boolean,
    readonly traceState: string,
    readonly epochMs: number,
    readonly baggage: string,
  ) {
    this.#isKept = isSampled;
    this.#isDecided = isSampled;
  }

  headersOf(span: SpanContext): readonly string[] {
    return this.options.propagation.inject(span, this.baggage);
  }

  ended(span: RecordedSpan): void {
    if (!this.#isDecided) {
      if (span !== this.root) {
        this.#hold(span);
        return;
      }
      this.#decide(span);
    }
    if (this.#isKept) this.options.export(span);
  }

  #hold(span: RecordedSpan): void {
    this.#held ??= [];
    if (this.#held.length < MAX_HELD) this.#held.push(span);
    else this.#notHeld++;
  }

  #decide({ hasFailed, startMs, endMs }: RecordedSpan): void {
    const { keepErrors, keepSlowMs } = this.options.tail;
    this.#isDecided = true;
    this.#isKept = (keepErrors && hasFailed) || (keepSlowMs !== undefined && endMs - startMs >= keepSlowMs);
    if (this.#isKept) {
      for (const span of this.#held ?? []) this.options.export(span);
      if (this.#notHeld > 0) this.options.onDropped(this.#notHeld);
    }
    this.#held = undefined;
  }
}
