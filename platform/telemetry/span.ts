import type { FixedAttributes } from './fixed-attributes.ts';
import { logFieldsIn, logFieldsOf, spanIdIn, traceIdIn, traceParentIn } from './new-contexts.ts';
import type { Propagation } from './propagators.ts';
import type { SpanIdGenerator } from './span-ids.ts';
import type { SpanContext } from './trace-context.ts';
import type { AttributeValue } from './write-attribute.ts';

/** The kind of a span: work within the process, a received request, a sent request. */
export type SpanKind = 'internal' | 'server' | 'client' | 'producer' | 'consumer';

/**
 * A span of a trace. An unsampled span has the same methods, which do nothing, so that callers need no check.
 *
 * Each span must be ended once, also after errors, since `end` exports it. Later calls have no effect. Never put values of
 * variables, documents, tokens, tenants or users into names, attributes or events.
 */
export interface Span extends SpanContext {
  /** Whether the attributes may be exported. Check it before computing expensive ones. */
  readonly isRecording: boolean;
  /** Alternating names and values of the headers that propagate this span to a service. Created at first use. */
  readonly headers: readonly string[];
  /** The span's ids as members of a JSON log line, each preceded by a comma. */
  readonly logFields: string;
  /**
   * Starts a child span. `name` must be from a small set: no ids, no paths with values.
   *
   * @param startMs when it began, by `performance.now()`. Defaults to now.
   */
  startChild(name: string, kind?: SpanKind, fixed?: FixedAttributes, startMs?: number): Span;
  setName(name: string): void;
  /** Sets an attribute. A later value of the same name replaces it. */
  setAttribute(name: string, value: AttributeValue): void;
  /** Adds encoded attributes. At most four such sets are kept. */
  addFixed(...attributes: readonly FixedAttributes[]): void;
  /** Adds an event at one moment, such as a retry or an event of a subscription. The first 128 are kept, others are counted. */
  addEvent(name: string, attributes?: Readonly<Record<string, AttributeValue>>): void;
  /**
   * Marks the span as failed. @param errorType from a small set: a status, a code. @param message for readers, without values.
   */
  fail(errorType: string, message?: string): void;
  /** @param atMs when the span ended, by `performance.now()`. Defaults to now. */
  end(atMs?: number): void;
}

/** An event of a recorded span. */
export interface SpanEvent {
  /** By `performance.now()`. */
  readonly atMs: number;
  readonly name: string;
  readonly attributes: Readonly<Record<string, AttributeValue>> | undefined;
}

/** Properties that all spans of a trace share within this process. */
export interface LocalTrace {
  readonly traceId: string;
  /** The trace id as words of 32 bits, so that encoding a span need not parse the text. */
  readonly traceWords: readonly [number, number, number, number];
  readonly spanIds: SpanIdGenerator;
  readonly isSampled: boolean;
  readonly traceState: string;
  /** The time origin of `performance.now()`, in milliseconds since 1970. */
  readonly epochMs: number;
  /** Returns alternating names and values of the headers that propagate a span to a service. */
  headersOf(span: SpanContext): readonly string[];
  /** Called once when each span ends. */
  ended(span: RecordedSpan): void;
}

const MAX_SPAN_ATTRIBUTES = 64;
const MAX_FIXED = 4;
const MAX_EVENTS = 128;

/**
 * A span that is sampled, or may be kept. If all requests are sampled, each creates one. It therefore has only the necessary
 * fields, and its lists are allocated with their first items: a growing list reserves room for 17.
 */
export class RecordedSpan implements Span {
  readonly trace: LocalTrace;
  readonly spanId: string;
  /** The halves of the id, 32 bits each. */
  readonly idHigh: number;
  readonly idLow: number;
  /** Both are 0 if there is no parent, since no id is 0. */
  readonly parentHigh: number;
  readonly parentLow: number;
  /** Whether the parent is in another process. */
  readonly hasRemoteParent: boolean;
  readonly kind: SpanKind;
  readonly link: SpanContext | undefined;
  readonly startMs: number;
  endMs = -1;
  name: string;
  /** Alternating names and values. */
  attributes: AttributeValue[] | undefined = undefined;
  fixed: readonly FixedAttributes[] | undefined = undefined;
  events: SpanEvent[] | undefined = undefined;
  droppedAttributes = 0;
  droppedEvents = 0;
  hasFailed = false;
  message = '';
  #headers: readonly string[] | undefined = undefined;

  constructor(
    trace: LocalTrace,
    spanId: string,
    idHigh: number,
    idLow: number,
    parentHigh: number,
    parentLow: number,
    hasRemoteParent: boolean,
    name: string,
    kind: SpanKind,
    link?: SpanContext,
    startMs: number = performance.now(),
  ) {
    this.trace = trace;
    this.spanId = spanId;
    this.idHigh = idHigh;
    this.idLow = idLow;
    this.parentHigh = parentHigh;
    this.parentLow = parentLow;
    this.hasRemoteParent = hasRemoteParent;
    this.name = name;
    this.kind = kind;
    this.link = link;
    this.startMs = startMs;
  }

  get traceId(): string {
    return this.trace.traceId;
  }

  get isSampled(): boolean {
    return this.trace.isSampled;
  }

  get traceState(): string {
    return this.trace.traceState;
  }

  get isRecording(): boolean {
    return this.endMs < 0;
  }

  get headers(): readonly string[] {
    this.#headers ??= this.trace.headersOf(this);
    return this.#headers;
  }

  get logFields(): string {
    return logFieldsOf(this.traceId, this.spanId);
  }

  startChild(name: string, kind: SpanKind = 'internal', fixed?: FixedAttributes, startMs?: number): Span {
    const { trace, idHigh, idLow } = this;
    const { spanIds: ids } = trace;
    const spanId = ids.next();
    const high = ids.lastWord(2);
    const low = ids.lastWord(1);
    const child = new RecordedSpan(trace, spanId, high, low, idHigh, idLow, false, name, kind, undefined, startMs);
    if (fixed) child.fixed = [fixed];
    return child;
  }

  setName(name: string): void {
    if (this.endMs < 0) this.name = name;
  }

  setAttribute(name: string, value: AttributeValue): void {
    if (this.endMs >= 0) return;
    const { attributes } = this;
    if (attributes === undefined) {
      this.attributes = [name, value];
      return;
    }
    for (let i = 0; i < attributes.length; i += 2)
      if (attributes[i] === name) {
        attributes[i + 1] = value;
        return;
      }
    if (attributes.length < 2 * MAX_SPAN_ATTRIBUTES) attributes.push(name, value);
    else this.droppedAttributes++;
  }

  addFixed(...attributes: readonly FixedAttributes[]): void {
    if (this.endMs >= 0) return;
    const all = this.fixed ? [...this.fixed, ...attributes] : attributes;
    if (all.length <= MAX_FIXED) {
      this.fixed = all;
      return;
    }
    this.fixed = all.slice(0, MAX_FIXED);
    for (const { values } of all.slice(MAX_FIXED)) this.droppedAttributes += Object.keys(values).length;
  }

  addEvent(name: string, attributes?: Readonly<Record<string, AttributeValue>>): void {
    if (this.endMs >= 0) return;
    this.events ??= [];
    if (this.events.length < MAX_EVENTS) this.events.push({ atMs: performance.now(), name, attributes });
    else this.droppedEvents++;
  }

  fail(errorType: string, message = ''): void {
    if (this.endMs >= 0) return;
    this.hasFailed = true;
    this.message = message;
    this.setAttribute('error.type', errorType);
  }

  end(atMs: number = performance.now()): void {
    if (this.endMs >= 0) return;
    this.endMs = atMs;
    this.trace.ended(this);
  }
}

/**
 * An unrecorded span. A single object represents all spans of its trace in this process: services get its ids, and nothing is
 * exported. It is little more than a text with its ids, since most requests have one if only a share of them is recorded.
 */
export class UnrecordedSpan implements Span {
  readonly isRecording = false;
  readonly isSampled = false;
  readonly traceState: string;
  readonly #context: string;
  readonly #propagation: Pick<Propagation, 'injectText'>;
  readonly #baggage: string;
  #headers: readonly string[] | undefined = undefined;

  /** @param context in the form of `NewContexts`. */
  constructor(context: string, traceState: string, propagation: Pick<Propagation, 'injectText'>, baggage: string) {
    this.#context = context;
    this.traceState = traceState;
    this.#propagation = propagation;
    this.#baggage = baggage;
  }

  get traceId(): string {
    return traceIdIn(this.#context);
  }

  get spanId(): string {
    return spanIdIn(this.#context);
  }

  get headers(): readonly string[] {
    this.#headers ??= this.#propagation.injectText(traceParentIn(this.#context), this, this.#baggage);
    return this.#headers;
  }

  get logFields(): string {
    return logFieldsIn(this.#context);
  }

  startChild(): Span {
    return this;
  }

  setName(): void {}
  setAttribute(): void {}
  addFixed(): void {}
  addEvent(): void {}
  fail(): void {}
  end(): void {}
}
