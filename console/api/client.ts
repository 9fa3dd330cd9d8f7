import { print } from '@0no-co/graphql.web';
import { gatewayUrl } from './addresses.ts';
import { ApiError, readError, unreachable, unsendableRequest } from './api-error.ts';
import type { TypedDocument } from './graphql.ts';

export type RequestHeaders = Readonly<Record<string, string>>;

/** What a request may carry beside its operation. */
export interface CallOptions {
  readonly headers?: RequestHeaders;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Runs an operation on `/v1/graphql`.
 *
 * @returns its data.
 * @throws ApiError for an error of the request or of any field, and where the gateway cannot be reached.
 */
export async function execute<Result, Variables>(
  document: TypedDocument<Result, Variables>,
  variables: Variables,
  { headers = {}, signal }: CallOptions = {},
): Promise<Result> {
  const response = await fetchFromGateway('v1/graphql', {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ query: print(document), variables }),
    signal: signal ?? null,
  });
  const body: unknown = await response.json().catch(() => undefined);
  const problem = readError(response, body);
  if (problem) throw problem;
  return (body as { readonly data: Result }).data;
}

/** Reads a JSON document of the gateway. @throws ApiError. */
export async function readDocument<T>(path: string, options: CallOptions = {}): Promise<T> {
  const response = await fetchFromGateway(path, { headers: { ...options.headers }, signal: options.signal ?? null });
  const body: unknown = await response.json().catch(() => undefined);
  const problem = readError(response, body);
  if (problem) throw problem;
  return body as T;
}

/**
 * Runs a command of the metadata API.
 *
 * @throws ApiError.
 */
export async function callMetadataApi<T>(
  type: string,
  args: Readonly<Record<string, unknown>> = {},
  { headers = {}, signal }: CallOptions = {},
): Promise<T> {
  const response = await fetchFromGateway('v1/metadata', {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ type, args }),
    signal: signal ?? null,
  });
  const body: unknown = await response.json().catch(() => undefined);
  const problem = readError(response, body);
  if (problem) throw problem;
  return body as T;
}

/**
 * Runs an action of the console's own on the gateway, with the cookie of its session. The gateway takes it from this console only.
 *
 * @returns its answer, also where it is refused.
 * @throws ApiError for an error of the request, and where the gateway cannot be reached.
 */
export async function consoleCall<T>(
  path: string,
  body: object,
  headers: RequestHeaders = {},
): Promise<{ readonly status: number; readonly answer: T }> {
  const response = await fetchFromGateway(`console/${path}`, {
    method: 'POST',
    credentials: 'same-origin',
    headers: { ...headers, 'content-type': 'application/json', 'x-portico-console': '1' },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(CONSOLE_CALL_MS),
  });
  const answer: unknown = await response.json().catch(() => undefined);
  const isAnswer = typeof answer === 'object' && answer !== null && 'success' in answer;
  const problem = isAnswer ? undefined : readError(response, answer);
  if (problem) throw problem;
  return { status: response.status, answer: answer as T };
}

/** Others wait for it. */
const CONSOLE_CALL_MS = 30_000;

/**
 * Sends a request to the gateway; cookies stay out of it.
 *
 * @throws ApiError where the path leads to another origin, where the browser makes no such request, and where the gateway cannot be
 *   reached.
 */
export async function fetchFromGateway(path: string, init: RequestInit): Promise<Response> {
  const request = requestTo(gatewayUrl(path), { credentials: 'omit', cache: 'no-store', ...init });
  try {
    return await fetch(request);
  } catch (thrown) {
    if (thrown instanceof DOMException && thrown.name === 'AbortError') throw thrown;
    throw unreachable();
  }
}

function requestTo(url: URL, init: RequestInit): Request {
  try {
    return new Request(url, init);
  } catch (thrown) {
    throw unsendableRequest(thrown instanceof Error ? thrown.message : String(thrown));
  }
}

export { ApiError };
