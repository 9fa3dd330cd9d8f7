import { randomFillSync } from 'node:crypto';

const ID_POOL_BYTES = 8_192;
/** How many bytes are converted to text at once: 24 ids. A long-lived span keeps no more text than this alive. */
const CHUNK_BYTES = 192;
const SPAN_ID_BYTES = 8;
const ZERO = /^0+$/;
const DIGIT_ZERO = 0x30;

/**
 * Generates random span ids. Random bytes and their text are created in bulk, since a few of them take as long as many. An id
 * is a part of that text, which needs no copy.
 */
export class SpanIdGenerator {
  readonly #pool = Buffer.allocUnsafeSlow(ID_POOL_BYTES);
  readonly #view = new DataView(this.#pool.buffer);
  #next = ID_POOL_BYTES;
  #chunk = '';
  /** The position in characters. */
  #at = 0;

  next(): string {
    for (;;) {
      const end = this.#at + SPAN_ID_BYTES * 2;
      if (end > this.#chunk.length) {
        this.#nextChunk();
        continue;
      }
      const id = this.#chunk.slice(this.#at, end);
      this.#at = end;
      if (id.charCodeAt(0) !== DIGIT_ZERO || !ZERO.test(id)) return id;
    }
  }

  /** Returns 32 bits of the last id as a signed number. @param back the word to return: 1 is the last of the id. */
  lastWord(back: number): number {
    return this.#view.getInt32(this.#next - CHUNK_BYTES + this.#at / 2 - back * 4);
  }

  #nextChunk(): void {
    if (this.#next + CHUNK_BYTES > ID_POOL_BYTES) {
      randomFillSync(this.#pool);
      this.#next = 0;
    }
    this.#chunk = this.#pool.toString('hex', this.#next, this.#next + CHUNK_BYTES);
    this.#next += CHUNK_BYTES;
    this.#at = 0;
  }
}
