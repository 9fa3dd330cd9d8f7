import type { ProtobufWriter } from '../protobuf-writer.ts';
import { type AttributeValue, writeAttribute } from '../write-attribute.ts';

/** A log record with the name of an event instead of a text. */
export interface LogRecord {
  readonly event: string;
  /** Milliseconds since 1970. */
  readonly time: number;
  /** Undefined attributes are left out. */
  readonly attributes: Readonly<Record<string, AttributeValue | undefined>>;
}

/** Fields of `LogRecord` in opentelemetry/proto/logs/v1. */
const RECORD = { time: 1, severity: 2, severityText: 3, attributes: 6, observedTime: 11, eventName: 12 } as const;
/** `ScopeLogs.log_records`. */
const RECORDS = 2;
const SEVERITY_INFO = 9;

/** Writes a record as a member of `ScopeLogs`. @param observedTime in milliseconds since 1970. */
export function writeLogRecord(writer: ProtobufWriter, { event, time, attributes }: LogRecord, observedTime: number) {
  const start = writer.open(RECORDS);
  writer.time(RECORD.time, time);
  writer.varint(RECORD.severity, SEVERITY_INFO);
  writer.text(RECORD.severityText, 'INFO');
  for (const [name, value] of Object.entries(attributes))
    if (value !== undefined) writeAttribute(writer, RECORD.attributes, name, value, Number.POSITIVE_INFINITY);
  writer.time(RECORD.observedTime, observedTime);
  writer.text(RECORD.eventName, event);
  writer.close(start);
}
