import type { Cursor } from './cursor.ts';
import type { Expression } from './syntax.ts';

type Parts = readonly (string | Expression)[];

/** Reads the expression up to `}}`. The opening `{{`, at position `at`, has been read. */
type ReadHole = (at: number) => Expression;

const PLAIN_TEXT = /(?:(?!\{\{)[^"\\])+/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;

/** Reads the rest of a text whose opening quote is at `start`: JSON's escapes, and `{{ … }}`. */
export function textUntilQuote(cursor: Cursor, start: number, readHole: ReadHole): Parts {
  const parts = new PartList();
  for (;;) {
    if (cursor.take('"')) return parts.list;
    if (cursor.atEnd) cursor.fail('the text that begins here has no end', start);
    const at = cursor.position;
    if (cursor.take('{{')) parts.add(readHole(at));
    else if (cursor.sees('\\')) {
      const escaped = cursor.match(ESCAPE) ?? cursor.failExpecting('one of the escapes of JSON');
      parts.add(JSON.parse(`"${escaped}"`) as string);
    } else parts.add(cursor.match(PLAIN_TEXT) ?? '');
  }
}

/** Reads a text without quotes or escapes, up to the end of the template. */
export function textUntilEnd(cursor: Cursor, readHole: ReadHole): Parts {
  const parts = new PartList();
  while (!cursor.atEnd) {
    const at = cursor.position;
    if (cursor.take('{{')) parts.add(readHole(at));
    else {
      const until = cursor.source.indexOf('{{', at);
      cursor.position = until < 0 ? cursor.source.length : until;
      parts.add(cursor.source.slice(at, cursor.position));
    }
  }
  return parts.list;
}

/** Collects the parts of a text and joins adjacent plain ones. */
class PartList {
  readonly list: (string | Expression)[] = [];

  add(part: string | Expression): void {
    const last = this.list.at(-1);
    if (typeof part === 'string' && typeof last === 'string') this.list[this.list.length - 1] = last + part;
    else this.list.push(part);
  }
}
