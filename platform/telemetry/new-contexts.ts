import { randomFillSync } from 'node:crypto';

const TRACE_ID_BYTES = 16;
const ID_BYTES = 24;
const POOL_BYTES = 340 * ID_BYTES;
/** Contexts that are made text at once. A span that lives for long keeps no more text than this alive. */
const CONTEXTS = 8;
const TEMPLATE = `00-${'0'.repeat(32)}-${'0'.repeat(16)}-00`;
const TRACE_ID_AT = 3;
const SPAN_ID_AT = 36;
const DIGITS = Buffer.from('0123456789abcdef', 'latin1');

/**
 * The contexts of traces that begin here, each as the `traceparent` of a span that is not recorded. Most requests need nothing
 * but this text, so it is made of random bytes in bulk, and is a part of a longer text: neither joined nor copied.
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
      this.#writeDigits(this.#end, TRACE_ID_BYTES, start + TRACE_ID_AT);
      this.#writeDigits(this.#end + TRACE_ID_BYTES, ID_BYTES - TRACE_ID_BYTES, start + SPAN_ID_AT);
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

  #writeDigits(start: number, length: number, to: number): void {
    const pool = this.#pool;
    const digits = this.#digits;
    let at = to;
    for (let i = start; i < start + length; i++) {
      const byte = pool[i] as number;
      digits[at++] = DIGITS[byte >> 4] as number;
      digits[at++] = DIGITS[byte & 0xf] as number;
    }
  }
}

/** The trace id in a `traceparent` of version 00. */
export function traceIdIn(traceParent: string): string {
  return traceParent.slice(TRACE_ID_AT, TRACE_ID_AT + 32);
}

/** The parent id in a `traceparent` of version 00. */
export function spanIdIn(traceParent: string): string {
  return traceParent.slice(SPAN_ID_AT, SPAN_ID_AT + 16);
}
