import type { FixedAttributes } from './fixed-attributes.ts';
import type { SpanContext } from './trace-context.ts';
import type { AttributeValue } from './write-attribute.ts';

/** What a span is of: work within the process, a request that came, a request that is sent. */
export type SpanKind = 'internal' | 'server' | 'client' | 'producer' | 'consumer';

/**
 * A span of a trace. One that is not sampled has the same methods, which do nothing, so that no caller asks.
 *
 * It must be ended once, also after errors: `end` is what exports it. What is called after that has no effect. Never put
 * values of variables, documents, tokens, tenants or users into names, attributes or events.
 */
export interface Span extends SpanContext {
  /** Whether what is added to it may be exported: where adding needs work, ask first. */
  readonly isRecording: boolean;
  /** Names and values in turn, of the headers that tell a service of this span. Made at its first use. */
  readonly headers: readonly string[];
  /**
   * Begins a span below this one. `name` must be of few: no ids, no paths with values.
   *
   * @param startMs when it began, as `performance.now()`; now, where absent.
   */
  startChild(name: string, kind?: SpanKind, fixed?: FixedAttributes, startMs?: number): Span;
  setName(name: string): void;
  /** A later value of the same name replaces the one before. */
  setAttribute(name: string, value: AttributeValue): void;
  /** Attributes that are encoded already. */
  addFixed(attributes: FixedAttributes): void;
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
  readonly isSampled: boolean;
  readonly traceState: string;
  /** Milliseconds since 1970 at the time origin of `performance.now()`. */
  readonly epochMs: number;
  newSpanId(): string;
  headersOf(span: SpanContext): readonly string[];
  /** A span has ended. Called once for each. */
  ended(span: RecordedSpan): void;
}

const MAX_ATTRIBUTES = 64;
const MAX_FIXED = 4;
const MAX_EVENTS = 128;

/** A span that is sampled, or may be kept. Made for every request where all are sampled: it has no more than it needs. */
export class RecordedSpan implements Span {
  readonly trace: LocalTrace;
  readonly spanId: string;
  /** Empty where it has no parent. */
  readonly parentSpanId: string;
  /** Whether its parent is in another process. */
  readonly hasRemoteParent: boolean;
  readonly kind: SpanKind;
  readonly link: SpanContext | undefined;
  readonly startMs: number;
  endMs = -1;
  name: string;
  /** Names and values in turn. */
  readonly attributes: AttributeValue[] = [];
  readonly fixed: FixedAttributes[] = [];
  events: SpanEvent[] | undefined = undefined;
  droppedAttributes = 0;
  droppedEvents = 0;
  hasFailed = false;
  message = '';
  #headers: readonly string[] | undefined = undefined;

  constructor(
    trace: LocalTrace,
    parentSpanId: string,
    hasRemoteParent: boolean,
    name: string,
    kind: SpanKind,
    link?: SpanContext,
    startMs: number = performance.now(),
  ) {
    this.trace = trace;
    this.spanId = trace.newSpanId();
    this.parentSpanId = parentSpanId;
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

  startChild(name: string, kind: SpanKind = 'internal', fixed?: FixedAttributes, startMs?: number): Span {
    const child = new RecordedSpan(this.trace, this.spanId, false, name, kind, undefined, startMs);
    if (fixed) child.fixed.push(fixed);
    return child;
  }

  setName(name: string): void {
    if (this.endMs < 0) this.name = name;
  }

  setAttribute(name: string, value: AttributeValue): void {
    if (this.endMs >= 0) return;
    const { attributes } = this;
    for (let i = 0; i < attributes.length; i += 2)
      if (attributes[i] === name) {
        attributes[i + 1] = value;
        return;
      }
    if (attributes.length < 2 * MAX_ATTRIBUTES) attributes.push(name, value);
    else this.droppedAttributes++;
  }

  addFixed(attributes: FixedAttributes): void {
    if (this.endMs >= 0) return;
    if (this.fixed.length < MAX_FIXED) this.fixed.push(attributes);
    else this.droppedAttributes += Object.keys(attributes.values).length;
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

/** A span that is not recorded. All those of a trace in this process are one: services get its ids, and nothing is exported. */
export class UnrecordedSpan implements Span {
  readonly isRecording = false;
  readonly isSampled = false;
  readonly traceId: string;
  readonly spanId: string;
  readonly traceState: string;
  readonly #headersOf: (span: SpanContext) => readonly string[];
  #headers: readonly string[] | undefined = undefined;

  constructor(
    traceId: string,
    spanId: string,
    traceState: string,
    headersOf: (span: SpanContext) => readonly string[],
  ) {
    this.traceId = traceId;
    this.spanId = spanId;
    this.traceState = traceState;
    this.#headersOf = headersOf;
  }

  get headers(): readonly string[] {
    this.#headers ??= this.#headersOf(this);
    return this.#headers;
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
