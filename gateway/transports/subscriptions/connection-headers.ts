import type { IncomingHttpHeaders } from 'node:http';
import { isHeaderValue, isJsonObject } from '../../../platform/index.ts';

/** They are about the WebSocket, not about the operations that come over it. */
const HANDSHAKE = /^(connection|upgrade|sec-websocket-.*)$/;

/**
 * Headers that a browser or a proxy sets in the handshake. A page can write anything into `connection_init`, so these
 * are read from the handshake only.
 */
const HANDSHAKE_ONLY =
  /^(cookie|origin|host|referer|forwarded|x-forwarded-.*|x-real-ip|sec-.*|proxy-.*|connection|upgrade|keep-alive|te|trailer|transfer-encoding|content-length|expect)$/;

const HEADER_NAME = /^[\w!#$%&'*+.^`|~-]+$/;
const MAX_INIT_HEADERS = 100;
/** The most characters of all headers of a connection together. */
const MAX_CHARACTERS = 65_536;

/** Members of the payload itself that are headers: clients give `connectionParams` either way. */
const OF_PAYLOAD = /^(?:authorization|x-hasura-[\w-]+)$/i;

/**
 * The headers of all operations of a connection: those of the handshake, and over them those in the payload of
 * `connection_init`: `headers`, as Hasura's clients send them, or else `Authorization` and `x-hasura-*` beside it.
 * Letters may be of either case, but only one value of a name. Where both have a header, the one in `headers` counts.
 *
 * @returns what is wrong with the payload, where something is.
 */
export function connectionHeaders(
  handshake: IncomingHttpHeaders,
  payload: unknown,
): { readonly headers: IncomingHttpHeaders } | { readonly problem: string } {
  const headers: IncomingHttpHeaders = {};
  for (const [name, value] of Object.entries(handshake)) if (!HANDSHAKE.test(name)) headers[name] = value;
  if (payload === undefined || payload === null) return { headers };
  if (!isJsonObject(payload)) return { problem: 'the payload must be an object' };
  const given = payload.headers ?? {};
  if (!isJsonObject(given)) return { problem: '"headers" in the payload must be an object' };
  const beside = Object.entries(payload).filter(([name]) => OF_PAYLOAD.test(name));
  const entries = [...beside, ...Object.entries(given)];
  if (entries.length > MAX_INIT_HEADERS)
    return { problem: `there are more than ${MAX_INIT_HEADERS} headers in the payload` };
  if (hasTwoValues(beside) || hasTwoValues(Object.entries(given)))
    return { problem: 'a header is in the payload with two values' };
  let characters = 0;
  for (const [written, value] of entries) {
    const name = written.toLowerCase();
    if (value === undefined || value === null) continue;
    const text = typeof value === 'number' || typeof value === 'boolean' ? String(value) : value;
    if (typeof text !== 'string' || !HEADER_NAME.test(name) || !isHeaderValue(text))
      return { problem: 'a header in the payload is not a valid HTTP header' };
    characters += name.length + text.length;
    if (characters > MAX_CHARACTERS) return { problem: 'the headers in the payload are too long' };
    // Node gives the bytes of a header as Latin-1; these are to look the same.
    if (!HANDSHAKE_ONLY.test(name)) headers[name] = Buffer.from(text, 'utf8').toString('latin1');
  }
  return { headers };
}

/** Whether a name is there with different values, in letters of another case: readers differ in which one counts. */
function hasTwoValues(entries: readonly (readonly [string, unknown])[]): boolean {
  const values = new Map<string, unknown>();
  return entries.some(([written, value]) => {
    const name = written.toLowerCase();
    if (values.has(name) && values.get(name) !== value) return true;
    values.set(name, value);
    return false;
  });
}
