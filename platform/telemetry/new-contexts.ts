import { randomFillSync } from 'node:crypto';

const TRACE_ID_BYTES = 16;
const ID_BYTES = 24;
const POOL_BYTES = 340 * ID_BYTES;
/** Contexts that are made text at once. A span that lives for long keeps no more text than this alive. */
const CONTEXTS = 8;
const TEMPLATE = contextText('0'.repeat(32), '0'.repeat(16));
const TRACE_ID_AT = 3;
const SPAN_ID_AT = 36;
const TRACEPARENT_LENGTH = 55;
const LOGGED_TRACE_ID_AT = 68;
const LOGGED_SPAN_ID_AT = 113;
const DIGITS = Buffer.from('0123456789abcdef', 'latin1');

/**
 * The contexts of traces that begin here, each as the `traceparent` of a span that is not recorded and the ids as a log line has
 * them. Most requests need nothing but these texts, so they are made of random bytes in bulk, and are parts of a longer text:
 * neither joined nor copied.
 */
export class NewContexts {
  readonly #pool = Buffer.allocUnsafeSlow(POOL_BYTES);
  readonly #view = new DataView(this.#pool.buffer);
  /** In bytes: behind the ids that were made last, and the first that are not yet text. */
  #next = POOL_BYTES;
  #end = POOL_BYTES;
  readonly #digits = Buffer.from(TEMPLATE.repeat(CONTEXTS), 'latin1');
  #text = '';
  #at = 0;

  /** @returns what `traceParentIn`, `logFieldsIn`, `traceIdIn` and `spanIdIn` take. */
  next(): string {
    if (this.#next === this.#end) this.#makeText();
    this.#next += ID_BYTES;
    const start = this.#at;
    this.#at = start + TEMPLATE.length;
    return this.#text.slice(start, this.#at);
  }

  /** 32 bits of the ids that were made last, as a signed number. @param index 0 to 3: of the trace id; 4 and 5: of the span id. */
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

  /** No id is zero (W3C Trace Context 3.2.2). */
  #avoidZero(start: number, length: number): void {
    const pool = this.#pool;
    for (let i = start; i < start + length; i++) if (pool[i] !== 0) return;
    pool[start + length - 1] = 1;
  }

  /** Writes them to two places. */
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

/** The context of a span that is not recorded, as `NewContexts` makes them. */
export function contextText(traceId: string, spanId: string): string {
  return `00-${traceId}-${spanId}-00${logFieldsOf(traceId, spanId)}`;
}

/** Ids as members of a log line, in JSON and with a comma before each. */
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
