/** One server-sent event. */
export interface ServerSentEvent {
  /** `message` where the server gives it no name. */
  readonly event: string;
  readonly data: string;
  /** The last id that the stream has given, by which it can be resumed; empty where it has given none. */
  readonly lastEventId: string;
}

const BYTE_ORDER_MARK = '\u{feff}';
/** Characters of an event that has not ended. */
const MAX_PENDING = 16 * 1024 * 1024;

/**
 * Parses an event stream (HTML Living Standard, section 9.2.6, "Interpreting an event stream"): lines end with CR,
 * LF or both, an empty line ends an event, a line that begins with a colon is a comment. An event without data
 * counts only where it has a name: some servers end that way.
 */
export class EventStreamReader {
  readonly #onEvent: (event: ServerSentEvent) => void;
  /** The beginning of a line whose end has not come. */
  readonly #partial: string[] = [];
  #pending = 0;
  #event = '';
  #data: string[] = [];
  #id = '';
  #retryMs: number | undefined;
  #endedWithReturn = false;
  #hasBegun = false;

  constructor(onEvent: (event: ServerSentEvent) => void) {
    this.#onEvent = onEvent;
  }

  /** Characters of the event that has not ended. */
  get pendingLength(): number {
    return this.#pending;
  }

  /** How long the server asks its clients to wait before they connect again, in milliseconds. */
  get retryMs(): number | undefined {
    return this.#retryMs;
  }

  /** @returns false when an event is larger than it may be. */
  read(text: string): boolean {
    let rest = text;
    // A byte order mark may stand before everything else (section 9.2.6).
    if (!this.#hasBegun && rest.startsWith(BYTE_ORDER_MARK)) rest = rest.slice(1);
    this.#hasBegun ||= text !== '';
    // A line feed after a carriage return belongs to it, even where it comes in the next piece.
    if (this.#endedWithReturn && rest.startsWith('\n')) rest = rest.slice(1);
    this.#endedWithReturn = rest === '' ? this.#endedWithReturn : rest.endsWith('\r');
    const lines = rest.split(/\r\n|\r|\n/);
    const last = lines.pop() ?? '';
    for (const line of lines) {
      this.#line(this.#partial.length > 0 ? this.#partial.join('') + line : line);
      this.#partial.length = 0;
    }
    if (last !== '') this.#partial.push(last);
    this.#pending += rest.length;
    return this.#pending <= MAX_PENDING;
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
    else if (field === 'data') this.#data.push(value);
    else if (field === 'id' && !value.includes('\0')) this.#id = value;
    else if (field === 'retry' && /^\d{1,9}$/.test(value)) this.#retryMs = Number(value);
  }

  #dispatch(): void {
    const event = this.#event || 'message';
    const data = this.#data;
    this.#event = '';
    this.#data = [];
    this.#pending = 0;
    if (data.length > 0 || event !== 'message') this.#onEvent({ event, data: data.join('\n'), lastEventId: this.#id });
  }
}
