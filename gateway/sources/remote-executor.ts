import type { ExecutionRequest, ExecutionResult, Executor } from '@graphql-tools/utils';
import { GraphQLError, print } from 'graphql';
import { type Call, commonHeaders, type HttpHints } from './call.ts';
import type { HeaderForwarding } from './client-headers.ts';
import { sourceError, unreachable } from './source-error.ts';
import type { UpstreamHttp, UpstreamResponse } from './upstream-http.ts';

export interface RemoteTarget {
  readonly name: string;
  readonly url: string;
  readonly timeoutMs: number;
  /** Configured headers, lower-case names. They win over everything. */
  readonly headers: Readonly<Record<string, string>>;
  /** Set when the schema is to have the client's headers. */
  readonly forwardHeaders: HeaderForwarding | undefined;
  readonly http: UpstreamHttp;
}

const CODE = 'remote-schema-error';

/** What came of an operation that was sent as it is: bytes to relay, or a result where there is more to it than data. */
export type ForwardedAnswer = { readonly bytes: Buffer } | { readonly result: ExecutionResult };

/**
 * Sends the JSON body of a GraphQL request to a source, as the caller of `call`. The source's answer is not parsed where
 * it holds nothing but data.
 */
export type Forward = (body: string, call: Call) => Promise<ForwardedAnswer>;

/** Runs operations on a remote schema, as the caller of `request.context`. */
export function remoteExecutor(target: RemoteTarget): Executor<Call> {
  return async (request: ExecutionRequest): Promise<ExecutionResult> => {
    const call = request.context as Call | undefined;
    if (!call) throw new TypeError('an operation without a caller');
    if (call.failure) return call.failure;
    const body = JSON.stringify({
      query: print(request.document),
      ...(request.variables && { variables: request.variables }),
      ...(request.operationName && { operationName: request.operationName }),
    });
    const response = await send(target, body, call);
    return 'errors' in response ? response : readResult(target.name, response, call);
  };
}

/** Forwards whole operations to a remote schema. */
export function remoteForward(target: RemoteTarget): Forward {
  return async (body, call) => {
    const response = await send(target, body, call);
    if ('errors' in response) return { result: response };
    if (holdsOnlyData(response.bytes)) return { bytes: response.bytes };
    return { result: readResult(target.name, response, call) };
  };
}

async function send(target: RemoteTarget, body: string, call: Call): Promise<UpstreamResponse | ExecutionFailure> {
  try {
    const response = await target.http.send({
      url: target.url,
      method: 'POST',
      headers: upstreamHeaders(target, call),
      body,
      timeoutMs: target.timeoutMs,
      signal: call.signal,
    });
    call.http.cookies.push(...[response.headers['set-cookie'] ?? []].flat());
    return response;
  } catch (error) {
    return { data: null, errors: [unreachable(target.name, CODE, error, call)] };
  }
}

type ExecutionFailure = { readonly data: null; readonly errors: readonly GraphQLError[] };

const DATA = Buffer.from('{"data":{');
const END = '}'.charCodeAt(0);

/**
 * Whether a response is `{"data":{…}}`, without having parsed it. The words that would stand beside the data may also
 * stand in it; then it is parsed to tell.
 */
function holdsOnlyData(bytes: Buffer): boolean {
  return (
    bytes.subarray(0, DATA.length).equals(DATA) &&
    bytes[bytes.length - 1] === END &&
    !bytes.includes('"errors"') &&
    !bytes.includes('"extensions"')
  );
}

// Precedence: configured, then session, then client.
function upstreamHeaders(target: RemoteTarget, call: Call): Record<string, string> {
  return {
    ...target.forwardHeaders?.(call.clientHeaders),
    ...commonHeaders(call),
    ...call.session.headers,
    ...target.headers,
  };
}

function readResult(service: string, response: UpstreamResponse, call: Call): ExecutionResult {
  let result: { data?: unknown; errors?: unknown; extensions?: unknown } | null;
  try {
    result = JSON.parse(response.body);
  } catch {
    call.log.warn({ source: service, status: response.status }, 'a source answered with something that is not JSON');
    return protocolError(service, 'Remote server response is not valid JSON');
  }
  const errors = result?.errors;
  const data = result?.data;
  if (errors === undefined || errors === null) {
    if (data === undefined)
      return protocolError(service, 'Missing "data" field with no errors in response from remote');
    if (data === null)
      return protocolError(service, 'Received null "data" field with no errors in response from remote');
  } else if (!Array.isArray(errors)) {
    return protocolError(service, 'Invalid "errors" field in response from remote');
  } else if (errors.length === 0 && data === undefined) {
    return protocolError(service, 'Empty "errors" field in response from remote');
  }
  takeHttpHints(result?.extensions, call.http);
  return {
    data: data ?? null,
    ...(Array.isArray(errors) && errors.length > 0 && { errors: errors.map((error) => relayed(service, error)) }),
  } as ExecutionResult;
}

function protocolError(service: string, message: string): ExecutionResult {
  return { data: null, errors: [sourceError(service, CODE, message)] };
}

/** An error that the remote reported: its message, path and extensions stay, its name is added. */
function relayed(service: string, error: unknown): GraphQLError {
  const { message, path, extensions } = (error ?? {}) as { message?: unknown; path?: unknown; extensions?: object };
  return new GraphQLError(typeof message === 'string' ? message : 'error without a message', {
    ...(Array.isArray(path) && { path }),
    extensions: { code: CODE, ...withoutTraces(extensions), service },
  });
}

/** Some servers put stack traces into their errors unless they are told that they are in production. */
function withoutTraces(extensions: object | undefined): object {
  const { stacktrace: _stacktrace, exception: _exception, ...rest } = (extensions ?? {}) as Record<string, unknown>;
  return rest;
}

/** A source may ask for an HTTP status and headers with `extensions.http = { status, headers }`. */
function takeHttpHints(extensions: unknown, hints: HttpHints): void {
  const http = (extensions as { http?: { status?: unknown; headers?: unknown } } | undefined)?.http;
  if (typeof http !== 'object' || http === null) return;
  const { status, headers } = http;
  if (Number.isInteger(status) && Number(status) >= 200 && Number(status) <= 599) hints.status = Number(status);
  for (const [name, value] of Object.entries(headers ?? {}))
    if (ALLOWED_RESPONSE_HEADERS.has(name.toLowerCase())) hints.headers[name.toLowerCase()] = String(value);
}

/** A source may say when to come back and how to log in; it may not take over the response. */
const ALLOWED_RESPONSE_HEADERS = new Set(['retry-after', 'www-authenticate', 'cache-control']);
