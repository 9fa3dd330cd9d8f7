import { UpstreamError } from '../../upstream/index.ts';
import type { RemoteTarget } from '../remote-schema/index.ts';
import { gatewayAssertion } from '../remote-schema/index.ts';
import type { SchemaLimits } from '../source.ts';
import { type AnsweredQuery, type SchemaQuery, sdlIn } from './schema-answer.ts';
import { tooManyBytes } from './schema-limits.ts';

/** The timeout of schema queries, which is shorter than the timeout of operations. */
const MAX_INTROSPECTION_MS = 10_000;

const SERVICE_SDL = {
  kind: 'sdl',
  what: 'query for _service',
  path: ['_service', 'sdl'],
  remedy: 'remove composition: federation if the service is not a subgraph',
} as const satisfies SchemaQuery;

const STITCHING_SDL = {
  kind: 'sdl',
  what: 'query for _sdl',
  path: ['_sdl'],
  remedy: 'a service without _sdl has no composition: stitching',
} as const satisfies SchemaQuery;

/**
 * Fetches the SDL of an Apollo Federation subgraph with the configured headers and without a client.
 *
 * @returns undefined if the response body is the same as the last one, which is then not parsed.
 * @throws UnsupportedQueryError if the service has no SDL.
 * @throws SchemaTooLarge
 * @throws Error if the service does not respond.
 */
export async function fetchServiceSdl(
  target: RemoteTarget,
  limits: SchemaLimits,
  isKnown: IsKnown,
): Promise<string | undefined> {
  const response = await sendSchemaQuery(target, { query: '{ _service { sdl } }' }, SERVICE_SDL.what, limits);
  return isKnown(response.body) ? undefined : sdlIn(response, SERVICE_SDL, limits);
}

/** Fetches the SDL of a service to be stitched, including its directives. Returns and throws like `fetchServiceSdl`. */
export async function fetchStitchingSdl(
  target: RemoteTarget,
  limits: SchemaLimits,
  isKnown: IsKnown,
): Promise<string | undefined> {
  const response = await sendSchemaQuery(target, { query: '{ _sdl }' }, STITCHING_SDL.what, limits);
  return isKnown(response.body) ? undefined : sdlIn(response, STITCHING_SDL, limits);
}

/** Whether a response body is the one that last opened the remote schema. */
export type IsKnown = (body: string) => boolean;

/** @throws SchemaTooLarge; Error if there is no response. Its message is for logs and contains no address. */
export async function sendSchemaQuery(
  target: RemoteTarget,
  operation: { readonly query: string; readonly operationName?: string },
  what: string,
  limits: SchemaLimits,
): Promise<AnsweredQuery> {
  try {
    const { status, body } = await target.connections.send({
      url: target.url,
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json',
        'user-agent': 'portico',
        ...target.headers,
        ...gatewayAssertion(target.assertion),
      },
      body: JSON.stringify(operation),
      timeoutMs: Math.min(target.timeoutMs, MAX_INTROSPECTION_MS),
      maxResponseBytes: limits.maxBytes,
    });
    return { status, body };
  } catch (error) {
    throw error instanceof UpstreamError && error.reason === 'too-large' ? tooManyBytes(limits, what) : error;
  }
}
