import { type ExecutionResult, GraphQLError } from 'graphql';
import { isJsonObject, parseServiceJson } from '../../../platform/index.ts';
import { isRelayedPath, MAX_RELAYED_ERRORS, OMITTED_ERRORS, relayedExtensions, relayedMessage } from '../../errors.ts';
import { UpstreamError, type UpstreamResponse } from '../../upstream/index.ts';
import { invalidJsonResponse, sourceError, sourceFailure } from '../errors.ts';
import type { HttpHints, OperationContext } from '../operation-context.ts';

/** The code of a remote schema's errors that have no code of their own. */
export const REMOTE_SCHEMA_ERROR = 'remote-schema-error';

/** The result for the client if a call to a remote schema failed. Logs the reason. */
export function upstreamFailure(service: string, error: unknown, context: OperationContext): ExecutionResult {
  return { data: null, errors: [sourceFailure(service, REMOTE_SCHEMA_ERROR, error, context)] };
}

/** Copies the cookies that the remote sets for the client. */
export function takeCookies({ headers }: Pick<UpstreamResponse, 'headers'>, context: OperationContext): void {
  const cookies = headers['set-cookie'];
  if (cookies !== undefined) context.http.cookies.push(...[cookies].flat());
}

/**
 * Reads the response of a remote schema (GraphQL over HTTP, section 6). Errors keep their message, path and extensions
 * and get the remote's name. A response that is not a GraphQL response fails the whole operation.
 */
export function readResult(service: string, response: UpstreamResponse, context: OperationContext): ExecutionResult {
  takeRefusal(response, context.http);
  let result: RemoteResult | null;
  try {
    result = parseServiceJson(response.body) as RemoteResult | null;
  } catch (error) {
    if (error instanceof RangeError) return upstreamFailure(service, new UpstreamError('too-large', error), context);
    const { status } = response;
    // Failing servers and proxies respond with text or HTML, so the status matters.
    if (status >= 500)
      context.log.warn(
        { event: 'upstream.call_failed', source: service, status, reason: `status ${status}` },
        'call to a source failed',
      );
    else
      context.log.warn(
        { event: 'upstream.invalid_response', source: service, status },
        'response of a source is not JSON',
      );
    return { data: null, errors: [invalidJsonResponse(service)] };
  }
  return checkedResult(service, result, context);
}

/** A GraphQL response of a remote schema that is not checked yet. */
export interface RemoteResult {
  readonly data?: unknown;
  readonly errors?: unknown;
  readonly extensions?: unknown;
}

/** Reads one event of a subscription to a remote schema, which is a GraphQL response as well. */
export function eventResult(service: string, event: unknown, context: OperationContext): ExecutionResult {
  return checkedResult(service, typeof event === 'object' ? event : null, context);
}

/** Checks a response of a remote schema and copies its HTTP hints. */
export function checkedResult(
  service: string,
  result: RemoteResult | null,
  context: OperationContext,
): ExecutionResult {
  const errors = result?.errors;
  const data = result?.data;
  if (errors === undefined || errors === null) {
    if (data === undefined)
      return protocolError(service, 'Missing "data" field with no errors in response from remote');
    if (data === null)
      return protocolError(service, 'Received null "data" field with no errors in response from remote');
  } else if (!Array.isArray(errors)) {
    return protocolError(service, 'Invalid "errors" field in response from remote');
  } else if (errors.length === 0 && (data === undefined || data === null)) {
    return protocolError(service, 'Empty "errors" field in response from remote');
  }
  if (data !== undefined && data !== null && !isJsonObject(data))
    return protocolError(service, 'Invalid "data" field in response from remote');
  takeHttpHints(result?.extensions, context.http);
  return {
    data: data ?? null,
    ...(Array.isArray(errors) && errors.length > 0 && { errors: relayedErrors(service, errors) }),
  } as ExecutionResult;
}

function protocolError(service: string, message: string): ExecutionResult {
  return { data: null, errors: [sourceError(service, REMOTE_SCHEMA_ERROR, message)] };
}

/** Converts the errors that a remote schema reported. */
export function relayedErrors(service: string, errors: readonly unknown[]): readonly GraphQLError[] {
  const relayed = errors.slice(0, MAX_RELAYED_ERRORS).map((error) => relayedError(service, error));
  if (errors.length > MAX_RELAYED_ERRORS) relayed.push(sourceError(service, REMOTE_SCHEMA_ERROR, OMITTED_ERRORS));
  return relayed;
}

/**
 * Converts an error that a remote schema reported. Keeps its message, path and extensions, and adds the remote's name.
 */
function relayedError(service: string, error: unknown): GraphQLError {
  const { message, path, extensions } = (error ?? {}) as { message?: unknown; path?: unknown; extensions?: unknown };
  return new GraphQLError(typeof message === 'string' ? relayedMessage(message) : 'error without a message', {
    ...(Array.isArray(path) && path.every(isPathSegment) && isRelayedPath(path) && { path }),
    extensions: { code: REMOTE_SCHEMA_ERROR, ...relayedExtensions(withoutTraces(extensions)), service },
  });
}

/** Whether a value is a valid path segment (GraphQL section 7.1.2). */
function isPathSegment(value: unknown): value is string | number {
  return typeof value === 'string' || Number.isInteger(value);
}

/**
 * Removes the stack traces that some servers add to extensions unless they run in production mode. Extensions must be
 * an object (GraphQL section 7.1.2). A string would be copied character by character, which blocks the process for
 * seconds.
 */
export function withoutTraces(extensions: unknown): object {
  if (!isJsonObject(extensions)) return {};
  const { stacktrace: _stacktrace, exception: _exception, ...rest } = extensions;
  return rest;
}

/** Reads the HTTP status and headers that a source requests with `extensions.http = { status, headers }`. */
export function takeHttpHints(extensions: unknown, hints: HttpHints): void {
  const http = isJsonObject(extensions) ? extensions.http : undefined;
  if (!isJsonObject(http)) return;
  const { status, headers } = http;
  if (isStatusWithBody(status)) hints.status = status;
  if (!isJsonObject(headers)) return;
  for (const name in headers) {
    const value = headers[name];
    const isSendable = (typeof value === 'string' && SENDABLE.test(value)) || typeof value === 'number';
    if (isSendable && ALLOWED_RESPONSE_HEADERS.has(name.toLowerCase()))
      hints.headers[name.toLowerCase()] = String(value);
  }
}

/** Copies a source's status 503 or 429 with `Retry-After` (RFC 9110 section 15.6.4, RFC 6585 section 4). */
function takeRefusal({ status, headers }: UpstreamResponse, hints: HttpHints): void {
  if (status !== 429 && status !== 503) return;
  const asked = headers['retry-after'];
  const retryAfter = typeof asked === 'string' && isRetryAfter(asked) ? asked : DEFAULT_RETRY_SECONDS;
  takeHttpHints({ http: { status, headers: { 'retry-after': retryAfter } } }, hints);
}

/** Whether a response with this status has a body. The statuses 204, 205 and 304 have none. */
function isStatusWithBody(status: unknown): status is number {
  return (
    Number.isInteger(status) &&
    Number(status) >= 200 &&
    Number(status) <= 599 &&
    ![204, 205, 304].includes(Number(status))
  );
}

/** Whether a text is a number of seconds or a date (RFC 9110 section 10.2.3). */
function isRetryAfter(text: string): boolean {
  return /^\d{1,9}$/.test(text) || /^[A-Z][a-z]{2}, .* GMT$/.test(text);
}

/** The `Retry-After` value if a source sends no valid one. */
const DEFAULT_RETRY_SECONDS = '5';

/** The only response headers that a source may set with `extensions.http`. */
const ALLOWED_RESPONSE_HEADERS = new Set(['retry-after', 'www-authenticate', 'cache-control']);
/** Values that can be sent in a response header and that clients accept. Many clients accept at most 8 KiB per line. */
const SENDABLE = /^[\t\x20-\x7e]{0,4096}$/;
