/**
 * Escapes of U+0000 and of lone surrogates behind an even number of backslashes. Behind an odd number, the text is not an
 * escape.
 */
const REFUSED = /(?<!\\)((?:\\\\)*)\\u(?:0000|d[89a-f][0-9a-f]{2})/gi;

/**
 * Serializes a value as JSON for `jsonb` in PostgreSQL, which accepts neither U+0000 nor lone surrogates. U+FFFD replaces them,
 * as a decoder would do. Otherwise one value of a client or a webhook would fail its whole batch.
 */
export function jsonbText(value: unknown): string {
  // `JSON.stringify` writes no other escapes of this form: it does not escape surrogate pairs.
  return JSON.stringify(value).replace(REFUSED, '$1\\ufffd');
}

/** Returns whether objects and arrays are nested more than `levels` deep. A value with a cycle is. */
export function isDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (levels === 0) return true;
  return Object.values(value).some((inner) => isDeeperThan(inner, levels - 1));
}
