import { getHeapStatistics } from 'node:v8';
import { COMMA, OPENING_BRACE, OPENING_BRACKET } from './json-bytes.ts';

/** Returns the value of a JSON text, or undefined if the text is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Returns whether a value from `JSON.parse` is an object, and neither a list nor null. */
export function isJsonObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The memory of an empty object or list, and of a member or an item, in bytes. */
const CONTAINER_BYTES = 56;
const VALUE_BYTES = 16;
/** How much memory a parsed value may take, in bytes. */
const MAX_PARSED_BYTES = Math.min(256 * 1024 * 1024, getHeapStatistics().heap_size_limit / 4);

/**
 * Parses a service's JSON. The three characters `{},` take twenty times as much memory, so a response of some ten megabytes
 * could exhaust the memory of a process and take a minute.
 *
 * @throws SyntaxError if the text is not JSON, RangeError if its value would take too much memory.
 */
export function parseServiceJson(text: string): unknown {
  // Each character stands for at most one container, so responses of usual size are not scanned.
  if (text.length > MAX_PARSED_BYTES / CONTAINER_BYTES && parsedBytes(text) > MAX_PARSED_BYTES)
    throw new RangeError('the value requires too much memory');
  return JSON.parse(text);
}

/** Returns the memory that parsed JSON takes, without its texts. Characters within texts are counted as well. */
function parsedBytes(text: string): number {
  let bytes = 0;
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charCodeAt(at);
    if (character === COMMA) bytes += VALUE_BYTES;
    else if (character === OPENING_BRACE || character === OPENING_BRACKET) bytes += CONTAINER_BYTES;
  }
  return bytes;
}
