/** The error codes of this process, with their public messages and their HTTP status outside GraphQL. */
export const ERRORS = {
  'access-denied': { status: 403, message: 'the role does not have access to this field' },
  'bad-request': { status: 400, message: 'the request cannot be read' },
  'invalid-credentials': {
    status: 401,
    message: 'this endpoint requires the secret that gateways share with the auth service',
  },
  'invalid-jwt': { status: 401, message: 'the access token is missing, expired or revoked' },
  'method-not-allowed': { status: 405, message: 'method not allowed' },
  'not-found': { status: 404, message: 'not found' },
  'not-ready': { status: 503, message: 'the service is starting' },
  'payload-too-large': { status: 413, message: 'the body is too large' },
  'repeated-header': { status: 400, message: 'a header that is allowed only once is repeated' },
  unavailable: { status: 503, message: 'the service is temporarily unavailable, try again later' },
  'unsupported-media-type': { status: 415, message: 'the body must be JSON, with content-type application/json' },
  'validation-failed': { status: 400, message: 'the operation is not valid' },
  unexpected: { status: 500, message: 'internal error' },
} as const;

/**
 * The refusals of mutations (`success: false`), with their `error_message` and the HTTP status of REST endpoints in front of
 * the graph.
 */
export const REFUSALS = {
  wrongCredentials: { status: 401, message: 'Invalid username, password or tenant' },
  invalidRefreshToken: { status: 401, message: 'Invalid or expired refresh token' },
  missingToken: { status: 401, message: 'A bearer token or refresh_token is required' },
  invalidToken: { status: 401, message: 'Invalid or expired token' },
  notLoggedIn: { status: 401, message: 'The access token is missing, expired or revoked' },
  unknownSession: { status: 404, message: 'There is no such session' },
  wrongCurrentPassword: { status: 403, message: 'The current password is wrong' },
  overtaken: { status: 409, message: 'The session has ended, or the password was changed in the meantime' },
  hashQueueFull: { status: 503, message: 'Too many logins at the moment, try again later' },
  throttled: { status: 429, message: 'Too many failed attempts, try again later' },
} as const satisfies Record<string, Refusal>;

/** The HTTP status of REST endpoints in front of the graph, by the code of an administrator's refusal. */
export const ADMINISTRATION_STATUS = {
  'missing-field': 400,
  'invalid-field': 400,
  'unusable-password': 400,
  'not-administrator': 403,
  'operators-only': 403,
  'unknown-tenant': 404,
  'unknown-user': 404,
  'unknown-session': 404,
  'unknown-client': 404,
  'unknown-key': 404,
  'name-taken': 409,
  'tenant-taken': 409,
  'client-revoked': 409,
  'key-active': 409,
  'role-not-assignable': 403,
  'claim-not-assignable': 403,
  'scope-not-assignable': 403,
  'client-not-manageable': 403,
  'user-not-manageable': 403,
  'last-administrator': 409,
  'changed-too-often': 429,
} as const;

export interface Refusal {
  readonly status: number;
  readonly message: string;
}

export function missingField(field: string): Refusal {
  return { status: 400, message: `${field} is required` };
}

/** `reason` describes the violated rule of the password policy, `code` is its name. */
export function unusableNewPassword({ code, message: reason }: { code: string; message: string }): Refusal {
  return { status: 400, message: `The new password cannot be used: ${reason} (${code})` };
}

/** The `Retry-After` of a failure that the caller did not cause, in seconds. */
export const UNAVAILABLE_RETRY_SECONDS = 5;

export type ErrorCode = keyof typeof ERRORS;

/** An error whose code and message the caller may see. */
export class ApiError extends Error {
  constructor(
    readonly code: ErrorCode,
    message: string = ERRORS[code].message,
  ) {
    super(message);
    this.name = 'ApiError';
  }
}
