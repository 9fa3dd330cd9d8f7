/**
 * Returns the name of a header that a request may have only once (RFC 9110 section 5.3) but repeats, so that two servers could
 * use different values. Undefined if there is none. `Authorization` and `Content-Type` may be repeated with the same value,
 * since Node.js keeps the first one. Headers with claims and the gateway's credentials must not be repeated: Node.js joins them
 * to a value that no client has sent.
 *
 * @param rawHeaders alternating names and values, as Node.js provides them.
 * @returns a constant, never the client's text.
 */
export function repeatedHeader(rawHeaders: readonly string[]): string | undefined {
  let authorization: string | undefined;
  let contentType: string | undefined;
  let claims: string[] | undefined;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const written = rawHeaders[at] as string;
    const value = rawHeaders[at + 1] as string;
    // Most headers can be distinguished by their length or first letter, and this runs for every request.
    if (written.length === AUTHORIZATION.length && written.toLowerCase() === AUTHORIZATION) {
      if (authorization !== undefined && authorization !== value) return 'Authorization';
      authorization = value;
    } else if (written.length === CONTENT_TYPE.length && written.toLowerCase() === CONTENT_TYPE) {
      if (contentType !== undefined && contentType !== value) return 'Content-Type';
      contentType = value;
    }
    if (written.length > CLAIM_PREFIX.length && (written[0] === 'x' || written[0] === 'X')) {
      const name = written.toLowerCase();
      if (!name.startsWith(CLAIM_PREFIX)) continue;
      if (claims?.includes(name)) return 'x-hasura-*';
      claims ??= [];
      claims.push(name);
    }
  }
  return undefined;
}

const AUTHORIZATION = 'authorization';
const CONTENT_TYPE = 'content-type';
const CLAIM_PREFIX = 'x-hasura-';
