import type { IncomingHttpHeaders } from 'node:http';
import { isHeaderValue, isJsonObject } from '../../../platform/index.ts';

/** These concern the WebSocket, not the operations over it. */
const HANDSHAKE = /^(connection|upgrade|sec-websocket-.*)$/;

/**
 * Headers that a browser or a proxy sets in the handshake. They are read from the handshake only, since a page can write
 * anything into `connection_init`.
 */
const HANDSHAKE_ONLY =
  /^(cookie|origin|host|referer|forwarded|x-forwarded-.*|x-real-ip|sec-.*|proxy-.*|connection|upgrade|keep-alive|te|trailer|transfer-encoding|content-length|expect)$/;

const HEADER_NAME = /^[\w!#$%&'*+.^`|~-]+$/;
const MAX_INIT_HEADERS = 100;
/** The most characters of all headers of a connection. */
const MAX_CHARACTERS = 65_536;

/** Members of the payload that are headers themselves: clients use `connectionParams` either way. */
const OF_PAYLOAD = /^(?:authorization|x-hasura-[\w-]+)$/i;

/**
 * Returns the headers of all operations of a connection. The payload of `connection_init` overrides the headers of the
 * handshake. The payload contains `headers`, as Hasura's clients send them, or `Authorization` and `x-hasura-*` next to it. If
 * both have a header, the one in `headers` counts. Names are case-insensitive, but each may have only one value.
 *
 * @returns the problem with the payload, if there is one.
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
    // Node.js provides the bytes of a header as Latin-1, so these use the same form.
    if (!HANDSHAKE_ONLY.test(name)) headers[name] = Buffer.from(text, 'utf8').toString('latin1');
  }
  return { headers };
}

/** Returns whether a name occurs with different values in different case. Readers differ in which value they use. */
function hasTwoValues(entries: readonly (readonly [string, unknown])[]): boolean {
  const values = new Map<string, unknown>();
  return entries.some(([written, value]) => {
    const name = written.toLowerCase();
    if (values.has(name) && values.get(name) !== value) return true;
    values.set(name, value);
    return false;
  });
}
