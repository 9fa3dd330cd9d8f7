import type { Logger } from '../platform/index.ts';

/**
 * Every error code of the gateway, with the HTTP status that goes with it where true statuses are used.
 * The codes are Hasura's; from `alias-limit-exceeded` on they are ours, for conditions that Hasura has no code for or
 * keeps its code to itself; the last three are Apollo's, which its clients look for.
 */
export const ERROR_STATUS = {
  'access-denied': 403,
  'bad-request': 400,
  'invalid-configuration': 400,
  'invalid-headers': 401,
  'invalid-json': 400,
  'invalid-jwt': 401,
  'jwt-invalid-claims': 401,
  'jwt-missing-role-claims': 401,
  'method-not-allowed': 405,
  'not-found': 404,
  'not-supported': 400,
  'parse-failed': 400,
  'remote-schema-error': 502,
  unexpected: 500,
  'unexpected-payload': 400,
  'validation-failed': 400,
  'depth-limit-exceeded': 400,
  'tenant-time-limit-exceeded': 504,
  'alias-limit-exceeded': 400,
  'batch-limit-exceeded': 400,
  'circuit-open': 503,
  'connection-limit-exceeded': 429,
  'directive-limit-exceeded': 400,
  'headers-too-large': 431,
  'introspection-limit-exceeded': 400,
  'node-limit-exceeded': 400,
  'not-acceptable': 406,
  'operation-limit-exceeded': 429,
  'payload-too-large': 413,
  'rate-limit-exceeded': 429,
  'repetition-limit-exceeded': 400,
  'schema-reload': 503,
  'service-unavailable': 503,
  'source-unavailable': 503,
  'token-limit-exceeded': 400,
  'unsupported-media-type': 415,
  'upstream-overloaded': 503,
  PERSISTED_QUERY_HASH_MISMATCH: 400,
  PERSISTED_QUERY_NOT_FOUND: 400,
  PERSISTED_QUERY_NOT_SUPPORTED: 400,
} as const;

export type ErrorCode = keyof typeof ERROR_STATUS;

export interface GatewayErrorOptions {
  /** Where in the request the error is, in Hasura's notation; `$` is the request as a whole. */
  path?: string;
  /** Overrides the status that goes with the code. */
  status?: number;
  /** Response headers that belong to the error, such as `WWW-Authenticate`. */
  headers?: Readonly<Record<string, string>>;
}

/** A request that the gateway refuses. Its message is public: it holds no value that a caller sent and no secret. */
export class GatewayError extends Error {
  readonly code: ErrorCode;
  readonly path: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;

  constructor(code: ErrorCode, message: string, options: GatewayErrorOptions = {}) {
    super(message);
    this.name = 'GatewayError';
    this.code = code;
    this.path = options.path ?? '$';
    this.status = options.status ?? ERROR_STATUS[code];
    this.headers = options.headers ?? {};
  }
}

/** The error to answer with for anything thrown: itself when it was foreseen, else one that tells nothing. */
export function toGatewayError(error: unknown): GatewayError {
  return error instanceof GatewayError ? error : new GatewayError('unexpected', 'internal error');
}

/** The same, and the log gets to know what nobody foresaw. `what` is what failed. */
export function explained(thrown: unknown, whose: { readonly log: Logger }, what = 'a request'): GatewayError {
  const error = toGatewayError(thrown);
  if (error !== thrown) whose.log.error({ err: thrown }, `${what} failed in an unforeseen way`);
  return error;
}
