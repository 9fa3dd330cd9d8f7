/** A server-sent event. */
export interface ServerSentEvent {
  /** The event's name. `message` if the server gives none. */
  readonly event: string;
  readonly data: string;
  /** The last id in the stream, from which it can be resumed. Empty if there was none. */
  readonly lastEventId: string;
}

const BYTE_ORDER_MARK = '\u{feff}';
/** The maximum length of an event, in bytes of UTF-8, if the reader gets no other. */
const MAX_EVENT_BYTES = 16 * 1024 * 1024;

/**
 * Parses an event stream (HTML Living Standard, section 9.2.6, "Interpreting an event stream"). Lines end with CR, LF
 * or both. An empty line ends an event. A line that begins with a colon is a comment. An event without data only counts
 * if it has a name, since some servers end a stream that way.
 */
export class EventStreamReader {
  readonly #onEvent: (event: ServerSentEvent) => void;
  readonly #maxBytes: number;
  /** The beginning of a line whose end has not arrived. */
  readonly #partial: string[] = [];
  #partialLength = 0;
  #event = '';
  #data: string[] = [];
  #dataLength = 0;
  #isTooLarge = false;
  #id = '';
  #retryMs: number | undefined;
  #endedWithReturn = false;
  #hasBegun = false;

  /** @param maxBytes the maximum length of an event's data, and of an unfinished line. */
  constructor(onEvent: (event: ServerSentEvent) => void, maxBytes = MAX_EVENT_BYTES) {
    this.#onEvent = onEvent;
    this.#maxBytes = maxBytes;
  }

  /** The number of characters of the unfinished event. */
  get pendingLength(): number {
    return this.#partialLength + this.#dataLength;
  }

  /** The reconnection delay that the server requests, in milliseconds. */
  get retryMs(): number | undefined {
    return this.#retryMs;
  }

  /** @returns false if an event is too large. */
  read(text: string): boolean {
    let rest = text;
    // A byte order mark may precede everything else (section 9.2.6).
    if (!this.#hasBegun && rest.startsWith(BYTE_ORDER_MARK)) rest = rest.slice(1);
    this.#hasBegun ||= text !== '';
    // A line feed after a carriage return belongs to it, even if it arrives in the next chunk.
    if (this.#endedWithReturn && rest.startsWith('\n')) rest = rest.slice(1);
    this.#endedWithReturn = rest === '' ? this.#endedWithReturn : rest.endsWith('\r');
    const lines = rest.split(/\r\n|\r|\n/);
    const last = lines.pop() ?? '';
    for (const line of lines) {
      this.#line(this.#partial.length > 0 ? this.#partial.join('') + line : line);
      this.#partial.length = 0;
      this.#partialLength = 0;
      if (this.#isTooLarge) return false;
    }
    if (last !== '') this.#partial.push(last);
    this.#partialLength += last.length;
    return this.pendingLength <= this.#maxBytes;
  }

  #line(line: string): void {
    if (line === '') this.#dispatch();
    else if (!line.startsWith(':')) this.#field(line);
  }

  #field(line: string): void {
    const colon = line.indexOf(':');
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1);
    if (field === 'event') this.#event = value;
    else if (field === 'data') this.#addData(value);
    else if (field === 'id' && !value.includes('\0')) this.#id = value;
    else if (field === 'retry' && /^\d{1,9}$/.test(value)) this.#retryMs = Number(value);
  }

  #addData(value: string): void {
    this.#data.push(value);
    // Each line is followed by a line feed.
    this.#dataLength += value.length + 1;
    this.#isTooLarge ||= this.#dataLength > this.#maxBytes + 1;
  }

  #dispatch(): void {
    const event = this.#event || 'message';
    const lines = this.#data;
    const { length } = lines;
    const data = lines.join('\n');
    this.#event = '';
    this.#data = [];
    this.#dataLength = 0;
    // A character takes three bytes at most.
    this.#isTooLarge ||= data.length * 3 > this.#maxBytes && Buffer.byteLength(data) > this.#maxBytes;
    if (this.#isTooLarge) return;
    if (length > 0 || event !== 'message') this.#onEvent({ event, data, lastEventId: this.#id });
  }
}
