const BLANK_LINE = Buffer.from('\r\n\r\n');
const LINE_END = Buffer.from('\r\n');
const DASH = 0x2d;
const SPACE = 0x20;
const TAB = 0x09;
/**
 * The maximum white space after a boundary. HTTP clients and servers add none, and all of it is scanned again with each
 * chunk.
 */
const MAX_PADDING = 256;
/** The maximum size of a part's buffer that is reused for the next part. */
const MAX_SPARE_BYTES = 64 * 1024;
const BOUNDARY_VALUE = /;\s*boundary\s*=\s*(?:"([^"]+)"|([^\s;"]+))/i;

/** The boundary in a multipart content type. Defaults to the boundary of incremental delivery over HTTP. */
export function boundaryOf(contentType: string): string {
  const [, quoted, plain] = BOUNDARY_VALUE.exec(contentType) ?? [];
  return quoted ?? plain ?? '-';
}

/**
 * Parses a multipart body while it arrives (RFC 2046 section 5.1). A part is passed on when the delimiter after it has
 * arrived. Its headers are dropped.
 */
export class MultipartReader {
  readonly #delimiter: Buffer;
  readonly #onPart: (body: Buffer) => void;
  /** The unprocessed bytes, at the beginning of a buffer that may be longer. */
  #kept: Buffer = Buffer.from(LINE_END);
  /** The number of unprocessed bytes. Initially it is a line end, so that the body may begin with a delimiter. */
  #length = LINE_END.length;
  /** No delimiter begins before this position. */
  #searched = 0;
  #state: 'preamble' | 'delimiter' | 'part' | 'closed' = 'preamble';

  constructor(boundary: string, onPart: (body: Buffer) => void) {
    this.#delimiter = Buffer.from(`\r\n--${boundary}`, 'latin1');
    this.#onPart = onPart;
  }

  /** Whether the last delimiter has arrived. */
  get isClosed(): boolean {
    return this.#state === 'closed';
  }

  /** The number of bytes kept until more of the body arrives. */
  get pendingBytes(): number {
    return this.#length;
  }

  /** @returns false if the body is not multipart. */
  read(chunk: Buffer): boolean {
    if (this.isClosed) return true;
    const bytes = this.#length === 0 ? chunk : this.#append(chunk);
    const isKept = bytes !== chunk;
    let at = 0;
    while (!this.isClosed) {
      const next = this.#state === 'delimiter' ? this.#readDelimiter(bytes, at) : this.#readPart(bytes, at, isKept);
      if (next === 'malformed') return false;
      if (next === 'incomplete') break;
      at = next;
    }
    this.#keep(bytes, at, chunk);
    return true;
  }

  /** Reads the rest of a delimiter's line. @returns the position of its end. */
  #readDelimiter(bytes: Buffer, at: number): number | 'malformed' | 'incomplete' {
    const end = endOfDelimiter(bytes, at);
    if (end === 'malformed' || end === 'incomplete') return end;
    this.#state = end === 'last' ? 'closed' : 'part';
    this.#searched = end === 'last' ? at : end;
    return this.#searched;
  }

  /** Reads a part or the preamble up to the next delimiter. @returns the end of the delimiter's boundary. */
  #readPart(bytes: Buffer, at: number, isKept: boolean): number | 'malformed' | 'incomplete' {
    const found = bytes.indexOf(this.#delimiter, this.#searched);
    if (found < 0) {
      this.#searched = Math.max(at, bytes.length - this.#delimiter.length + 1);
      return 'incomplete';
    }
    if (this.#state === 'part') {
      const body = bodyIn(bytes.subarray(at, found));
      if (!body) return 'malformed';
      // The kept buffer is overwritten later, so the part is copied.
      this.#onPart(isKept ? Buffer.from(body) : body);
    }
    this.#state = 'delimiter';
    return found + this.#delimiter.length;
  }

  /**
   * Adds a chunk to the kept bytes. The buffer at least doubles when it grows, since long parts arrive in many chunks.
   */
  #append(chunk: Buffer): Buffer {
    const length = this.#length + chunk.length;
    if (length > this.#kept.length) {
      const larger = Buffer.allocUnsafe(Math.max(length, this.#kept.length * 2));
      this.#kept.copy(larger, 0, 0, this.#length);
      this.#kept = larger;
    }
    chunk.copy(this.#kept, this.#length);
    this.#length = length;
    return this.#kept.subarray(0, length);
  }

  #keep(bytes: Buffer, from: number, chunk: Buffer): void {
    const rest = bytes.length - from;
    this.#searched = Math.max(0, this.#searched - from);
    this.#length = this.isClosed ? 0 : rest;
    if (from === 0 && bytes !== chunk && !this.isClosed) return;
    if (this.#kept.length < this.#length || this.#kept.length > MAX_SPARE_BYTES)
      this.#kept = Buffer.allocUnsafe(this.#length);
    if (this.#length > 0) bytes.copy(this.#kept, 0, from);
  }
}

/**
 * The position before a delimiter's line end. Parts begin with this line end, so that a part without headers has an
 * empty line before its body like any other part.
 */
function endOfDelimiter(bytes: Buffer, from: number): number | 'last' | 'incomplete' | 'malformed' {
  if (bytes.length >= from + 2 && bytes[from] === DASH && bytes[from + 1] === DASH) return 'last';
  let at = from;
  while (bytes[at] === SPACE || bytes[at] === TAB) at += 1;
  if (at > from + MAX_PADDING) return 'malformed';
  const [first, second] = [bytes[at], bytes[at + 1]];
  if (first === LINE_END[0] && second === LINE_END[1]) return at;
  const isBegun = first === undefined || (second === undefined && (first === LINE_END[0] || first === DASH));
  return isBegun ? 'incomplete' : 'malformed';
}

function bodyIn(part: Buffer): Buffer | undefined {
  const blank = part.indexOf(BLANK_LINE);
  return blank < 0 ? undefined : part.subarray(blank + BLANK_LINE.length);
}
