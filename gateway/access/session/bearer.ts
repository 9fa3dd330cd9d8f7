import type { IncomingHttpHeaders } from 'node:http';
import { malformedHeader } from './errors.ts';

// RFC 6750 section 2.1: the scheme (in any case, RFC 9110 section 11.1), then one b64token.
const BEARER_TOKEN = /^bearer +([\w.~+/-]+=*)$/i;

/**
 * Returns the bearer token of a request, or undefined if it has no `Authorization` header.
 *
 * @throws GatewayError `invalid-headers` if the header contains anything else.
 */
export function bearerToken(headers: IncomingHttpHeaders): string | undefined {
  const value = headers.authorization;
  if (value === undefined) return undefined;
  const match = BEARER_TOKEN.exec(value.trim());
  if (!match?.[1]) throw malformedHeader();
  return match[1];
}
