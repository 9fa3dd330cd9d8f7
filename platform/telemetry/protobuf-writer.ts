/** The longest text that is copied byte by byte. For longer ones, a call of the runtime is cheaper. */
const SHORT_TEXT = 48;
/** A length that is written before it is known has room for 14 bits or 28. */
const LENGTH_BYTES = 2;
const MAX_SHORT_LENGTH = 0x3fff;
const LONG_LENGTH_BYTES = 4;

/** Wire types of Protocol Buffers. */
export const VARINT = 0;
const FIXED_64 = 1;
export const LENGTH_DELIMITED = 2;
const FIXED_32 = 5;

/**
 * Writes Protocol Buffers into one growing buffer. Unknown lengths of messages are written with two bytes (or four), which the
 * encoding allows, so that the following bytes need not be moved.
 */
export class ProtobufWriter {
  #bytes: Buffer;
  #view: DataView;
  #length = 0;

  constructor(size: number) {
    this.#bytes = Buffer.allocUnsafeSlow(size);
    this.#view = viewOf(this.#bytes);
  }

  get length(): number {
    return this.#length;
  }

  /** Sets the position for writing. Everything behind it is lost. */
  reset(length: number): void {
    this.#length = length;
  }

  /** Returns the bytes from `start`. The next write overwrites them. */
  bytes(start = 0): Buffer {
    return this.#bytes.subarray(start, this.#length);
  }

  copy(): Uint8Array {
    return Uint8Array.prototype.slice.call(this.#bytes, 0, this.#length);
  }

  /** Begins a message. @returns its start, for `close`. */
  open(field: number): number {
    this.#reserve(8);
    this.#tag(field, LENGTH_DELIMITED);
    this.#length += LENGTH_BYTES;
    return this.#length;
  }

  close(start: number): void {
    const size = this.#length - start;
    const at = start - LENGTH_BYTES;
    if (size <= MAX_SHORT_LENGTH) {
      this.#bytes[at] = (size & 0x7f) | 0x80;
      this.#bytes[at + 1] = size >>> 7;
      return;
    }
    this.#reserve(LENGTH_BYTES);
    this.#bytes.copyWithin(at + LONG_LENGTH_BYTES, start, this.#length);
    this.#length += LENGTH_BYTES;
    this.#writeLength(at, size);
  }

  #writeLength(at: number, size: number): void {
    for (let i = 0; i < LONG_LENGTH_BYTES; i++)
      this.#bytes[at + i] = ((size >>> (7 * i)) & 0x7f) | (i < LONG_LENGTH_BYTES - 1 ? 0x80 : 0);
  }

  /** Begins a message of any length. `closeLong` ends it. */
  openLong(field: number): number {
    this.open(field);
    this.#length += LONG_LENGTH_BYTES - LENGTH_BYTES;
    return this.#length;
  }

  closeLong(start: number): void {
    this.#writeLength(start - LONG_LENGTH_BYTES, this.#length - start);
  }

  text(field: number, text: string): void {
    this.#reserve(text.length * 3 + 16);
    this.#tag(field, LENGTH_DELIMITED);
    if (text.length <= SHORT_TEXT && this.#shortText(text)) return;
    const size = Buffer.byteLength(text);
    this.#varint(size);
    this.#length += this.#bytes.write(text, this.#length, 'utf8');
  }

  /** @returns false without writing anything if the text is not ASCII. */
  #shortText(text: string): boolean {
    const bytes = this.#bytes;
    let at = this.#length;
    bytes[at++] = text.length;
    for (let i = 0; i < text.length; i++) {
      const code = text.charCodeAt(i);
      if (code > 0x7f) return false;
      bytes[at++] = code;
    }
    this.#length = at;
    return true;
  }

  /** Writes eight bytes, given as words of 32 bits. */
  eightBytes(field: number, high: number, low: number): void {
    this.#reserve(16);
    this.#tag(field, LENGTH_DELIMITED);
    this.#bytes[this.#length++] = 8;
    this.#view.setInt32(this.#length, high);
    this.#view.setInt32(this.#length + 4, low);
    this.#length += 8;
  }

  /** Writes sixteen bytes, given as words of 32 bits. */
  sixteenBytes(field: number, first: number, second: number, third: number, fourth: number): void {
    this.eightBytes(field, first, second);
    this.#bytes[this.#length - 9] = 16;
    this.#reserve(8);
    this.#view.setInt32(this.#length, third);
    this.#view.setInt32(this.#length + 4, fourth);
    this.#length += 8;
  }

  /** @param hex an even number of lower-case hexadecimal digits, at most 254. */
  hex(field: number, hex: string): void {
    this.#reserve(hex.length / 2 + 16);
    this.#tag(field, LENGTH_DELIMITED);
    const bytes = this.#bytes;
    let at = this.#length;
    bytes[at++] = hex.length / 2;
    // For the length of an id, a call of the runtime takes longer than this loop.
    for (let i = 0; i < hex.length; i += 2)
      bytes[at++] = (nibble(hex.charCodeAt(i)) << 4) | nibble(hex.charCodeAt(i + 1));
    this.#length = at;
  }

  /** @param value an integer from 0 to 2^53. */
  varint(field: number, value: number): void {
    this.#reserve(16);
    this.#tag(field, VARINT);
    this.#varint(value);
  }

  double(field: number, value: number): void {
    this.#reserve(16);
    this.#tag(field, FIXED_64);
    this.#view.setFloat64(this.#length, value, true);
    this.#length += 8;
  }

  /** @param value an integer from 0 to 2^53. */
  fixed64(field: number, value: number): void {
    this.#reserve(16);
    this.#tag(field, FIXED_64);
    this.#fixed64(value);
  }

  /** @param values integers from 0 to 2^53. */
  packedFixed64(field: number, values: readonly number[]): void {
    this.#packed(field, values.length);
    for (const value of values) this.#fixed64(value);
  }

  packedDoubles(field: number, values: readonly number[]): void {
    this.#packed(field, values.length);
    for (const value of values) {
      this.#view.setFloat64(this.#length, value, true);
      this.#length += 8;
    }
  }

  /** Begins a list of values of 8 bytes each. */
  #packed(field: number, count: number): void {
    this.#reserve(count * 8 + 16);
    this.#tag(field, LENGTH_DELIMITED);
    this.#varint(count * 8);
  }

  #fixed64(value: number): void {
    // Stores only the lower 32 bits: computing the remainder of such a number takes longer than everything else.
    this.#view.setUint32(this.#length, value, true);
    this.#view.setUint32(this.#length + 4, Math.floor(value / 0x1_0000_0000), true);
    this.#length += 8;
  }

  /** Writes a time in milliseconds since 1970, with fractions, as nanoseconds. */
  time(field: number, milliseconds: number): void {
    this.#reserve(16);
    this.#tag(field, FIXED_64);
    const whole = Math.floor(milliseconds);
    const nanoseconds = Math.round((milliseconds - whole) * 1e6);
    // The product has more bits than a number represents exactly, so it is computed in parts.
    const wholeUpper = Math.floor(whole / 0x1_0000);
    const upper = wholeUpper * 1e6;
    const upperUpper = Math.floor(upper / 0x1_0000);
    const lower = (upper - upperUpper * 0x1_0000) * 0x1_0000 + (whole - wholeUpper * 0x1_0000) * 1e6 + nanoseconds;
    this.#view.setUint32(this.#length, lower, true);
    this.#view.setUint32(this.#length + 4, upperUpper + Math.floor(lower / 0x1_0000_0000), true);
    this.#length += 8;
  }

  fixed32(field: number, value: number): void {
    this.#reserve(8);
    this.#tag(field, FIXED_32);
    this.#view.setUint32(this.#length, value, true);
    this.#length += 4;
  }

  /** Writes bytes that are already encoded. */
  raw(bytes: Uint8Array): void {
    this.#reserve(bytes.length);
    this.#bytes.set(bytes, this.#length);
    this.#length += bytes.length;
  }

  #tag(field: number, type: number): void {
    if (field > 15) this.#bytes[this.#length++] = ((field << 3) & 0x7f) | type | 0x80;
    this.#bytes[this.#length++] = field > 15 ? field >>> 4 : (field << 3) | type;
  }

  #varint(value: number): void {
    let rest = value;
    while (rest > 0x7f) {
      this.#bytes[this.#length++] = (rest % 0x80) | 0x80;
      rest = Math.floor(rest / 0x80);
    }
    this.#bytes[this.#length++] = rest;
  }

  #reserve(size: number): void {
    const needed = this.#length + size;
    if (needed <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(needed, this.#bytes.length * 2));
    this.#bytes.copy(larger, 0, 0, this.#length);
    this.#bytes = larger;
    this.#view = viewOf(larger);
  }
}

/** @param code the character code of a lower-case hexadecimal digit. */
function nibble(code: number): number {
  return code <= 0x39 ? code - 0x30 : code - 0x57;
}

function viewOf(bytes: Buffer): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
