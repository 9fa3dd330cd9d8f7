import { randomFillSync } from 'node:crypto';

const TRACE_ID_BYTES = 16;
const ID_BYTES = 24;
const POOL_BYTES = 340 * ID_BYTES;
/** How many contexts are converted to text at once. A long-lived span keeps no more text than this alive. */
const CONTEXTS = 8;
const TEMPLATE = contextText('0'.repeat(32), '0'.repeat(16));
const TRACE_ID_AT = 3;
const SPAN_ID_AT = 36;
const TRACEPARENT_LENGTH = 55;
const LOGGED_TRACE_ID_AT = 68;
const LOGGED_SPAN_ID_AT = 113;
const DIGITS = Buffer.from('0123456789abcdef', 'latin1');

/**
 * Creates the contexts of new traces. Each is a text with the `traceparent` of an unrecorded span and the ids in the form of a
 * log line. Most requests need nothing else. The texts are created from random bytes in bulk, and each is a part of a longer
 * text that is neither joined nor copied.
 */
export class NewContexts {
  readonly #pool = Buffer.allocUnsafeSlow(POOL_BYTES);
  readonly #view = new DataView(this.#pool.buffer);
  /** Positions in bytes: behind the last used ids, and of the first ids that are not text yet. */
  #next = POOL_BYTES;
  #end = POOL_BYTES;
  readonly #digits = Buffer.from(TEMPLATE.repeat(CONTEXTS), 'latin1');
  #text = '';
  #at = 0;

  /** @returns the argument of `traceParentIn`, `logFieldsIn`, `traceIdIn` and `spanIdIn`. */
  next(): string {
    if (this.#next === this.#end) this.#makeText();
    this.#next += ID_BYTES;
    const start = this.#at;
    this.#at = start + TEMPLATE.length;
    return this.#text.slice(start, this.#at);
  }

  /** Returns 32 bits of the last ids as a signed number. @param index 0 to 3 of the trace id, 4 and 5 of the span id. */
  word(index: number): number {
    return this.#view.getInt32(this.#next - ID_BYTES + index * 4);
  }

  #makeText(): void {
    if (this.#next === POOL_BYTES) {
      randomFillSync(this.#pool);
      this.#next = 0;
      this.#end = 0;
    }
    const count = Math.min(CONTEXTS, (POOL_BYTES - this.#end) / ID_BYTES);
    for (let i = 0; i < count; i++) {
      this.#avoidZero(this.#end, TRACE_ID_BYTES);
      this.#avoidZero(this.#end + TRACE_ID_BYTES, ID_BYTES - TRACE_ID_BYTES);
      const start = i * TEMPLATE.length;
      this.#writeDigits(this.#end, TRACE_ID_BYTES, start + TRACE_ID_AT, start + LOGGED_TRACE_ID_AT);
      const spanId = this.#end + TRACE_ID_BYTES;
      this.#writeDigits(spanId, ID_BYTES - TRACE_ID_BYTES, start + SPAN_ID_AT, start + LOGGED_SPAN_ID_AT);
      this.#end += ID_BYTES;
    }
    this.#text = this.#digits.toString('latin1', 0, count * TEMPLATE.length);
    this.#at = 0;
  }

  /** Ids must not be zero (W3C Trace Context 3.2.2). */
  #avoidZero(start: number, length: number): void {
    const pool = this.#pool;
    for (let i = start; i < start + length; i++) if (pool[i] !== 0) return;
    pool[start + length - 1] = 1;
  }

  /** Writes the digits to two places. */
  #writeDigits(start: number, length: number, first: number, second: number): void {
    const pool = this.#pool;
    const digits = this.#digits;
    for (let i = 0; i < length; i++) {
      const byte = pool[start + i] as number;
      const high = DIGITS[byte >> 4] as number;
      const low = DIGITS[byte & 0xf] as number;
      const at = 2 * i;
      digits[first + at] = high;
      digits[first + at + 1] = low;
      digits[second + at] = high;
      digits[second + at + 1] = low;
    }
  }
}

/** Returns the context of an unrecorded span, in the form of `NewContexts`. */
export function contextText(traceId: string, spanId: string): string {
  return `00-${traceId}-${spanId}-00${logFieldsOf(traceId, spanId)}`;
}

/** Returns ids as members of a JSON log line, each preceded by a comma. */
export function logFieldsOf(traceId: string, spanId: string): string {
  return `,"trace_id":"${traceId}","span_id":"${spanId}"`;
}

export function traceParentIn(context: string): string {
  return context.slice(0, TRACEPARENT_LENGTH);
}

export function logFieldsIn(context: string): string {
  return context.slice(TRACEPARENT_LENGTH);
}

export function traceIdIn(context: string): string {
  return context.slice(TRACE_ID_AT, TRACE_ID_AT + 32);
}

export function spanIdIn(context: string): string {
  return context.slice(SPAN_ID_AT, SPAN_ID_AT + 16);
}
