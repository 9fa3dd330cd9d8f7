import { ERRORS, UNAVAILABLE_RETRY_SECONDS } from '../errors.ts';

/**
 * The error codes of the OAuth endpoints with status and meaning (RFC 6749, section 5.2, 503 of RFC 7009, RFC 8707, section 2,
 * and RFC 8628's code for clients that ask too often).
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

/** An error whose code and description the caller may see. The description never repeats the caller's input. */
export class OAuthError extends Error {
  constructor(
    readonly code: OAuthErrorCode,
    description: string = OAUTH_ERRORS[code].description,
    /** The delay before a retry, in whole seconds. */
    readonly retryAfterSeconds?: number,
  ) {
    super(description);
    this.name = 'OAuthError';
  }
}

/** An unknown client, a wrong secret, or unreadable credentials, which are not distinguished. */
export function invalidClient(): OAuthError {
  return new OAuthError('invalid_client');
}

/** A request without credentials to an endpoint that requires them. */
export function clientAuthenticationRequired(): OAuthError {
  return new OAuthError('invalid_client', 'client authentication is required');
}

/** Credentials in both the header and the form (RFC 6749, section 2.3). */
export function severalAuthentications(): OAuthError {
  return new OAuthError('invalid_request', 'the client uses two authentication methods at the same time');
}

/** Too many wrong secrets in earlier requests. */
export function tooManyAttempts(retryAfterSeconds: number): OAuthError {
  return new OAuthError('slow_down', undefined, retryAfterSeconds);
}

/** A grant type that the token endpoint does not support. */
export function unsupportedGrantType(): OAuthError {
  return new OAuthError('unsupported_grant_type');
}

/** A refresh by a service account, which has no refresh tokens. */
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

/** A scope in a refresh request. */
export function scopeOfRefresh(): OAuthError {
  return new OAuthError('invalid_scope', 'the refresh token was granted without a scope');
}

/** A resource to limit the token to (RFC 8707). A token with a wider audience would be less safe than it looks. */
export function invalidTarget(): OAuthError {
  return new OAuthError('invalid_target');
}

/** @param type the content type of the endpoints. */
export function expectedForm(type: string): OAuthError {
  return new OAuthError('invalid_request', `expected a body of the type ${type}`);
}

/** A repeated parameter (RFC 6749, section 3.2). */
export function repeatedParameter(): OAuthError {
  return new OAuthError('invalid_request', 'a parameter is repeated');
}

/** A header that is repeated with different values, such as two credentials. */
export function repeatedHeaders(): OAuthError {
  return new OAuthError('invalid_request', 'a header is repeated');
}

/** @param name of the parameter: a constant, not the caller's input. */
export function missingParameter(name: string): OAuthError {
  return new OAuthError('invalid_request', `${name} is required`);
}

/** A method other than POST. */
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

/** An unexpected failure, whose details the caller does not see. */
export function serverError(): OAuthError {
  return new OAuthError('server_error');
}
