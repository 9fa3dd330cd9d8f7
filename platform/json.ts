import { getHeapStatistics } from 'node:v8';
import { COMMA, OPENING_BRACE, OPENING_BRACKET } from './json-bytes.ts';

/** The value of a JSON text; undefined for a text that is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Whether a value that came out of `JSON.parse` is an object, neither a list nor null. */
export function isJsonObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** An object or a list that is empty, and a member or an item, as they are in memory, in bytes. */
const CONTAINER_BYTES = 56;
const VALUE_BYTES = 16;
/** What a value that is parsed may take of the memory, in bytes. */
const MAX_PARSED_BYTES = Math.min(256 * 1024 * 1024, getHeapStatistics().heap_size_limit / 4);

/**
 * Parses JSON of a service. Three characters, `{},`, take twenty times as much memory, so that an answer of some ten megabytes
 * could take all that a process may have, and a minute.
 *
 * @throws SyntaxError where it is no JSON; RangeError where its value would take too much memory.
 */
export function parseServiceJson(text: string): unknown {
  // Each character is one of these at most: usual answers are not looked at.
  if (text.length > MAX_PARSED_BYTES / CONTAINER_BYTES && parsedBytes(text) > MAX_PARSED_BYTES)
    throw new RangeError('the value requires too much memory');
  return JSON.parse(text);
}

/** What JSON takes when it is parsed, beside its texts. Characters within these are counted as well. */
function parsedBytes(text: string): number {
  let bytes = 0;
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charCodeAt(at);
    if (character === COMMA) bytes += VALUE_BYTES;
    else if (character === OPENING_BRACE || character === OPENING_BRACKET) bytes += CONTAINER_BYTES;
  }
  return bytes;
}
