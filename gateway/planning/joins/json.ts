/** A value that `JSON.parse` returns. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject;

/** An object of a parsed response. Joins write into it. */
export interface JsonObject {
  [key: string]: Json | undefined;
}

/** The path of a value in a response: response keys and list indices (GraphQL 7.1.2). */
export type ResponsePath = readonly (string | number)[];

export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function isList(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value);
}

/** The JSON text of a string. Most strings are short and plain. Checking that is faster than `JSON.stringify`. */
export function stringText(text: string): string {
  const { length } = text;
  if (length > 40) return JSON.stringify(text);
  for (let at = 0; at < length; at++) {
    const code = text.charCodeAt(at);
    if (code < 0x20 || code === 0x22 || code === 0x5c || code >= 0xd800) return JSON.stringify(text);
  }
  return `"${text}"`;
}

/**
 * The same text, with one byte for each character in V8 if it is ASCII. Names of a schema may have two, because its SDL has
 * a character that needs them, or was put together in another way. A whole response would then have two.
 */
export function narrowText(text: string): string {
  return Buffer.from(text).toString();
}

/** The JSON text of any value that `JSON.parse` returned. */
export function jsonText(value: Json): string {
  if (typeof value === 'string') return stringText(value);
  if (typeof value === 'object' && value !== null) return JSON.stringify(value);
  // A number outside the range of a double was parsed as infinite, which JSON cannot represent.
  return value === Infinity || value === -Infinity ? 'null' : String(value);
}

/** A UTF-8 text, as one buffer or in the received chunks. */
export type ReplyBytes = Buffer | readonly Buffer[];

export function replyText(reply: string | ReplyBytes): string {
  if (typeof reply === 'string') return reply;
  if (Buffer.isBuffer(reply)) return reply.toString('utf8');
  const [first] = reply;
  return (first && reply.length === 1 ? first : Buffer.concat(reply)).toString('utf8');
}
