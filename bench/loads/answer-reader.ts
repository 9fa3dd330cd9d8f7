const HEAD_END = Buffer.from('\r\n\r\n');
const CHUNKS_END = Buffer.from('\r\n0\r\n\r\n');

/** Finds the end of an HTTP/1.1 response, for a client with one request at a time on its connection. */
export class ResponseReader {
  #head: Buffer | undefined;
  #status = 0;
  /** The remaining bytes of the body. Undefined for a chunked body. */
  #missing: number | undefined;
  #last: Buffer = Buffer.alloc(0);

  /** Returns the response's status if `chunk` ends it, otherwise undefined. */
  read(chunk: Buffer): number | undefined {
    if (this.#head !== undefined || this.#status === 0) return this.#readHead(chunk);
    return this.#readBody(chunk);
  }

  #readHead(chunk: Buffer): number | undefined {
    const head: Buffer = this.#head === undefined ? chunk : Buffer.concat([this.#head, chunk]);
    const end = head.indexOf(HEAD_END);
    if (end < 0) {
      this.#head = head;
      return undefined;
    }
    this.#head = undefined;
    const text = head.toString('latin1', 0, end + 2);
    this.#status = Number(text.slice(9, 12));
    const length = /\r\ncontent-length: *(\d+)\r\n/i.exec(text)?.[1];
    this.#missing = length === undefined ? undefined : Number(length);
    this.#last = Buffer.alloc(0);
    // The line end before the body is part of the end of an empty chunked body.
    return this.#readBody(length === undefined ? head.subarray(end + 2) : head.subarray(end + 4));
  }

  #readBody(chunk: Buffer): number | undefined {
    if (this.#missing !== undefined) {
      this.#missing -= chunk.length;
      return this.#missing > 0 ? undefined : this.#finish();
    }
    this.#last = Buffer.concat([this.#last, chunk]).subarray(-CHUNKS_END.length);
    return this.#last.equals(CHUNKS_END) ? this.#finish() : undefined;
  }

  #finish(): number {
    const status = this.#status;
    this.#status = 0;
    return status;
  }
}
