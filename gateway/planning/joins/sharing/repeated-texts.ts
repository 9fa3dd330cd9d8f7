import {
  BACKSLASH,
  CLOSING_BRACE,
  CLOSING_BRACKET,
  COMMA,
  OPENING_BRACE,
  OPENING_BRACKET,
  QUOTE,
} from '../../../../platform/index.ts';

/*
 * Most of a long reply with nested lists is often the same text again and again. The texts of objects are therefore
 * compared before the reply is parsed. Each distinct text is parsed once, and a mark takes its place in the reply.
 */

/** A JSON text in which marks replace the texts of some objects. */
export interface MarkedText {
  readonly text: string;
  /** The number of marks. */
  readonly marks: number;
}

/** A reply whose repeated objects are marked. */
export interface MarkedReply {
  readonly reply: MarkedText;
  /** The distinct texts of the marked objects, by the numbers in the marks. They may contain marks themselves. */
  readonly objects: readonly MarkedText[];
}

/** The text of an object that was found in a reply. */
interface FoundObject {
  readonly start: number;
  readonly end: number;
  readonly number: number;
}

/** Ends a response key and begins an object. V8 searches for short texts faster. */
const OBJECT_VALUE = Buffer.from('":{');
/** Objects of shorter texts are not replaced. */
const LEAST_BYTES = 48;
/** The length of the beginning of a text by which equal texts are found. */
const BEGINNING = 64;
/**
 * The number of bytes that are examined one by one before anything has been saved. If the saved bytes do not exceed the
 * examined bytes by then, little repeats, and the rest of the reply stays as it is.
 */
const TRIED_BYTES = 16 * 1024;
/** The number of bytes for which a member counts that was found in vain. */
const VAIN_BYTES = 32;

/** The response keys of objects, as they precede the texts of objects: without the last quote. */
export function keyTexts(keys: Iterable<string>): readonly Buffer[] {
  return [...keys].map((key) => Buffer.from(JSON.stringify(key).slice(0, -1)));
}

/**
 * Marks repeated objects that are values of some keys. Bytes that begin and end like such a member are one if the reply
 * is JSON: a text cannot contain a quote after a comma or an opening brace. The reply therefore is valid JSON if all
 * marked texts are.
 *
 * @param bytes UTF-8 text. The texts of objects begin and end with ASCII characters, so the parts can be decoded apart
 * @param keys see `keyTexts`
 * @param mark a secret, so that a service cannot send a mark
 * @returns undefined if nothing was marked
 */
export function markRepeated(bytes: Buffer, keys: readonly Buffer[], mark: string): MarkedReply | undefined {
  const found = new Map<string, FoundObject>();
  const objects: MarkedText[] = [];
  let examined = 0;
  let saved = 0;

  /** The object at a position, if its text has been found before. */
  const repeatedAt = (start: number, to: number, beginning: string): FoundObject | undefined => {
    const known = found.get(beginning);
    if (!known) return undefined;
    const end = start + known.end - known.start;
    return end <= to && bytes.compare(bytes, known.start, known.end, start, end) === 0 ? known : undefined;
  };

  const markBetween = (from: number, to: number): MarkedText => {
    let text = '';
    let marks = 0;
    let copied = from;
    let at = from;
    while (examined <= TRIED_BYTES + saved) {
      at = bytes.indexOf(OBJECT_VALUE, at);
      if (at < 0 || at >= to) break;
      const start = at + OBJECT_VALUE.length - 1;
      if (!isMemberEnd(bytes, at, keys)) {
        examined += VAIN_BYTES;
        at = start;
        continue;
      }
      const beginning = bytes.toString('latin1', start, start + BEGINNING);
      let object = repeatedAt(start, to, beginning);
      if (!object) {
        const end = endOfObject(bytes, start, to);
        if (end === undefined) break;
        examined += end - start;
        if (end - start < LEAST_BYTES) {
          at = end;
          continue;
        }
        object = { start, end, number: objects.length };
        found.set(beginning, object);
        // The number is taken before objects inside the text take theirs.
        objects.push(NOTHING);
        objects[object.number] = markBetween(start, end);
      }
      at = start + object.end - object.start;
      text += `${bytes.toString('utf8', copied, start)}"${mark}${object.number}"`;
      marks++;
      saved += at - start;
      copied = at;
    }
    return { text: text + bytes.toString('utf8', copied, to), marks };
  };

  const reply = markBetween(0, bytes.length);
  return reply.marks === 0 ? undefined : { reply, objects };
}

const NOTHING: MarkedText = { text: '', marks: 0 };

/** Whether a quote ends one of the keys at the beginning of a member. */
function isMemberEnd(bytes: Buffer, quote: number, keys: readonly Buffer[]): boolean {
  for (const key of keys) {
    const before = quote - key.length - 1;
    const opening = bytes[before];
    if (opening !== COMMA && opening !== OPENING_BRACE) continue;
    let at = key.length - 1;
    while (at >= 0 && bytes[before + 1 + at] === key[at]) at--;
    if (at < 0) return true;
  }
  return false;
}

/** The end of an object. Undefined if the text ends before it. */
function endOfObject(bytes: Buffer, start: number, to: number): number | undefined {
  let depth = 0;
  let isInText = false;
  for (let at = start; at < to; at++) {
    const byte = bytes[at];
    if (isInText) {
      if (byte === QUOTE) isInText = false;
      else if (byte === BACKSLASH) at++;
    } else if (byte === QUOTE) isInText = true;
    else if (byte === OPENING_BRACE || byte === OPENING_BRACKET) depth++;
    else if (byte === CLOSING_BRACE || byte === CLOSING_BRACKET) {
      depth--;
      if (depth === 0) return at + 1;
    }
  }
  return undefined;
}
