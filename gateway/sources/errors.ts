import { GraphQLError, type GraphQLErrorExtensions } from 'graphql';
import type { ErrorCode } from '../errors.ts';
import { UNAUTHORIZED_FIELD } from '../planning/joins/index.ts';
import { UpstreamError, type UpstreamFailure } from '../upstream/index.ts';
import type { OperationContext } from './operation-context.ts';
import { serviceMessage } from './service-text.ts';

/**
 * Creates an error of a source for the client: without address or stack, with the source's name in
 * `extensions.service`.
 */
export function sourceError(
  service: string,
  code: string,
  message: string,
  more?: GraphQLErrorExtensions,
): GraphQLError {
  return new GraphQLError(message, { extensions: { path: '$', code, service, ...more } });
}

/** Codes of rejections by the gateway itself, which are the same for all kinds of sources. */
const OWN_CODES: Partial<Record<UpstreamFailure, ErrorCode>> = {
  'circuit-open': 'circuit-open',
  overloaded: 'upstream-overloaded',
  unavailable: 'source-unavailable',
  exhausted: 'upstream-overloaded',
};

/** Sets `Retry-After` and returns the extension `retry_after` if the error has a retry delay. */
function withRetryAfter(error: unknown, context: OperationContext): { readonly retry_after?: number } {
  const seconds = error instanceof UpstreamError ? error.retryAfterSeconds : undefined;
  if (seconds === undefined) return {};
  context.http.headers['retry-after'] = String(seconds);
  return { retry_after: seconds };
}

/** Logs why a call to a source failed, and returns the error for the client. */
export function sourceFailure(service: string, code: string, error: unknown, context: OperationContext): GraphQLError {
  const reason = error instanceof UpstreamError ? error.reason : 'connection';
  // Rejections by an open circuit or a full queue are not logged, since the failures that caused them have been.
  if (reason === 'exhausted')
    context.log.error(
      { event: 'upstream.exhausted', source: service, reason: (error as Error).message },
      'no memory or connections left for calls to sources',
    );
  else if (reason !== 'aborted' && !(reason in OWN_CODES))
    context.log.warn(
      { event: 'upstream.call_failed', source: service, reason: (error as Error).message },
      'call to a source failed',
    );
  const message = {
    timeout: `the service "${service}" did not respond in time`,
    connection: `the service "${service}" cannot be reached`,
    'too-large': `the service "${service}" returned a response that is too large`,
    aborted: 'the request was aborted',
    'circuit-open': `the service "${service}" has failed too often and is temporarily not called`,
    overloaded: `too many requests are waiting for the service "${service}"`,
    unavailable: `the service "${service}" is not available`,
    exhausted: `the gateway currently has no memory or connections left for the service "${service}"`,
  }[reason];
  return sourceError(service, OWN_CODES[reason] ?? code, message, { reason, ...withRetryAfter(error, context) });
}

/** Logs that a response of a source was truncated, and returns the error for the client. */
export function truncatedResponse(
  service: string,
  code: string,
  error: UpstreamError,
  context: OperationContext,
): GraphQLError {
  const { reason } = error;
  if (reason !== 'connection') return sourceFailure(service, code, error, context);
  context.log.warn(
    { event: 'upstream.response_truncated', source: service, reason: error.message },
    'response of a source was truncated',
  );
  return sourceError(service, code, `the service "${service}" did not complete its response`, { reason });
}

/** Logs that the connection of a subscription was lost, and returns the error for the client. */
export function eventsLost(
  service: string,
  reason: string,
  context: OperationContext,
  code: ErrorCode = 'remote-schema-error',
): GraphQLError {
  context.log.warn(
    { event: 'upstream.events_lost', source: service, reason: serviceMessage(reason) },
    'connection of a subscription lost',
  );
  const message = `the connection to the service "${service}" was lost`;
  return sourceError(service, code, message, { reason: 'connection' });
}

/** The response of a service is not JSON. The message is Hasura's. */
export function invalidJsonResponse(service: string): GraphQLError {
  return sourceError(service, 'remote-schema-error', 'Remote server response is not valid JSON');
}

/** A preset refers to a session variable that does not exist. */
export function missingSessionVariable(service: string, variable: string): GraphQLError {
  return sourceError(service, 'not-found', `missing session variable: "${variable}"`);
}

/** A session variable does not fit the type of the preset. The message does not repeat its value. */
export function unfitSessionVariable(service: string, variable: string, type: string): GraphQLError {
  return sourceError(service, 'unexpected', `the session variable "${variable}" is not valid for the type ${type}`);
}

/** A role with presets cannot send a file in this variable. */
export function misplacedFile(): GraphQLError {
  const message =
    'a file must be in a variable that the operation declares and that has the same presets wherever it is used';
  return new GraphQLError(message, { extensions: { path: '$', code: 'not-supported' } });
}

/** The client is not authorized for a field. */
export function unauthorizedField(path: readonly (string | number)[]): GraphQLError {
  const { message, code } = UNAUTHORIZED_FIELD;
  return new GraphQLError(message, { path, extensions: { path: '$', code } });
}

/** The planner's reason why an operation cannot be planned. */
interface UnplannableReason {
  readonly message: string;
  readonly code: ErrorCode;
  readonly cause?: unknown;
}

/** Logs why the federated services cannot resolve an operation together, and returns the error for the client. */
export function unplannableOperation(
  { message, code, cause }: UnplannableReason,
  { log }: Pick<OperationContext, 'log'>,
): GraphQLError {
  const reason =
    cause === undefined ? message : withoutLiterals(cause instanceof Error ? cause.message : String(cause));
  log.warn({ event: 'operation.unplannable', reason }, 'operation cannot be planned over the federated services');
  return new GraphQLError(message, { extensions: { path: '$', code } });
}

/** Removes literals from a planner message, since the planner may quote part of the document. */
function withoutLiterals(text: string): string {
  return text.replaceAll(/"(?:[^"\\]|\\.)*"?/g, '"…"').replaceAll(/\b\d+(?:\.\d+)?\b/g, '0');
}

/**
 * A service returned a value that does not fit its scalar or enum. The message does not repeat it. @param field as
 * `Type.field`
 */
export function unfitLeaf(field: string, type: string): GraphQLError {
  const message = `"${field}" returned a value that is not of type ${type}`;
  return new GraphQLError(message, { extensions: { path: '$', code: 'unexpected' } });
}

/** No source resolves the root field of a subscription. */
export function noSourceOfSubscription(): GraphQLError {
  return new GraphQLError('no source provides this subscription', { extensions: { path: '$', code: 'unexpected' } });
}
