import { LENGTH_DELIMITED, VARINT } from './protobuf-writer.ts';

/** `ExportTraceServiceResponse.partial_success` and `ExportTracePartialSuccess.rejected_spans`. */
const PARTIAL_SUCCESS = 1;
const REJECTED_SPANS = 1;
const SIZES: Readonly<Record<number, number>> = { 1: 8, 5: 4 };

/**
 * Returns how many spans a collector has rejected, from its response to an export. Other content counts as no rejection: a
 * proxy or a broken collector may send it with status 200.
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

/** Yields the fields of a message, up to the first invalid one. */
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
