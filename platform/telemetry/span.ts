import type { FixedAttributes } from './fixed-attributes.ts';
import { logFieldsIn, logFieldsOf, spanIdIn, traceIdIn, traceParentIn } from './new-contexts.ts';
import type { Propagation } from './propagators.ts';
import type { SpanIdGenerator } from './span-ids.ts';
import type { SpanContext } from './trace-context.ts';
import type { AttributeValue } from './write-attribute.ts';

/** The kind of a span: work within the process, a received request, a sent request. */
export type SpanKind = 'internal' | 'server' | 'client' | 'producer' | 'consumer';

/**
 * A span of a trace. One that is not sampled has the same methods, which do nothing, so that no caller asks.
 *
 * It must be ended once, also after errors: `end` is what exports it. What is called after that has no effect. Never put
 * values of variables, documents, tokens, tenants or users into names, attributes or events.
 */
export interface Span extends SpanContext {
  /** Whether its attributes may be exported: check it before computing expensive ones. */
  readonly isRecording: boolean;
  /** Names and values in turn, of the headers that propagate this span to a service. Made at its first use. */
  readonly headers: readonly string[];
  /** Its ids as members of a log line, in JSON and with a comma before each. */
  readonly logFields: string;
  /**
   * Begins a span below this one. `name` must be of few: no ids, no paths with values.
   *
   * @param startMs when it began, as `performance.now()`; now, where absent.
   */
  startChild(name: string, kind?: SpanKind, fixed?: FixedAttributes, startMs?: number): Span;
  setName(name: string): void;
  /** A later value of the same name replaces the one before. */
  setAttribute(name: string, value: AttributeValue): void;
  /** Attributes that are encoded already; at most four such sets are kept. */
  addFixed(...attributes: readonly FixedAttributes[]): void;
  /** Something that happens at one moment: a retry, an event of a subscription. The first 128 are kept, others counted. */
  addEvent(name: string, attributes?: Readonly<Record<string, AttributeValue>>): void;
  /** Marks it as failed. @param errorType of few: a status, a code. @param message for readers, without values. */
  fail(errorType: string, message?: string): void;
  /** @param atMs when it ended, as `performance.now()`; now, where absent. */
  end(atMs?: number): void;
}

/** An event of a recorded span. */
export interface SpanEvent {
  /** As `performance.now()`. */
  readonly atMs: number;
  readonly name: string;
  readonly attributes: Readonly<Record<string, AttributeValue>> | undefined;
}

/** What all spans of one trace within this process share. */
export interface LocalTrace {
  readonly traceId: string;
  /** The trace id in 32 bits each: text would have to be read digit by digit for each span that is encoded. */
  readonly traceWords: readonly [number, number, number, number];
  readonly spanIds: SpanIdGenerator;
  readonly isSampled: boolean;
  readonly traceState: string;
  /** Milliseconds since 1970 at the time origin of `performance.now()`. */
  readonly epochMs: number;
  /** Names and values in turn, of the headers that propagate one of its spans to a service. */
  headersOf(span: SpanContext): readonly string[];
  /** A span has ended. Called once for each. */
  ended(span: RecordedSpan): void;
}

const MAX_SPAN_ATTRIBUTES = 64;
const MAX_FIXED = 4;
const MAX_EVENTS = 128;

/**
 * A span that is sampled, or may be kept. Made for every request where all are sampled: it has no more than it needs, and
 * its lists are made as long as what comes first, since one that grows takes room for 17.
 */
export class RecordedSpan implements Span {
  readonly trace: LocalTrace;
  readonly spanId: string;
  /** The halves of the id, in 32 bits each. */
  readonly idHigh: number;
  readonly idLow: number;
  /** Both 0 where it has no parent: no id is. */
  readonly parentHigh: number;
  readonly parentLow: number;
  /** Whether its parent is in another process. */
  readonly hasRemoteParent: boolean;
  readonly kind: SpanKind;
  readonly link: SpanContext | undefined;
  readonly startMs: number;
  endMs = -1;
  name: string;
  /** Names and values in turn. */
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
 * A span that is not recorded. All those of a trace in this process are one: services get its ids, and nothing is exported. It
 * is little more than a text of its ids, since most requests have one where a share of them is recorded.
 */
export class UnrecordedSpan implements Span {
  readonly isRecording = false;
  readonly isSampled = false;
  readonly traceState: string;
  readonly #context: string;
  readonly #propagation: Pick<Propagation, 'injectText'>;
  readonly #baggage: string;
  #headers: readonly string[] | undefined = undefined;

  /** @param context as `NewContexts` makes them. */
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
