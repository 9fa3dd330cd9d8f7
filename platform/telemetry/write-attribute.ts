import type { ProtobufWriter } from './protobuf-writer.ts';

/** The supported types of attribute values. An integer is sent as such, any other number as a double. */
export type AttributeValue = string | number | boolean | readonly string[];

/** The most characters of a text: of a name, a path, an error. */
const MAX_ATTRIBUTE_TEXT = 512;
const MAX_LIST = 32;

/**
 * Writes a `KeyValue` of opentelemetry/proto/common/v1.
 *
 * @param maxList the most items of a list.
 */
export function writeAttribute(
  writer: ProtobufWriter,
  field: number,
  key: string,
  value: AttributeValue,
  maxList = MAX_LIST,
): void {
  const start = writer.open(field);
  writer.text(1, key);
  const inner = writer.open(2);
  writeValue(writer, value, maxList);
  writer.close(inner);
  writer.close(start);
}

function writeValue(writer: ProtobufWriter, value: AttributeValue, maxList: number): void {
  if (typeof value === 'string') writer.text(1, shortened(value));
  else if (typeof value === 'boolean') writer.varint(2, value ? 1 : 0);
  else if (typeof value !== 'number') writeList(writer, value, maxList);
  else if (Number.isSafeInteger(value) && value >= 0) writer.varint(3, value);
  else writer.double(4, value);
}

function writeList(writer: ProtobufWriter, values: readonly string[], maxList: number): void {
  const list = writer.open(5);
  for (const value of values.slice(0, maxList)) {
    const start = writer.open(1);
    writer.text(1, shortened(value));
    writer.close(start);
  }
  writer.close(list);
}

export function shortened(text: string): string {
  return text.length > MAX_ATTRIBUTE_TEXT ? `${text.slice(0, MAX_ATTRIBUTE_TEXT)}…` : text;
}
