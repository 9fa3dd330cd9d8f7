import { randomBytes } from 'node:crypto';
import { parseServiceJson } from '../../../../platform/index.ts';
import { isList, isObject, type Json, type ReplyBytes } from '../json.ts';
import type { PlaceNode, Sharing } from './repeated-objects.ts';
import { keyTexts, type MarkedReply, type MarkedText, markRepeated } from './repeated-texts.ts';

/**
 * Parses a reply. Objects that may be shared and whose texts are equal are one object in the result.
 * @returns undefined if the reply has to be parsed as usual
 */
export type ReadRepeated = (reply: ReplyBytes, join: JoinChunks) => Json | undefined;

/** Joins chunks of a given total length. The bytes are valid until the next call. */
export type JoinChunks = (chunks: readonly Buffer[], length: number) => Buffer;

/**
 * Creates a function that joins chunks in the same memory each time. New memory for a long reply has to be requested from
 * the system, and it brings full garbage collections forward.
 */
export function reusingMemory(): JoinChunks {
  let memory = Buffer.alloc(0);
  return (chunks, length) => {
    if (length > MOST_KEPT_BYTES) return Buffer.concat(chunks, length);
    if (memory.length < length) memory = Buffer.allocUnsafeSlow(Math.min(MOST_KEPT_BYTES, 2 * length));
    let at = 0;
    for (const chunk of chunks) at += chunk.copy(memory, at);
    return memory.subarray(0, length);
  };
}

/** Shorter replies take less time to parse than to search. */
const LEAST_REPLY_BYTES = 16 * 1024;
/** The memory for parsing a longer reply may exceed what a reply may take. Only the whole text shows it. */
const MOST_REPLY_BYTES = 4 * 1024 * 1024;
const MOST_KEPT_BYTES = 1024 * 1024;
/** The number of replies that are parsed as usual after a mark was at an unknown place. */
const REPLIES_AFTER_FAILURE = 32;

/**
 * Compiles the reading of a fetch's replies.
 * @param sharings the sharing of the objects below each key of the data. For the data itself, the key is undefined
 * @returns undefined if no objects can be shared
 */
export function compileReadRepeated(
  sharings: readonly { readonly key: string | undefined; readonly sharing: Sharing }[],
): ReadRepeated | undefined {
  const shared = new Set(sharings.flatMap(({ sharing }) => [...sharing.sharedKeys]));
  // A mark at another place could not be replaced.
  for (const { sharing } of sharings) for (const key of sharing.otherKeys) shared.delete(key);
  if (shared.size === 0) return undefined;
  const keys = keyTexts(shared);
  const below = sharings.flatMap(({ key, sharing: { places } }) =>
    key === undefined ? places : [{ ...NO_SHARING, key, below: places }],
  );
  const mark = randomBytes(12).toString('base64url');
  let skipped = 0;
  return (reply, join) => {
    const chunks = Buffer.isBuffer(reply) ? [reply] : reply;
    let length = 0;
    for (const chunk of chunks) length += chunk.length;
    if (length < LEAST_REPLY_BYTES || length > MOST_REPLY_BYTES) return undefined;
    if (skipped > 0) {
      skipped--;
      return undefined;
    }
    const [first] = chunks;
    const marked = markRepeated(first && chunks.length === 1 ? first : join(chunks, length), keys, mark);
    if (!marked) return undefined;
    const objects = new MarkedObjects(marked, mark);
    const value = objects.read([{ ...NO_SHARING, key: 'data', below }]);
    if (!objects.isComplete) skipped = REPLIES_AFTER_FAILURE;
    // An error refers to a single position, so that objects must not be shared.
    return objects.isComplete && isObject(value) && value.errors === undefined ? value : undefined;
  };
}

const NO_SHARING = { idKey: undefined, leaves: [], pool: -1 };

/** Replaces the marks of one reply with objects. */
class MarkedObjects {
  readonly #reply: MarkedReply;
  readonly #mark: string;
  /** The objects of each place, by the numbers of their texts. */
  readonly #objects = new Map<PlaceNode, Map<number, Json>>();
  /** The number of marks of the text being read that were replaced. */
  #replaced = 0;
  /** Whether all marks have been replaced. */
  isComplete = true;

  constructor(reply: MarkedReply, mark: string) {
    this.#reply = reply;
    this.#mark = mark;
  }

  /** Undefined if the reply is not JSON. */
  read(places: readonly PlaceNode[]): Json | undefined {
    try {
      return this.#parse(this.#reply.reply, places);
    } catch (error) {
      // The error of the whole text is the right one.
      if (error instanceof SyntaxError || error instanceof RangeError) return undefined;
      throw error;
    }
  }

  #parse({ text, marks }: MarkedText, places: readonly PlaceNode[]): Json {
    const value = parseServiceJson(text) as Json;
    const outside = this.#replaced;
    this.#replaced = 0;
    this.#replaceBelow(value, places);
    // A mark may also be at a place that is not selected, or before a second member of the same key.
    if (this.#replaced !== marks) this.isComplete = false;
    this.#replaced = outside;
    return value;
  }

  #replaceBelow(value: Json, places: readonly PlaceNode[]): void {
    if (isList(value)) for (const item of value) this.#replaceBelow(item, places);
    else if (isObject(value))
      for (const place of places) {
        const member = value[place.key];
        if (typeof member === 'string') {
          const object = this.#objectOf(member, place);
          if (object !== undefined) value[place.key] = object;
        } else if (typeof member === 'object' && member !== null) this.#replaceBelow(member, place.below);
      }
  }

  #objectOf(text: string, place: PlaceNode): Json | undefined {
    if (place.idKey === undefined || !text.startsWith(this.#mark)) return undefined;
    this.#replaced++;
    let objects = this.#objects.get(place);
    if (!objects) {
      objects = new Map();
      this.#objects.set(place, objects);
    }
    const number = Number(text.slice(this.#mark.length));
    const known = objects.get(number);
    if (known !== undefined) return known;
    const marked = this.#reply.objects[number];
    const made = marked && this.#parse(marked, place.below);
    if (made !== undefined) objects.set(number, made);
    return made;
  }
}
