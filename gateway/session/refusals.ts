import { type ErrorCode, GatewayError } from '../errors.ts';

const REALM = 'Bearer realm="portico"';

/** No token where one is needed. RFC 6750 section 3.1: the challenge then has no error attribute. */
export function missingToken(): GatewayError {
  return new GatewayError('invalid-headers', "Missing 'Authorization' header: log in and send it as 'Bearer <token>'", {
    headers: { 'www-authenticate': REALM },
  });
}

/** An `Authorization` header that holds no bearer token. */
export function malformedHeader(): GatewayError {
  return new GatewayError('invalid-headers', "Malformed Authorization header: expected 'Bearer <token>'", {
    headers: { 'www-authenticate': REALM },
  });
}

/** A token that is not accepted. `reason` is public and goes into the challenge too. */
export function invalidToken(reason: string, code: ErrorCode = 'invalid-jwt'): GatewayError {
  const message = code === 'invalid-jwt' ? `Could not verify JWT: ${reason}` : reason;
  return new GatewayError(code, message, {
    headers: { 'www-authenticate': `${REALM}, error="invalid_token", error_description="${quotable(message)}"` },
  });
}

/** A role that the token does not allow. */
export function roleNotAllowed(): GatewayError {
  return new GatewayError('access-denied', 'Your requested role is not in allowed roles', {
    headers: { 'www-authenticate': `${REALM}, error="insufficient_scope"` },
  });
}

/** Tokens cannot be judged because the issuer's keys have not been had yet. Not the caller's fault: try again. */
export function keysUnavailable(): GatewayError {
  return new GatewayError('service-unavailable', 'The keys of the token issuer are not available yet', {
    headers: { 'retry-after': '1' },
  });
}

// RFC 6750 section 3: error_description holds no double quote, no backslash and nothing outside printable ASCII.
function quotable(text: string): string {
  return text.replace(/["\\]/g, "'").replace(/[^\x20-\x7e]/g, '?');
}
