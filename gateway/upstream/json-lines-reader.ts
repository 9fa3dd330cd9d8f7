import { Chunks } from '../../platform/index.ts';

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

/**
 * Splits a stream of newline-delimited JSON (`application/x-ndjson`, `application/jsonl`) into its lines. Lines end with
 * LF or CR LF. Blank lines are left out, so a server may send them to keep its connection open. Chunks may end anywhere,
 * also within a character.
 */
export class JsonLinesReader {
  readonly #maxBytes: number;
  readonly #onLine: (text: string, bytes: number) => void;
  /** The beginning of a line whose end has not arrived. */
  #partial = new Chunks();
  #hasBegun = false;

  /** @param maxBytes the maximum length of a line, without its end. */
  constructor(maxBytes: number, onLine: (text: string, bytes: number) => void) {
    this.#maxBytes = maxBytes;
    this.#onLine = onLine;
  }

  /** The number of bytes of the unfinished line. */
  get pendingLength(): number {
    return this.#partial.size;
  }

  /** @returns false if a line is too long. */
  read(chunk: Buffer): boolean {
    let start = 0;
    for (let end = chunk.indexOf(LINE_FEED); end >= 0; end = chunk.indexOf(LINE_FEED, start)) {
      this.#partial.add(chunk.subarray(start, end));
      if (!this.end()) return false;
      start = end + 1;
    }
    if (start < chunk.length) this.#partial.add(chunk.subarray(start));
    // The carriage return of CR LF may have arrived.
    return this.#partial.size <= this.#maxBytes + 1;
  }

  /**
   * Ends the current line. The last line of a body may lack its end.
   *
   * @returns false if the line is too long.
   */
  end(): boolean {
    let line = this.#partial.toBuffer();
    this.#partial = new Chunks();
    if (line.at(-1) === CARRIAGE_RETURN) line = line.subarray(0, -1);
    if (!this.#hasBegun && line.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK))
      line = line.subarray(BYTE_ORDER_MARK.length);
    this.#hasBegun = true;
    if (line.length > this.#maxBytes) return false;
    const text = line.toString('utf8');
    if (text.trim() !== '') this.#onLine(text, line.length);
    return true;
  }
}
