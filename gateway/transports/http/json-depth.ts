import {
  BACKSLASH,
  CLOSING_BRACE,
  CLOSING_BRACKET,
  OPENING_BRACE,
  OPENING_BRACKET,
  QUOTE,
} from '../../../platform/index.ts';
import { jsonTooDeep } from './errors.ts';

/**
 * The deepest nesting of arrays and objects in a client's JSON. Deeper values overflow the stack of recursive code
 * (coercion, `JSON.stringify`), and a megabyte of brackets takes the parser a quarter of a second.
 */
export const MAX_JSON_DEPTH = 500;

/** Returns whether JSON text is nested too deeply. Stops at the first level beyond the limit. Invalid JSON may pass. */
export function isNestedTooDeep(json: Buffer): boolean {
  // Each level takes at least one byte, and most requests are shorter than the limit.
  if (json.length <= MAX_JSON_DEPTH) return false;
  let depth = 0;
  let isInText = false;
  for (let at = 0; at < json.length; at += 1) {
    const byte = json[at];
    if (byte === QUOTE) isInText = !isInText;
    else if (isInText) {
      if (byte === BACKSLASH) at += 1;
    } else if (byte === OPENING_BRACKET || byte === OPENING_BRACE) {
      depth += 1;
      if (depth > MAX_JSON_DEPTH) return true;
    } else if (byte === CLOSING_BRACKET || byte === CLOSING_BRACE) depth -= 1;
  }
  return false;
}

/**
 * Parses a client's JSON text.
 *
 * @param what names the text in the error.
 * @throws GatewayError `parse-failed` if it is nested too deeply, SyntaxError if it is not JSON.
 */
export function parseShallowJson(text: string, what: string): unknown {
  if (text.length > MAX_JSON_DEPTH && isNestedTooDeep(Buffer.from(text))) throw jsonTooDeep(what, MAX_JSON_DEPTH);
  return JSON.parse(text);
}
