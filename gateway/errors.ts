import { boundedText, isJsonObject, type Logger } from '../platform/index.ts';

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
  'event-too-large': 502,
  'events-missed': 503,
  'handler-depth-limit-exceeded': 500,
  'handler-time-limit-exceeded': 504,
  'headers-too-large': 431,
  'introspection-limit-exceeded': 400,
  'job-limit-exceeded': 429,
  'node-limit-exceeded': 400,
  'not-acceptable': 406,
  'operation-limit-exceeded': 429,
  'payload-too-large': 413,
  'plan-too-complex': 400,
  'rate-limit-exceeded': 429,
  'repetition-limit-exceeded': 400,
  'schema-reload': 503,
  'service-unavailable': 503,
  'session-condition-failed': 403,
  'source-unavailable': 503,
  'token-limit-exceeded': 400,
  'unsupported-media-type': 415,
  'upstream-overloaded': 503,
  PERSISTED_QUERY_HASH_MISMATCH: 400,
  PERSISTED_QUERY_NOT_FOUND: 400,
  PERSISTED_QUERY_NOT_SUPPORTED: 400,
} as const;

export type ErrorCode = keyof typeof ERROR_STATUS;

/**
 * Errors of services in one response, or in one part of it. A response of some megabytes may hold millions, each of which takes
 * longer to relay than to send, and is reported again for each field that it makes null.
 */
export const MAX_RELAYED_ERRORS = 1_000;

/** Characters of the message of such an error, and of each plain value of its extensions where these are too long. */
const MAX_RELAYED_MESSAGE = 10_000;
const MAX_RELAYED_CODE = 1_000;
/** Plain values that are left of extensions whose texts are too long. */
const MAX_PLAIN_VALUES = 50;
/** Segments of its path, and characters of each. */
const MAX_PATH = 500;
const MAX_PATH_SEGMENT = 1_000;
/** Characters of all texts and names in its extensions. */
const MAX_EXTENSION_TEXT = 65_536;

/** The message of an error of a service, cut where it is too long. */
export function relayedMessage(message: string): string {
  return boundedText(message, MAX_RELAYED_MESSAGE);
}

/** Whether the path of an error of a service can be one of a response. */
export function isRelayedPath(path: readonly unknown[]): boolean {
  return path.length <= MAX_PATH && path.every((one) => typeof one !== 'string' || one.length <= MAX_PATH_SEGMENT);
}

/** The extensions of an error of a service; where their texts are too long, only the plain ones, each of them cut. */
export function relayedExtensions<Extensions extends object>(extensions: Extensions): Extensions {
  if (textWithin(extensions, MAX_EXTENSION_TEXT) >= 0) return extensions;
  const plain = Object.entries(extensions)
    .filter(([, value]) => typeof value !== 'object')
    .slice(0, MAX_PLAIN_VALUES)
    .map(([name, value]) => [
      boundedText(name, MAX_RELAYED_CODE),
      typeof value === 'string' ? boundedText(value, MAX_RELAYED_CODE) : value,
    ]);
  return Object.fromEntries(plain) as Extensions;
}

/** How many of `room` characters are left beside the texts of a value; negative where they are too many. */
function textWithin(value: unknown, room: number): number {
  let left = room;
  const waiting = [value];
  while (waiting.length > 0 && left >= 0) {
    const next = waiting.pop();
    if (typeof next === 'string') left -= next.length;
    else if (Array.isArray(next)) for (let at = 0; at < next.length; at += 1) waiting.push(next[at]);
    else if (isJsonObject(next))
      for (const name in next) {
        left -= name.length;
        waiting.push(next[name]);
      }
  }
  return left;
}

/** The error that takes the place of those beyond. */
export const OMITTED_ERRORS = 'services reported further errors, which are omitted';

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

/**
 * Reports a request without a machine's credential, or with one that is not valid.
 *
 * @param credential what is expected, such as "the secret of a producer".
 */
export function bearerRefused(realm: string, credential: string, wasSent: boolean): GatewayError {
  const challenge = `Bearer realm="${realm}"`;
  return new GatewayError(
    'access-denied',
    wasSent ? `the bearer token is not ${credential}` : `expected ${credential} as a bearer token`,
    { status: 401, headers: { 'www-authenticate': wasSent ? `${challenge}, error="invalid_token"` : challenge } },
  );
}

/** An unexpected failure, of which the caller sees no detail. */
export function internalError(): GatewayError {
  return new GatewayError('unexpected', 'internal error');
}

/** No such path, or one that this caller may not know of. */
export function resourceNotFound(): GatewayError {
  return new GatewayError('not-found', 'resource does not exist');
}

/** An address that GraphQL has in other servers. */
export function graphqlElsewhere(path: string): GatewayError {
  return new GatewayError('not-found', `resource does not exist: GraphQL is at ${path}`);
}

/** @param allow the methods that the path has, as in the header `Allow` (RFC 9110 section 10.2.1). */
export function methodNotAllowed(allow: string, message = `Allowed methods: ${allow}`): GatewayError {
  return new GatewayError('method-not-allowed', message, { headers: { allow } });
}

/** A method that is never passed through to a service, such as `CONNECT`. */
export function methodNotForwarded(): GatewayError {
  return new GatewayError('method-not-allowed', 'this method is not passed through');
}

/** An `Accept` header without a media type of GraphQL responses. */
export function notAcceptable(): GatewayError {
  return new GatewayError(
    'not-acceptable',
    'the header Accept must allow application/json or, for a single operation, text/event-stream or multipart/mixed',
  );
}

/** More WebSockets and event streams than this process takes. */
export function tooManyConnections(): GatewayError {
  return new GatewayError('service-unavailable', 'too many open connections', {
    headers: { 'retry-after': '5' },
  });
}

/** A connection that would outlive the process. */
export function gatewayStopping(): GatewayError {
  return new GatewayError('service-unavailable', 'the gateway is stopping');
}

/** A role that may not introspect asks for the schema, by an operation or as the OpenAPI document. */
export function introspectionDisabled(role: string): GatewayError {
  return new GatewayError('not-supported', `introspection is disabled for role: "${role}"`, { status: 403 });
}

/** A role whose permissions at several sources make no valid schema together. Why is for the operator: it may name other roles' fields. */
export function invalidRoleGraph(role: string): GatewayError {
  return new GatewayError('invalid-configuration', `the graph of role "${role}" is not valid`, { status: 500 });
}

/** More operations of a caller within a minute than the metadata allows. */
export function rateLimitExceeded(retryAfterSeconds: number): GatewayError {
  return new GatewayError('rate-limit-exceeded', 'too many operations, try again later', {
    headers: { 'retry-after': String(retryAfterSeconds) },
  });
}

/** Redis is unavailable, and operations may not run uncounted. */
export function rateLimitUnavailable(): GatewayError {
  return new GatewayError('service-unavailable', 'operations cannot be counted at the moment', {
    headers: { 'retry-after': '1' },
  });
}

/** A reload that took effect in this gateway only. */
export function otherGatewaysNotNotified(): GatewayError {
  return new GatewayError(
    'service-unavailable',
    'this gateway was reloaded, but other gateways could not be notified',
    {
      headers: { 'retry-after': '1' },
    },
  );
}

/** More operations at a time over one WebSocket than are accepted. */
export function tooManyConcurrentOperations(most: number): GatewayError {
  return new GatewayError(
    'operation-limit-exceeded',
    `at most ${most} operations can run at the same time on one connection`,
  );
}

/** The error to answer with for anything thrown: itself if it is a refusal, else one without detail. */
export function toGatewayError(error: unknown): GatewayError {
  return error instanceof GatewayError ? error : internalError();
}

/** The same, and logs an unexpected failure. `what` is what failed. */
export function toLoggedError(thrown: unknown, whose: { readonly log: Logger }, what = 'a request'): GatewayError {
  const error = toGatewayError(thrown);
  if (error !== thrown) whose.log.error({ event: 'request.failed', err: thrown }, `${what} failed unexpectedly`);
  return error;
}
