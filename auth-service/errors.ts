/** Every error code of this process, with the HTTP status that it has outside GraphQL and its public message. */
export const ERRORS = {
  'access-denied': { status: 403, message: 'the role may not see this field' },
  'bad-request': { status: 400, message: 'the request cannot be read' },
  'invalid-credentials': { status: 401, message: 'this address requires the secret of the gateways' },
  'invalid-jwt': { status: 401, message: 'the access token is missing, expired or revoked' },
  'method-not-allowed': { status: 405, message: 'this address takes no such method' },
  'not-found': { status: 404, message: 'there is nothing at this address' },
  'not-ready': { status: 503, message: 'the service is starting' },
  'payload-too-large': { status: 413, message: 'the body is too large' },
  unavailable: { status: 503, message: 'the service cannot answer at the moment, try again later' },
  'unsupported-media-type': { status: 415, message: 'the body must be JSON, with content-type application/json' },
  'validation-failed': { status: 400, message: 'the operation is not valid' },
  unexpected: { status: 500, message: 'internal error' },
} as const;

/** When callers are told to come back after a failure that is not theirs, in seconds. */
export const UNAVAILABLE_RETRY_SECONDS = 5;

export type ErrorCode = keyof typeof ERRORS;

/** A refusal whose code and message the caller may see. */
export class ApiError extends Error {
  constructor(
    readonly code: ErrorCode,
    message: string = ERRORS[code].message,
  ) {
    super(message);
    this.name = 'ApiError';
  }
}
