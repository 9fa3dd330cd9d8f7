/** The number of chunks after which small ones are concatenated. */
const MANY_CHUNKS = 1_024;
/** A smaller chunk takes more memory than its bytes. */
const SMALL_BYTES = 1_024;

/**
 * The chunks of a body in the order of arrival. A sender may send single bytes, and each chunk takes the memory of a hundred
 * bytes, so runs of small chunks are concatenated.
 */
export class Chunks {
  readonly list: Buffer[] = [];
  /** The total size in bytes. */
  size = 0;
  /** Chunks and bytes that have already been checked for small chunks. */
  #seen = { chunks: 0, bytes: 0 };

  add(chunk: Buffer): void {
    this.size += chunk.length;
    if (this.list.push(chunk) - this.#seen.chunks < MANY_CHUNKS) return;
    const { chunks, bytes } = this.#seen;
    if (this.size - bytes < MANY_CHUNKS * SMALL_BYTES) this.list.push(Buffer.concat(this.list.splice(chunks)));
    this.#seen = { chunks: this.list.length, bytes: this.size };
  }

  /** Returns all chunks as a single one. */
  toBuffer(): Buffer {
    const [first] = this.list;
    return first && this.list.length === 1 ? first : Buffer.concat(this.list, this.size);
  }
}
