import type { ProtobufWriter } from './protobuf-writer.ts';
import type { RecordedSpan, SpanEvent, SpanKind } from './span.ts';
import type { SpanContext } from './trace-context.ts';
import { SAMPLED_FLAG } from './trace-context.ts';
import { type AttributeValue, shortened, writeAttribute } from './write-attribute.ts';

/** Fields of `Span` in opentelemetry/proto/trace/v1. */
const SPAN_FIELD = {
  traceId: 1,
  spanId: 2,
  traceState: 3,
  parentSpanId: 4,
  name: 5,
  kind: 6,
  start: 7,
  end: 8,
  attributes: 9,
  droppedAttributes: 10,
  events: 11,
  droppedEvents: 12,
  links: 13,
  status: 15,
  flags: 16,
} as const;

/** `ScopeSpans.spans`. */
const SPANS = 2;
const KINDS: Readonly<Record<SpanKind, number>> = { internal: 1, server: 2, client: 3, producer: 4, consumer: 5 };
const STATUS_ERROR = 2;
/** Trace flags that state whether the parent is known to be in another process. */
const HAS_IS_REMOTE = 0x100;
const IS_REMOTE = 0x200;

/**
 * Writes a span as a member of `ScopeSpans`. A span that was kept although the sampler did not choose it is marked as sampled.
 */
export function writeSpan(writer: ProtobufWriter, span: RecordedSpan): void {
  const { trace } = span;
  const start = writer.open(SPANS);
  const { traceWords: words } = trace;
  writer.sixteenBytes(SPAN_FIELD.traceId, words[0], words[1], words[2], words[3]);
  writer.eightBytes(SPAN_FIELD.spanId, span.idHigh, span.idLow);
  if (trace.traceState !== '') writer.text(SPAN_FIELD.traceState, trace.traceState);
  if (span.parentHigh !== 0 || span.parentLow !== 0)
    writer.eightBytes(SPAN_FIELD.parentSpanId, span.parentHigh, span.parentLow);
  writer.text(SPAN_FIELD.name, shortened(span.name));
  writer.varint(SPAN_FIELD.kind, KINDS[span.kind]);
  writer.time(SPAN_FIELD.start, trace.epochMs + span.startMs);
  writer.time(SPAN_FIELD.end, trace.epochMs + span.endMs);
  const { fixed, attributes } = span;
  if (fixed) for (const { bytes } of fixed) writer.raw(bytes);
  if (attributes)
    for (let i = 0; i < attributes.length; i += 2)
      writeAttribute(writer, SPAN_FIELD.attributes, attributes[i] as string, attributes[i + 1] as AttributeValue);
  if (span.droppedAttributes > 0) writer.varint(SPAN_FIELD.droppedAttributes, span.droppedAttributes);
  if (span.events) for (const event of span.events) writeEvent(writer, event, trace.epochMs);
  if (span.droppedEvents > 0) writer.varint(SPAN_FIELD.droppedEvents, span.droppedEvents);
  if (span.link) writeLink(writer, span.link);
  if (span.hasFailed) writeStatus(writer, span.message);
  writer.fixed32(SPAN_FIELD.flags, SAMPLED_FLAG | HAS_IS_REMOTE | (span.hasRemoteParent ? IS_REMOTE : 0));
  writer.close(start);
}

function writeEvent(writer: ProtobufWriter, { atMs, name, attributes }: SpanEvent, epochMs: number): void {
  const start = writer.open(SPAN_FIELD.events);
  writer.time(1, epochMs + atMs);
  writer.text(2, shortened(name));
  if (attributes) for (const [key, value] of Object.entries(attributes)) writeAttribute(writer, 3, key, value);
  writer.close(start);
}

/** Writes a link to a span of another process. */
function writeLink(writer: ProtobufWriter, { traceId, spanId, traceState, isSampled }: SpanContext): void {
  const start = writer.open(SPAN_FIELD.links);
  writer.hex(1, traceId);
  writer.hex(2, spanId);
  if (traceState !== '') writer.text(3, traceState);
  writer.fixed32(6, (isSampled ? SAMPLED_FLAG : 0) | HAS_IS_REMOTE | IS_REMOTE);
  writer.close(start);
}

function writeStatus(writer: ProtobufWriter, message: string): void {
  const start = writer.open(SPAN_FIELD.status);
  if (message !== '') writer.text(2, shortened(message));
  writer.varint(3, STATUS_ERROR);
  writer.close(start);
}
