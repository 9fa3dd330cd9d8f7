import { ERRORS, UNAVAILABLE_RETRY_SECONDS } from '../errors.ts';

/**
 * Every error code of the OAuth endpoints (RFC 6749, section 5.2, 503 of RFC 7009, RFC 8707, section 2, and the code that
 * RFC 8628 has for clients that ask too often), with status and meaning.
 */
export const OAUTH_ERRORS = {
  invalid_request: { status: 400, description: 'the request is not well-formed' },
  invalid_client: { status: 401, description: 'the client is unknown, or its secret is wrong' },
  invalid_grant: { status: 400, description: 'the refresh token is invalid, expired or revoked' },
  unauthorized_client: { status: 400, description: 'the client may not use this grant' },
  unsupported_grant_type: { status: 400, description: 'expected the grant refresh_token or client_credentials' },
  invalid_scope: { status: 400, description: 'the client may not request this scope' },
  invalid_target: {
    status: 400,
    description: 'tokens for a single resource are not supported: omit the parameter resource',
  },
  slow_down: { status: 429, description: 'too many failed attempts, try again later' },
  server_error: { status: 500, description: 'internal error' },
  temporarily_unavailable: { status: 503, description: 'the service is starting' },
} as const;

export type OAuthErrorCode = keyof typeof OAUTH_ERRORS;

/** A refusal whose code and description the caller may see. The description never repeats what was sent. */
export class OAuthError extends Error {
  constructor(
    readonly code: OAuthErrorCode,
    description: string = OAUTH_ERRORS[code].description,
    /** When to try again, in whole seconds. */
    readonly retryAfterSeconds?: number,
  ) {
    super(description);
    this.name = 'OAuthError';
  }
}

/** An unknown client, a wrong secret, or credentials that cannot be read: the three are not distinguished. */
export function invalidClient(): OAuthError {
  return new OAuthError('invalid_client');
}

/** A request without credentials, where a client has to authenticate. */
export function clientAuthenticationRequired(): OAuthError {
  return new OAuthError('invalid_client', 'client authentication is required');
}

/** Credentials in the header and in the form (RFC 6749, section 2.3). */
export function severalAuthentications(): OAuthError {
  return new OAuthError('invalid_request', 'the client uses two authentication methods at the same time');
}

/** Too many wrong secrets before. */
export function tooManyAttempts(retryAfterSeconds: number): OAuthError {
  return new OAuthError('slow_down', undefined, retryAfterSeconds);
}

/** A grant type that the token endpoint does not have. */
export function unsupportedGrantType(): OAuthError {
  return new OAuthError('unsupported_grant_type');
}

/** A service account that refreshes: it has no refresh tokens. */
export function unauthorizedClient(): OAuthError {
  return new OAuthError('unauthorized_client');
}

/** A refresh token that is invalid, expired or revoked. */
export function invalidGrant(): OAuthError {
  return new OAuthError('invalid_grant');
}

/** A malformed scope, or one that the client may not request. */
export function invalidScope(): OAuthError {
  return new OAuthError('invalid_scope');
}

/** A scope in a refresh. */
export function scopeOfRefresh(): OAuthError {
  return new OAuthError('invalid_scope', 'the refresh token was granted without a scope');
}

/** A resource that the token should be limited to (RFC 8707): a token with a wider audience would be less safe than it looks. */
export function invalidTarget(): OAuthError {
  return new OAuthError('invalid_target');
}

/** @param type the content type of the endpoints. */
export function expectedForm(type: string): OAuthError {
  return new OAuthError('invalid_request', `expected a body of the type ${type}`);
}

/** A parameter that is sent twice (RFC 6749, section 3.2). */
export function repeatedParameter(): OAuthError {
  return new OAuthError('invalid_request', 'a parameter is repeated');
}

/** A header that is sent twice with different values, such as two credentials. */
export function repeatedHeaders(): OAuthError {
  return new OAuthError('invalid_request', 'a header is repeated');
}

/** @param name of the parameter: a constant, not the caller's. */
export function missingParameter(name: string): OAuthError {
  return new OAuthError('invalid_request', `${name} is required`);
}

/** Any other method than POST. */
export function expectedPost(): OAuthError {
  return new OAuthError('invalid_request', 'expected the method POST');
}

/** A body that the parser rejects. */
export function unreadableBody(): OAuthError {
  return new OAuthError('invalid_request', 'the body cannot be read');
}

/** The service has not started yet. */
export function notStarted(): OAuthError {
  return new OAuthError('temporarily_unavailable');
}

/** The database is unavailable. */
export function databaseUnavailable(): OAuthError {
  return new OAuthError('temporarily_unavailable', ERRORS.unavailable.message, UNAVAILABLE_RETRY_SECONDS);
}

/** An unexpected failure, of which the caller sees no detail. */
export function serverError(): OAuthError {
  return new OAuthError('server_error');
}
