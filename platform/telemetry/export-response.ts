import { LENGTH_DELIMITED, VARINT } from './protobuf-writer.ts';

/** `ExportTraceServiceResponse.partial_success` and `ExportTracePartialSuccess.rejected_spans`. */
const PARTIAL_SUCCESS = 1;
const REJECTED_SPANS = 1;
const SIZES: Readonly<Record<number, number>> = { 1: 8, 5: 4 };

/**
 * How many spans a collector has rejected, by its answer to an export. What is no such answer, as a proxy or a broken
 * collector may give with the status 200, rejects none.
 */
export function readRejectedSpans(answer: Uint8Array): number {
  let rejected = 0;
  for (const [field, value] of protobufFields(answer)) {
    if (field !== PARTIAL_SUCCESS || typeof value === 'number') continue;
    for (const [inner, count] of protobufFields(value))
      if (inner === REJECTED_SPANS && typeof count === 'number') rejected = count;
  }
  return rejected;
}

/** The fields of a message, up to where it is not valid any more. */
function* protobufFields(bytes: Uint8Array): Generator<readonly [field: number, value: number | Uint8Array]> {
  let at = 0;
  while (at < bytes.length) {
    const tag = varintAt(bytes, at);
    if (!tag) return;
    at = tag.end;
    const field = Math.floor(tag.value / 8);
    const type = tag.value % 8;
    if (type === VARINT || type === LENGTH_DELIMITED) {
      const number = varintAt(bytes, at);
      if (!number) return;
      at = number.end;
      if (type === VARINT) yield [field, number.value];
      else {
        if (at + number.value > bytes.length) return;
        yield [field, bytes.subarray(at, at + number.value)];
        at += number.value;
      }
    } else {
      const size = SIZES[type];
      if (size === undefined) return;
      at += size;
    }
  }
}

function varintAt(bytes: Uint8Array, start: number): { readonly value: number; readonly end: number } | undefined {
  let value = 0;
  for (let i = 0; i < 10; i++) {
    const byte = bytes[start + i];
    if (byte === undefined) return undefined;
    value += (byte & 0x7f) * 2 ** (7 * i);
    if (byte < 0x80) return { value, end: start + i + 1 };
  }
  return undefined;
}
