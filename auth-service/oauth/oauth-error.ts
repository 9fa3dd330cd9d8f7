/**
 * Every error code of the OAuth endpoints (RFC 6749, section 5.2, 503 of RFC 7009, and the code that RFC 8628 has for
 * clients that ask too often), with status and meaning.
 */
export const OAUTH_ERRORS = {
  invalid_request: { status: 400, description: 'the request is not well-formed' },
  invalid_client: { status: 401, description: 'the client is unknown, or its secret is wrong' },
  invalid_grant: { status: 400, description: 'the refresh token is invalid, expired or revoked' },
  unauthorized_client: { status: 400, description: 'the client may not use this grant' },
  unsupported_grant_type: { status: 400, description: 'expected the grant refresh_token or client_credentials' },
  invalid_scope: { status: 400, description: 'the scope is not one that the client may ask for' },
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
