import { ProtobufWriter } from './protobuf-writer.ts';
import { type AttributeValue, writeAttribute } from './write-attribute.ts';

/**
 * Attributes that many spans share, such as the method and the service of a call. They are encoded once, so a span only copies
 * them.
 */
export interface FixedAttributes {
  readonly values: Readonly<Record<string, AttributeValue>>;
  /** The encoded members of a span's field `attributes`. */
  readonly bytes: Uint8Array;
}

const SPAN_ATTRIBUTES = 9;

export function fixedAttributes(values: Readonly<Record<string, AttributeValue>>): FixedAttributes {
  const writer = new ProtobufWriter(256);
  for (const [key, value] of Object.entries(values)) writeAttribute(writer, SPAN_ATTRIBUTES, key, value);
  return { values, bytes: writer.copy() };
}
