import { readFileSync } from 'node:fs';
import protobuf from 'protobufjs';

/** The value of an attribute; 64-bit integers beyond what a number holds exactly are refused. */
export type AttributeValue = string | number | boolean | Buffer | readonly AttributeValue[] | Attributes;
export interface Attributes {
  readonly [name: string]: AttributeValue;
}

/** Which process sent something, and which part of it. */
export interface Sender {
  readonly resource: Attributes;
  readonly scope: { readonly name: string; readonly version: string };
}

export type SpanKind = 'unspecified' | 'internal' | 'server' | 'client' | 'producer' | 'consumer';

export interface SpanEvent {
  readonly name: string;
  /** Nanoseconds since 1970. */
  readonly at: bigint;
  readonly attributes: Attributes;
}

export interface SpanLink {
  readonly traceId: string;
  readonly spanId: string;
  readonly attributes: Attributes;
}

/** A span as it was sent; ids are in hexadecimal digits, a root span's `parentSpanId` is empty. */
export interface ReceivedSpan extends Sender {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string;
  readonly traceState: string;
  readonly flags: number;
  readonly name: string;
  readonly kind: SpanKind;
  /** Nanoseconds since 1970. */
  readonly start: bigint;
  readonly end: bigint;
  readonly attributes: Attributes;
  readonly events: readonly SpanEvent[];
  readonly links: readonly SpanLink[];
  readonly status: { readonly code: 'unset' | 'ok' | 'error'; readonly message: string };
  readonly dropped: { readonly attributes: number; readonly events: number; readonly links: number };
}

export interface Exemplar {
  readonly value: number;
  readonly traceId: string;
  readonly spanId: string;
}

/** A point of a gauge or sum (`value`), or of a histogram (`count`, `sum`, `buckets`). */
export interface MetricPoint {
  readonly attributes: Attributes;
  /** Since when it counts, in nanoseconds since 1970; 0 where the point does not say. */
  readonly start: bigint;
  readonly value?: number;
  readonly count?: number;
  readonly sum?: number;
  /** Upper bounds, without the last one, which is infinite. */
  readonly bounds?: readonly number[];
  /** Counts of each bucket alone, one more than bounds. */
  readonly buckets?: readonly number[];
  readonly exemplars: readonly Exemplar[];
}

export interface ReceivedMetric extends Sender {
  readonly name: string;
  readonly description: string;
  readonly unit: string;
  readonly type: 'gauge' | 'sum' | 'histogram' | 'exponentialHistogram' | 'summary';
  /** Of sums and histograms. */
  readonly temporality?: 'unspecified' | 'delta' | 'cumulative';
  readonly isMonotonic?: boolean;
  readonly points: readonly MetricPoint[];
}

/** A log record that stands for an event. */
export interface ReceivedLogRecord extends Sender {
  readonly event: string;
  readonly severity: number;
  /** Nanoseconds since 1970. */
  readonly at: bigint;
  readonly observedAt: bigint;
  readonly attributes: Attributes;
}

const { root } = protobuf.parse(readFileSync(new URL('./otlp.proto', import.meta.url), 'utf8'));

const KINDS = ['unspecified', 'internal', 'server', 'client', 'producer', 'consumer'] as const;
const STATUS_CODES = ['unset', 'ok', 'error'] as const;
const TEMPORALITIES = ['unspecified', 'delta', 'cumulative'] as const;
const METRIC_TYPES = ['gauge', 'sum', 'histogram', 'exponentialHistogram', 'summary'] as const;

/**
 * Reads an `ExportTraceServiceRequest`.
 *
 * @throws Error when it is no such message, has fields that OTLP does not know, or breaks a rule that OTLP has for spans.
 */
export function decodeSpans(bytes: Uint8Array): ReceivedSpan[] {
  return list(decode('ExportTraceServiceRequest', bytes).resourceSpans).flatMap(({ resource, scopeSpans }) =>
    list(scopeSpans).flatMap(({ scope, spans }) => list(spans).map((span) => toSpan(span, toSender(resource, scope)))),
  );
}

/**
 * Reads an `ExportMetricsServiceRequest`.
 *
 * @throws Error when it is no such message, or has fields that OTLP does not know.
 */
export function decodeMetrics(bytes: Uint8Array): ReceivedMetric[] {
  return list(decode('ExportMetricsServiceRequest', bytes).resourceMetrics).flatMap(({ resource, scopeMetrics }) =>
    list(scopeMetrics).flatMap(({ scope, metrics }) =>
      list(metrics).map((metric) => toMetric(metric, toSender(resource, scope))),
    ),
  );
}

/**
 * Reads an `ExportLogsServiceRequest`.
 *
 * @throws Error when it is no such message, or has fields that OTLP does not know.
 */
export function decodeLogs(bytes: Uint8Array): ReceivedLogRecord[] {
  return list(decode('ExportLogsServiceRequest', bytes).resourceLogs).flatMap(({ resource, scopeLogs }) =>
    list(scopeLogs).flatMap(({ scope, logRecords }) =>
      list(logRecords).map((record) => ({
        ...toSender(resource, scope),
        event: text(record.eventName),
        severity: Number(record.severityNumber ?? 0),
        at: BigInt(text(record.timeUnixNano) || 0),
        observedAt: BigInt(text(record.observedTimeUnixNano) || 0),
        attributes: toAttributes(record.attributes),
      })),
    ),
  );
}

/** An `ExportLogsServiceRequest` as JSON, as the file exporter of a collector writes it. */
export function logsAsJson(bytes: Uint8Array): string {
  const described = root.lookupType('otlp.ExportLogsServiceRequest');
  return JSON.stringify(described.toObject(described.decode(bytes), { longs: String, bytes: String }));
}

/** The bytes of a message of `otlp.proto`, whose fields have names in camelCase. */
export function encode(type: string, message: Readonly<Record<string, unknown>>): Buffer {
  const described = root.lookupType(`otlp.${type}`);
  return Buffer.from(described.encode(described.fromObject(message)).finish());
}

/** A decoded message: nested ones are messages again, 64-bit integers texts, missing fields absent. */
type Message = Readonly<Record<string, unknown>>;

function decode(type: string, bytes: Uint8Array): Message {
  const described = root.lookupType(`otlp.${type}`);
  const reader = protobuf.Reader.create(bytes);
  reader.discardUnknown = false;
  const message = described.decode(reader);
  rejectUnknownFields(message, type);
  return described.toObject(message, { longs: String });
}

/** What the sender and the definitions here call differently would be lost silently. */
function rejectUnknownFields(message: protobuf.Message, path: string): void {
  if (message.$unknowns) throw new Error(`unknown fields in ${path}`);
  for (const [name, value] of Object.entries(message))
    for (const nested of Array.isArray(value) ? value : [value])
      if (nested instanceof protobuf.Message) rejectUnknownFields(nested, `${path}.${name}`);
}

function toSpan(span: Message, sender: Sender): ReceivedSpan {
  const name = text(span.name);
  const start = BigInt(text(span.startTimeUnixNano) || 0);
  const end = BigInt(text(span.endTimeUnixNano) || 0);
  if (name === '') throw new Error('a span without a name');
  if (start === 0n || end < start) throw new Error(`span ${name} ends before it starts`);
  const status = record(span.status);
  return {
    ...sender,
    traceId: id(span.traceId, 16),
    spanId: id(span.spanId, 8),
    parentSpanId: list(span.parentSpanId).length === 0 ? '' : id(span.parentSpanId, 8),
    traceState: text(span.traceState),
    flags: Number(span.flags ?? 0),
    name,
    kind: oneOf(KINDS, span.kind),
    start,
    end,
    attributes: toAttributes(span.attributes),
    events: list(span.events).map((event) => ({
      name: text(event.name),
      at: BigInt(text(event.timeUnixNano) || 0),
      attributes: toAttributes(event.attributes),
    })),
    links: list(span.links).map((link) => ({
      traceId: id(link.traceId, 16),
      spanId: id(link.spanId, 8),
      attributes: toAttributes(link.attributes),
    })),
    status: { code: oneOf(STATUS_CODES, status.code), message: text(status.message) },
    dropped: {
      attributes: Number(span.droppedAttributesCount ?? 0),
      events: Number(span.droppedEventsCount ?? 0),
      links: Number(span.droppedLinksCount ?? 0),
    },
  };
}

function toMetric(metric: Message, sender: Sender): ReceivedMetric {
  const type = METRIC_TYPES.find((name) => metric[name] !== undefined);
  if (!type) throw new Error(`metric ${text(metric.name)} has no data`);
  const data = record(metric[type]);
  return {
    ...sender,
    name: text(metric.name),
    description: text(metric.description),
    unit: text(metric.unit),
    type,
    ...(type === 'gauge' || type === 'summary'
      ? {}
      : { temporality: oneOf(TEMPORALITIES, data.aggregationTemporality) }),
    ...(type === 'sum' ? { isMonotonic: data.isMonotonic === true } : {}),
    points: list(data.dataPoints).map((point) => toPoint(point, type)),
  };
}

function toPoint(point: Message, type: ReceivedMetric['type']): MetricPoint {
  const shared = {
    attributes: toAttributes(point.attributes),
    start: BigInt(text(point.startTimeUnixNano) || 0),
    exemplars: list(point.exemplars).map((exemplar) => ({
      value: numberOf(exemplar),
      traceId: hex(exemplar.traceId),
      spanId: hex(exemplar.spanId),
    })),
  };
  if (type === 'gauge' || type === 'sum') return { ...shared, value: numberOf(point) };
  return {
    ...shared,
    count: Number(point.count ?? 0),
    sum: Number(point.sum ?? 0),
    ...(type === 'histogram'
      ? { bounds: numbers(point.explicitBounds), buckets: numbers(point.bucketCounts) }
      : undefined),
  };
}

const numberOf = (point: Message): number => Number(point.asDouble ?? point.asInt ?? 0);

function toSender(resource: unknown, scope: unknown): Sender {
  const { name, version } = record(scope);
  return {
    resource: toAttributes(record(resource).attributes),
    scope: { name: text(name), version: text(version) },
  };
}

function toAttributes(pairs: unknown): Attributes {
  const attributes: Record<string, AttributeValue> = {};
  for (const { key, value } of list(pairs)) {
    if (text(key) in attributes) throw new Error(`attribute ${text(key)} is there twice`);
    attributes[text(key)] = toValue(record(value));
  }
  return attributes;
}

function toValue(value: Message): AttributeValue {
  const [[type, content] = ['', undefined]] = Object.entries(value);
  switch (type) {
    case 'intValue': {
      const number = Number(content);
      if (!Number.isSafeInteger(number)) throw new Error(`${String(content)} is no exact number`);
      return number;
    }
    case 'arrayValue':
      return list(record(content).values).map(toValue);
    case 'kvlistValue':
      return toAttributes(record(content).values);
    case '':
      throw new Error('an attribute without a value');
    default:
      return content as AttributeValue;
  }
}

/** An id of `length` bytes; ids of zeros alone are invalid. */
function id(bytes: unknown, length: number): string {
  const digits = hex(bytes);
  if (digits.length !== 2 * length || /^0*$/.test(digits)) throw new Error(`${digits || 'nothing'} is no valid id`);
  return digits;
}

const hex = (bytes: unknown): string => Buffer.from((bytes as Uint8Array | undefined) ?? []).toString('hex');
const text = (value: unknown): string => (typeof value === 'string' ? value : '');
const list = (value: unknown): readonly Message[] => (value as readonly Message[] | undefined) ?? [];
const numbers = (value: unknown): number[] => ((value as readonly unknown[] | undefined) ?? []).map(Number);
const record = (value: unknown): Message => (value as Message | undefined) ?? {};

function oneOf<Name extends string>(names: readonly Name[], value: unknown): Name {
  const name = names[Number(value ?? 0)];
  if (name === undefined) throw new Error(`${String(value)} is none of ${names.join(', ')}`);
  return name;
}
