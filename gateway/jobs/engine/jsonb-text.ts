/** Escapes of U+0000 and of half a character, behind an even number of backslashes: an odd one makes it another text. */
const REFUSED = /(?<!\\)((?:\\\\)*)\\u(?:0000|d[89a-f][0-9a-f]{2})/gi;

/**
 * JSON text for a `jsonb` of PostgreSQL, which takes neither U+0000 nor half a character: U+FFFD stands in their place, as a
 * decoder would put it. Without that one value of a client or a webhook would have the whole batch refused that it is in.
 */
export function jsonbText(value: unknown): string {
  // `JSON.stringify` writes no other escapes of this form: characters of two halves come as they are.
  return JSON.stringify(value).replace(REFUSED, '$1\\ufffd');
}

/** Whether objects and arrays are nested in each other more than `levels` times. A value with a cycle is. */
export function isDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (levels === 0) return true;
  return Object.values(value).some((inner) => isDeeperThan(inner, levels - 1));
}
