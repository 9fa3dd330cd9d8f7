import { type ErrorCode, GatewayError } from '../../errors.ts';

const REALM = 'Bearer realm="portico"';
/** The challenge of a 401 without details (RFC 9110 section 15.5.2 requires one). */
export const CHALLENGE = { 'www-authenticate': REALM };
const NOT_VERIFIED = 'Could not verify JWT: ';

/**
 * A missing token. The challenge then has no error attribute (RFC 6750 section 3.1).
 *
 * @param places names of the locations where a token may be, such as `'Cookie' header`.
 * @param hasUselessSecret whether an admin secret was sent to a gateway without one.
 */
export function missingToken(places: readonly string[], hasUselessSecret: boolean): GatewayError {
  const hint = hasUselessSecret ? '; the admin secret has no effect: HASURA_GRAPHQL_ADMIN_SECRET is not set' : '';
  return new GatewayError('invalid-headers', `Missing ${places.join(' or ')}${hint}`, { headers: CHALLENGE });
}

/** An `Authorization` header without a bearer token. */
export function malformedHeader(): GatewayError {
  const message = "Malformed Authorization header: expected 'Bearer <token>'";
  return new GatewayError('invalid-headers', message, { headers: CHALLENGE });
}

/** More than one token. */
export function severalTokens(): GatewayError {
  return new GatewayError('invalid-headers', `${NOT_VERIFIED}Multiple JWTs found`, { headers: CHALLENGE });
}

/** A rejected token. `reason` is public and is part of the challenge. */
export function invalidToken(reason: string, code: ErrorCode = 'invalid-jwt'): GatewayError {
  const message = code === 'invalid-jwt' ? NOT_VERIFIED + reason : reason;
  return new GatewayError(code, message, {
    headers: { 'www-authenticate': `${REALM}, error="invalid_token", error_description="${quotable(message)}"` },
  });
}

/** Returns whether a token was rejected because the key did not sign it, and not because of its content. */
export function isOfSignature(refusal: GatewayError): boolean {
  return refusal.message.startsWith(`${NOT_VERIFIED}JWSError`);
}

/** A token whose key the issuer does not publish, or no longer publishes. */
export function noUsableKeys(): GatewayError {
  return invalidToken('JWSError NoUsableKeys');
}

/** A token that does not state the roles of its caller. */
export function missingRoleClaim(claim: string): GatewayError {
  return invalidToken(`JWT claim does not contain ${claim}`, 'jwt-missing-role-claims');
}

/** A role that the token does not allow. */
export function roleNotAllowed(): GatewayError {
  return new GatewayError('access-denied', 'Your requested role is not in allowed roles', {
    headers: { 'www-authenticate': `${REALM}, error="insufficient_scope"` },
  });
}

/** Tokens cannot be verified because the issuer's keys have not been fetched yet. The caller can retry. */
export function keysUnavailable(): GatewayError {
  return new GatewayError('service-unavailable', 'The keys of the token issuer are not available yet', {
    headers: { 'retry-after': '1' },
  });
}

/** The list of revocations is unavailable. The caller can retry. */
export function revocationsUnavailable(): GatewayError {
  return new GatewayError('service-unavailable', 'The list of revoked tokens is not available', {
    headers: { 'retry-after': '1' },
  });
}

/** A request that a page of another site could have caused with the user's credentials. */
export function crossSiteRequest(): GatewayError {
  return new GatewayError(
    'access-denied',
    'a request with a cookie must prove that it does not come from another site: send it from the same origin or with the header X-Requested-With: XMLHttpRequest',
  );
}

/** A wrong admin secret. */
export function wrongAdminSecret(): GatewayError {
  return new GatewayError('access-denied', 'invalid "x-hasura-admin-secret"/"x-hasura-access-key"', {
    status: 401,
    headers: CHALLENGE,
  });
}

/** A secret that is wrong or was not checked, after too many wrong ones from the same network. */
export function tooManyWrongSecrets(retryAfterSeconds: number): GatewayError {
  return new GatewayError('rate-limit-exceeded', 'too many wrong secrets from this address, try again later', {
    headers: { 'retry-after': String(retryAfterSeconds) },
  });
}

/** A missing admin secret, if it is the only way to authenticate. */
export function missingAdminSecret(): GatewayError {
  return new GatewayError('access-denied', 'x-hasura-admin-secret/x-hasura-access-key required, but not found', {
    status: 401,
    headers: CHALLENGE,
  });
}

/** The authentication hook rejected the request. */
export function refusedByHook(): GatewayError {
  return new GatewayError('access-denied', 'Authentication hook unauthorized this request', {
    status: 401,
    headers: CHALLENGE,
  });
}

/** The session of the authentication hook has expired. */
export function hookSessionExpired(): GatewayError {
  return new GatewayError('access-denied', 'the session from the authentication hook has expired', {
    status: 401,
    headers: CHALLENGE,
  });
}

/** The authentication hook did not respond. The caller can retry. */
export function hookUnavailable(): GatewayError {
  return new GatewayError('service-unavailable', 'webhook authentication request failed', {
    headers: { 'retry-after': '1' },
  });
}

/** The authentication hook's response is not a valid session. */
export function invalidHookResponse(detail?: string): GatewayError {
  return new GatewayError('unexpected', `Invalid response from authorization hook${detail ? `: ${detail}` : ''}`);
}

// Replaces characters that error_description must not contain: double quotes, backslashes and non-printable or non-ASCII
// characters (RFC 6750 section 3).
function quotable(text: string): string {
  return text.replace(/["\\]/g, "'").replace(/[^\x20-\x7e]/g, '?');
}
