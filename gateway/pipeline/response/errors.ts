import { GraphQLError } from 'graphql';
import type { Logger } from '../../../platform/index.ts';
import { ERROR_STATUS, type ErrorCode, GatewayError } from '../../errors.ts';
import { VERBATIM } from '../../sources/index.ts';
import { MAX_JSON_DEPTH } from '../../transports/http/index.ts';
import { UNAVAILABLE_RETRY_SECONDS } from '../../upstream/index.ts';

/** An error of a GraphQL response as the client receives it. */
export interface PublicError {
  readonly message: string;
  readonly locations?: readonly { line: number; column: number }[];
  readonly path?: readonly (string | number)[];
  readonly extensions: Readonly<Record<string, unknown>>;
}

/** A subscription ended before its source stream did. The errors are for the client. */
export class SubscriptionEnded extends Error {
  readonly errors: readonly PublicError[];

  constructor(errors: readonly PublicError[]) {
    super(errors.map(({ message }) => message).join('; '));
    this.name = 'SubscriptionEnded';
    this.errors = errors;
  }
}

/** The error of a request that was rejected as a whole. */
export function refusedRequest(error: GatewayError): PublicError {
  return { message: error.message, extensions: { path: error.path, code: error.code } };
}

/**
 * Converts the first error of a rejected operation for endpoints with flat errors and meaningful HTTP statuses.
 *
 * @param path the path of the error. Defaults to the path in the error's extensions.
 */
export function flatRefusal(
  { errors: [first], retryAfterSeconds }: RejectedRequest,
  path: unknown = first?.extensions.path ?? '$',
): GatewayError {
  const { code = 'validation-failed' } = first?.extensions ?? {};
  const known = Object.hasOwn(ERROR_STATUS, String(code)) ? (code as ErrorCode) : 'validation-failed';
  return new GatewayError(known, first?.message ?? 'the operation is not valid', {
    path: String(path),
    ...(retryAfterSeconds !== undefined && { headers: { 'retry-after': String(retryAfterSeconds) } }),
  });
}

/** An error of parsing, validation or variables, or an exceeded limit. Limits have their own codes. */
export function invalidRequest(error: GraphQLError, path = '$'): PublicError {
  return {
    message: shortenedMessage(error.message),
    ...locationsOf(error),
    extensions: { path, code: error.extensions.code ?? 'validation-failed' },
  };
}

/** An error of a field that the session may not select. Unlike an invalid field, it has a path in the response. */
export function forbiddenRequest(error: GraphQLError): PublicError {
  return { ...invalidRequest(error), ...(error.path && { path: error.path }) };
}

/** The operation may need an unavailable source. The message does not name the source. */
export function operationUnavailable(): PublicError {
  return {
    message: 'a service that the operation may require is not available',
    extensions: { path: '$', code: 'source-unavailable' satisfies ErrorCode, retry_after: UNAVAILABLE_RETRY_SECONDS },
  };
}

/** The operation exceeded the time limit of its role. */
export function timeLimitExceeded(): PublicError {
  return {
    message: 'the operation exceeded its time limit; a mutation may still take effect',
    extensions: { path: '$', code: 'tenant-time-limit-exceeded' satisfies ErrorCode, reason: 'timeout' },
  };
}

/**
 * Converts an error of an execution for the client. Errors that a source reported keep their extensions. Unexpected
 * errors are logged, and the client only gets a generic message.
 */
export function executionErrors(error: GraphQLError, log: Logger): readonly PublicError[] {
  return rootCauses(error).map((cause) => {
    const path = cause.path ?? error.path;
    return {
      ...(cause.foreseen
        ? { message: cause.error.message, extensions: completed(cause.extensions) }
        : toInternalError(cause.error, log)),
      ...locationsOf(error),
      ...(path && { path }),
    };
  });
}

/** Converts an unexpected exception to an error of an execution. */
export function unforeseenError(error: unknown): GraphQLError {
  const originalError = error instanceof Error ? error : new Error(String(error));
  return new GraphQLError(originalError.message, { originalError });
}

function completed(extensions: ErrorCause['extensions']): PublicError['extensions'] {
  const writable = isWritable(extensions) ? extensions : scalarsOf(extensions);
  return VERBATIM in writable ? writable : { path: '$', code: 'unexpected', ...writable };
}

/** The maximum number of values in the extensions of an error. Usually there are a few dozen. */
const MAX_EXTENSION_VALUES = 10_000;

/** Whether extensions have a usual size. Deeply nested ones can be parsed but not serialized. */
function isWritable(extensions: object): boolean {
  let room = MAX_EXTENSION_VALUES;
  const isWithin = (value: object, levels: number): boolean => {
    if (levels === 0) return false;
    for (const name in value) {
      room -= 1;
      if (room < 0) return false;
      const member: unknown = (value as Readonly<Record<string, unknown>>)[name];
      if (typeof member === 'object' && member !== null && !isWithin(member, levels - 1)) return false;
    }
    return true;
  };
  return isWithin(extensions, MAX_JSON_DEPTH);
}

function scalarsOf(extensions: ErrorCause['extensions']): ErrorCause['extensions'] {
  return Object.fromEntries(Object.entries(extensions).filter(([, value]) => typeof value !== 'object'));
}

function locationsOf(error: GraphQLError): Pick<PublicError, 'locations'> {
  return error.locations ? { locations: error.locations.map(({ line, column }) => ({ line, column })) } : {};
}

interface ErrorCause {
  readonly error: Error;
  readonly foreseen: boolean;
  readonly extensions: Readonly<Record<string, unknown>>;
  /** The error's own path in the response, if several errors were combined. */
  readonly path?: readonly (string | number)[];
}

/** Unwraps errors. Execution wraps errors in errors and combines several errors of one field. */
function rootCauses(error: Error): readonly ErrorCause[] {
  if (error instanceof AggregateError)
    return (error.errors as Error[]).flatMap((inner) =>
      rootCauses(inner).map((cause) =>
        inner instanceof GraphQLError && inner.path ? { ...cause, path: inner.path } : cause,
      ),
    );
  if (error instanceof GraphQLError) {
    const { originalError } = error;
    if (originalError && originalError.message === error.message && originalError !== error)
      return rootCauses(originalError).map((cause) => ({
        ...cause,
        extensions: { ...error.extensions, ...cause.extensions },
      }));
    return [{ error, foreseen: !originalError, extensions: error.extensions }];
  }
  return [{ error, foreseen: /^Cannot return null for non-nullable field /.test(error.message), extensions: {} }];
}

function toInternalError(error: Error, log: Logger): Pick<PublicError, 'message' | 'extensions'> {
  log.error({ event: 'operation.failed', err: error }, 'operation failed unexpectedly');
  return { message: 'internal error', extensions: { path: '$', code: 'unexpected' } };
}

/** Shortens a message, since it may contain names from the client's document, which may be very long. */
function shortenedMessage(message: string): string {
  return message.length > MAX_MESSAGE ? `${message.slice(0, MAX_MESSAGE)}…` : message;
}

const MAX_MESSAGE = 1_000;

/** An invalid request of a client who may send requests. Nothing of it is executed. */
export interface RejectedRequest {
  readonly kind: 'rejected';
  readonly errors: readonly PublicError[];
  /** Set if the request may become valid later: the number of seconds to wait before a retry. */
  readonly retryAfterSeconds?: number;
  /** The status under `application/graphql-response+json` if it is not 400. */
  readonly status?: number;
  /** The explanation, if the request is explained. */
  readonly extensions?: Readonly<Record<string, unknown>>;
}
