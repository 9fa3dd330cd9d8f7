import type { IncomingHttpHeaders } from 'node:http';
import { bearerToken } from './bearer.ts';
import { severalTokens } from './refusals.ts';

/** Where in a request a token is looked for, as `header` of a JWT secret says. */
export type TokenPlace =
  | { readonly type: 'Authorization' }
  /** The whole value of the cookie is the token. */
  | { readonly type: 'Cookie'; readonly name: string }
  /** The whole value of the header is the token; `name` is in lower case. */
  | { readonly type: 'CustomHeader'; readonly name: string };

/** The header that holds the place, in lower case. */
export function headerOf(place: TokenPlace): string {
  return place.type === 'CustomHeader' ? place.name : place.type.toLowerCase();
}

/** How the place is called to a caller who has left it empty. */
export function describePlace(place: TokenPlace): string {
  if (place.type === 'Authorization') return "'Authorization' header: log in and send it as 'Bearer <token>'";
  if (place.type === 'Cookie') return `'Cookie' header: log in and send the token as the cookie '${place.name}'`;
  return `'${place.name}' header: log in and send the token in it`;
}

/** Whether the place holds anything, be it a token or not. */
export function isFilled(place: TokenPlace, headers: IncomingHttpHeaders): boolean {
  return place.type === 'Cookie' ? cookies(headers, place.name).length > 0 : headers[headerOf(place)] !== undefined;
}

/**
 * What stands at the place, not judged yet; undefined when nothing does.
 *
 * @throws GatewayError `invalid-headers` when it can be no token, or there are several.
 */
export function tokenAt(place: TokenPlace, headers: IncomingHttpHeaders): string | undefined {
  if (place.type === 'Authorization') return bearerToken(headers);
  if (place.type === 'CustomHeader') return headers[place.name]?.toString().trim();
  const [token, ...others] = new Set(cookies(headers, place.name));
  // A page on a sibling domain can plant a cookie of this name; which of them is meant, nobody can tell.
  if (others.length > 0) throw severalTokens();
  return token;
}

/** The values of a cookie (RFC 6265 section 5.4) that are not empty: an empty one is how a logout clears it. */
function cookies(headers: IncomingHttpHeaders, name: string): readonly string[] {
  if (headers.cookie === undefined) return [];
  return headers.cookie.split(';').flatMap((pair) => {
    const equals = pair.indexOf('=');
    if (equals < 0 || pair.slice(0, equals).trim() !== name) return [];
    const value = pair
      .slice(equals + 1)
      .trim()
      .replace(/^"(.*)"$/, '$1');
    return value === '' ? [] : [value];
  });
}
