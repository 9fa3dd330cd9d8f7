import { KritiSyntaxError } from './errors.ts';

const BLANK = /(?:\s|#[^\n]*)*/y;

/** Reads a template from left to right. */
export class Cursor {
  position = 0;

  constructor(readonly source: string) {}

  get atEnd(): boolean {
    return this.position >= this.source.length;
  }

  /** Skips whitespace and comments. A comment runs from `#` to the end of the line. */
  skipBlank(): void {
    this.match(BLANK);
  }

  /** Returns whether `text` comes next. */
  sees(text: string): boolean {
    return this.source.startsWith(text, this.position);
  }

  /** Skips `text` if it comes next. */
  take(text: string): boolean {
    if (!this.sees(text)) return false;
    this.position += text.length;
    return true;
  }

  /** Skips and returns the match of `pattern`, which must be sticky. */
  match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.position;
    const found = pattern.exec(this.source)?.[0];
    if (found !== undefined) this.position += found.length;
    return found;
  }

  /** Skips blanks and `text`. @throws KritiSyntaxError if something else comes next. */
  expect(text: string, what = `"${text}"`): void {
    this.skipBlank();
    if (!this.take(text)) this.failExpecting(what);
  }

  /** @throws KritiSyntaxError always. */
  failExpecting(what: string): never {
    const found = this.atEnd
      ? 'the end of the template'
      : `"${this.source.slice(this.position).match(/^\w+|^./su)?.[0]}"`;
    return this.fail(`expected ${what}, found ${found}`);
  }

  /** @throws KritiSyntaxError always. */
  fail(message: string, at = this.position): never {
    throw new KritiSyntaxError(message, this.source, at);
  }
}
