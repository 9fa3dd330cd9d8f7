/** A message as its bytes say it is, by the letter of RFC 9112 and without any leniency. */
export interface Message {
  /** The request line or the status line. */
  readonly start: string;
  /** Names as they were written, in their order. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  body: string;
}

/** What a reader finds in the bytes of one side of a connection. */
export interface Found {
  onHead(message: Message): void;
  onBody(message: Message): void;
  /** The bytes are not what they should be; nothing that comes after them can be read. */
  onGarbage(reason: string, bytes: string): void;
}

/** Whether a message has a body, as far as its head does not say. */
export type BodyRule = (message: Message) => 'as-framed' | 'none' | 'until-close';

export function headerOf({ headers }: Message, name: string): string | undefined {
  return headers.find(([known]) => known.toLowerCase() === name)?.[1];
}

/**
 * Reads messages one after another from the bytes of a connection. Bytes are characters in Latin-1. The next message is
 * looked for only behind the end of the last one, as servers and clients that keep connections do.
 */
export class MessageReader {
  readonly #found: Found;
  readonly #bodyRule: BodyRule;
  #rest = '';
  #message: Message | undefined;
  /** Bytes of the body that are still to come; undefined in a chunked one between two chunks. */
  #awaited: number | undefined;
  #isOver = false;

  constructor(found: Found, bodyRule: BodyRule = () => 'as-framed') {
    this.#found = found;
    this.#bodyRule = bodyRule;
  }

  /** Bytes that have come and belong to no message yet. */
  get rest(): string {
    return this.#rest;
  }

  read(bytes: string): void {
    this.#rest += bytes;
    while (!this.#isOver && this.#step()) {}
  }

  /** Takes what follows for something else. */
  stop(): void {
    this.#isOver = true;
  }

  /** The other side has ended the connection. */
  end(): void {
    const message = this.#message;
    if (!message || this.#isOver || this.#bodyRule(message) !== 'until-close') return;
    message.body = this.#rest;
    this.#found.onBody(message);
  }

  #step(): boolean {
    if (!this.#message) return this.#readHead();
    if (this.#bodyRule(this.#message) === 'until-close') return false;
    return this.#awaited === undefined ? this.#readChunkSize(this.#message) : this.#readBytes(this.#message);
  }

  #readHead(): boolean {
    const end = this.#rest.indexOf('\r\n\r\n');
    if (end < 0) return false;
    const [start = '', ...lines] = this.#rest.slice(0, end).split('\r\n');
    this.#rest = this.#rest.slice(end + 4);
    const headers: (readonly [string, string])[] = [];
    for (const line of lines) {
      const [, name, value] = /^([\w!#$%&'*+.^`|~-]+):[ \t]*([^\r\n]*?)[ \t]*$/.exec(line) ?? [];
      if (name === undefined || value === undefined) return this.#fail('a header line that is none', line);
      headers.push([name, value]);
    }
    const isRequest = /^[A-Z-]+ [^ ]+ HTTP\/1\.1$/.test(start);
    if (!isRequest && !/^HTTP\/1\.1 [1-9]\d\d( .*)?$/.test(start))
      return this.#fail('a start line that is none', start);
    const message: Message = { start, headers, body: '' };
    const framing = headers.filter(([name]) => /^(content-length|transfer-encoding)$/i.test(name));
    if (framing.length > 1) return this.#fail('a body that is framed twice', start);
    this.#message = message;
    this.#found.onHead(message);
    if (this.#isOver) return false;
    const [name, value] = framing[0] ?? [];
    if (this.#bodyRule(message) === 'none' || name === undefined || value === undefined) this.#awaited = 0;
    else if (name.toLowerCase() === 'content-length') this.#awaited = Number(value);
    else if (value === 'chunked') this.#awaited = undefined;
    else return this.#fail('a transfer coding that is unknown', value);
    if (this.#awaited !== 0) return true;
    return this.#finish(message);
  }

  #readBytes(message: Message): boolean {
    const awaited = this.#awaited ?? 0;
    if (this.#rest.length < awaited) return false;
    message.body += this.#rest.slice(0, awaited);
    this.#rest = this.#rest.slice(awaited);
    if (headerOf(message, 'transfer-encoding') === undefined) return this.#finish(message);
    if (!this.#rest.startsWith('\r\n') && this.#rest.length >= 2)
      return this.#fail('a chunk that is too long', this.#rest);
    if (this.#rest.length < 2) {
      this.#rest = message.body.slice(message.body.length - awaited) + this.#rest;
      message.body = message.body.slice(0, message.body.length - awaited);
      return false;
    }
    this.#rest = this.#rest.slice(2);
    this.#awaited = undefined;
    return true;
  }

  #readChunkSize(message: Message): boolean {
    const end = this.#rest.indexOf('\r\n');
    if (end < 0) return false;
    const line = this.#rest.slice(0, end);
    if (!/^[0-9a-f]+$/i.test(line)) return this.#fail('a chunk size that is none', line);
    const size = Number.parseInt(line, 16);
    if (size > 0) {
      this.#rest = this.#rest.slice(end + 2);
      this.#awaited = size;
      return true;
    }
    if (this.#rest.length < end + 4) return false;
    if (!this.#rest.startsWith('\r\n', end + 2)) return this.#fail('a trailer', this.#rest);
    this.#rest = this.#rest.slice(end + 4);
    return this.#finish(message);
  }

  #finish(message: Message): boolean {
    this.#message = undefined;
    this.#found.onBody(message);
    return true;
  }

  #fail(reason: string, bytes: string): false {
    this.#isOver = true;
    this.#found.onGarbage(reason, bytes.slice(0, 200));
    return false;
  }
}
