import { randomFillSync } from 'node:crypto';

const POOL_BYTES = 8_192;
const TRACE_ID_BYTES = 16;
const SPAN_ID_BYTES = 8;
const ZERO = /^0+$/;
const DIGIT_ZERO = 0x30;

/** Makes random ids. Random bytes are fetched in bulk: asking for a few of them takes as long as for thousands. */
export class IdGenerator {
  readonly #pool = Buffer.allocUnsafeSlow(POOL_BYTES);
  #next = POOL_BYTES;

  traceId(): string {
    return this.#hex(TRACE_ID_BYTES);
  }

  spanId(): string {
    return this.#hex(SPAN_ID_BYTES);
  }

  #hex(bytes: number): string {
    for (;;) {
      if (this.#next + bytes > POOL_BYTES) {
        randomFillSync(this.#pool);
        this.#next = 0;
      }
      const id = this.#pool.toString('hex', this.#next, this.#next + bytes);
      this.#next += bytes;
      if (id.charCodeAt(0) !== DIGIT_ZERO || !ZERO.test(id)) return id;
    }
  }
}
