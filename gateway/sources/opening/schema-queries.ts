import { parseServiceJson } from '../../../platform/index.ts';
import type { UpstreamResponse } from '../../upstream/index.ts';
import type { RemoteTarget } from '../remote-schema/index.ts';
import { gatewayAssertion } from '../remote-schema/index.ts';

/** The timeout of queries for a schema, which is shorter than that of operations. */
const MAX_INTROSPECTION_MS = 10_000;

/** A service whose response to a query for its schema is none to it. */
export class RefusedQueryError extends Error {
  constructor(
    message: string,
    /** The status of the response. */
    readonly status: number,
  ) {
    super(message);
    this.name = new.target.name;
  }
}

/** A service that answered a query for its schema with something else. */
export class UnsupportedQueryError extends RefusedQueryError {}

/**
 * Fetches the SDL of a subgraph of Apollo Federation, with the configured headers and without a caller.
 *
 * @returns undefined, here and below, where the response body is the same as the last one, which is then not parsed.
 * @throws UnsupportedQueryError when it has none to give; Error when it does not answer.
 */
export async function fetchServiceSdl(target: RemoteTarget, isKnown: IsKnown): Promise<string | undefined> {
  const response = await sendSchemaQuery(target, '{ _service { sdl } }');
  if (isKnown(response.body)) return undefined;
  const data = schemaData(
    response,
    'query for _service',
    'a service that is no subgraph has no composition: federation',
  );
  const sdl = (data._service as { sdl?: unknown } | null | undefined)?.sdl;
  if (typeof sdl !== 'string')
    throw new UnsupportedQueryError('the query for _service was refused: there is no SDL', response.status);
  return sdl;
}

/**
 * Fetches the SDL with directives of a service that is to be stitched.
 *
 * @throws UnsupportedQueryError when it has none to give; Error when it does not answer.
 */
export async function fetchStitchingSdl(target: RemoteTarget, isKnown: IsKnown): Promise<string | undefined> {
  const response = await sendSchemaQuery(target, '{ _sdl }');
  if (isKnown(response.body)) return undefined;
  const { _sdl: sdl } = schemaData(response, 'query for _sdl', 'a service without _sdl has no composition: stitching');
  if (typeof sdl !== 'string')
    throw new UnsupportedQueryError('the query for _sdl was refused: there is no SDL', response.status);
  return sdl;
}

/** Whether the body of a response is the one that a remote schema was opened with. */
export type IsKnown = (body: string) => boolean;

type Data = Readonly<Record<string, unknown>>;

/** @throws Error when there is no response; its message is for logs and names no address. */
export function sendSchemaQuery(
  target: RemoteTarget,
  query: string,
  operationName?: string,
): Promise<UpstreamResponse> {
  return target.connections.send({
    url: target.url,
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json',
      'user-agent': 'portico',
      ...target.headers,
      ...gatewayAssertion(target.assertion),
    },
    body: JSON.stringify({ query, operationName }),
    timeoutMs: Math.min(target.timeoutMs, MAX_INTROSPECTION_MS),
  });
}

/**
 * @param remedy what to do where the service says that it does not have what was queried.
 * @throws RefusedQueryError when the response has no data; Error when there were too many requests.
 */
export function schemaData({ status, body }: UpstreamResponse, what: string, remedy?: string): Data {
  let result: { data?: Data | null; errors?: { message?: unknown }[] } | null;
  try {
    result = parseServiceJson(body) as typeof result;
  } catch {
    const hint = status === 404 ? ': check the path of its URL' : '';
    throw schemaQueryFailure(`the response to the ${what} is not JSON (status ${status})${hint}`, status);
  }
  if (result?.data) return result.data;
  const reason = result?.errors?.[0]?.message ?? `status ${status}, without data and errors: check the path of its URL`;
  const message = `the ${what} was refused: ${String(reason)}`;
  // A failing server does not show which fields it has.
  if (status >= 500 || status === 429) throw schemaQueryFailure(message, status);
  throw new UnsupportedQueryError(remedy ? `${message} (${remedy})` : message, status);
}

function schemaQueryFailure(message: string, status: number): Error {
  return status === 429 ? new Error(message) : new RefusedQueryError(message, status);
}
