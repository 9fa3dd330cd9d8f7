/** Chunks that are put together where they are small. */
const MANY_CHUNKS = 1_024;
/** Smaller than this a chunk takes more memory than its bytes. */
const SMALL_BYTES = 1_024;

/**
 * The chunks of a body in the order in which they come. A sender may send byte by byte, and each chunk would take the
 * memory of a hundred bytes: runs of small ones are put together.
 */
export class Chunks {
  readonly list: Buffer[] = [];
  /** In bytes. */
  size = 0;
  /** Chunks and bytes that have been looked at, whether they are small. */
  #seen = { chunks: 0, bytes: 0 };

  add(chunk: Buffer): void {
    this.size += chunk.length;
    if (this.list.push(chunk) - this.#seen.chunks < MANY_CHUNKS) return;
    const { chunks, bytes } = this.#seen;
    if (this.size - bytes < MANY_CHUNKS * SMALL_BYTES) this.list.push(Buffer.concat(this.list.splice(chunks)));
    this.#seen = { chunks: this.list.length, bytes: this.size };
  }

  /** All of them as one. */
  toBuffer(): Buffer {
    const [first] = this.list;
    return first && this.list.length === 1 ? first : Buffer.concat(this.list, this.size);
  }
}
