import type { IncomingHttpHeaders } from 'node:http';
import { bearerToken } from '../bearer.ts';
import { severalTokens } from '../errors.ts';

/** The header or cookie with the token, as `header` of a JWT secret defines it. */
export type TokenLocation =
  | { readonly type: 'Authorization' }
  /** The whole value of the cookie is the token. */
  | { readonly type: 'Cookie'; readonly name: string }
  /** The whole value of the header is the token. `name` is in lower case. */
  | { readonly type: 'CustomHeader'; readonly name: string };

/** Returns the lower-case name of the header that contains the token. */
export function locationHeader(location: TokenLocation): string {
  return location.type === 'CustomHeader' ? location.name : location.type.toLowerCase();
}

/** Describes the location in the error for a caller without a token. */
export function describeLocation(location: TokenLocation): string {
  if (location.type === 'Authorization') return "'Authorization' header: log in and send it as 'Bearer <token>'";
  if (location.type === 'Cookie') return `'Cookie' header: log in and send the token as the cookie '${location.name}'`;
  return `'${location.name}' header: log in and send the token in it`;
}

/** Returns whether the location has a value, even if it is not a token. */
export function isFilled(location: TokenLocation, headers: IncomingHttpHeaders): boolean {
  return location.type === 'Cookie'
    ? cookies(headers, location.name).length > 0
    : headers[locationHeader(location)] !== undefined;
}

/**
 * Returns the unverified token at the location, or undefined if there is none.
 *
 * @throws GatewayError `invalid-headers` if the value cannot be a token, or there are several.
 */
export function tokenAt(location: TokenLocation, headers: IncomingHttpHeaders): string | undefined {
  if (location.type === 'Authorization') return bearerToken(headers);
  if (location.type === 'CustomHeader') return headers[location.name]?.toString().trim();
  const [token, ...others] = new Set(cookies(headers, location.name));
  // A page on a sibling domain can plant a cookie of this name, and the real one cannot be recognized.
  if (others.length > 0) throw severalTokens();
  return token;
}

/** Returns the non-empty values of a cookie (RFC 6265 section 5.4). A logout clears a cookie with an empty value. */
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
