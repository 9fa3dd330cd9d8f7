import { UpstreamError } from '../../upstream/index.ts';
import type { RemoteTarget } from '../remote-schema/index.ts';
import { gatewayAssertion } from '../remote-schema/index.ts';
import type { SchemaLimits } from '../source.ts';
import { type AnsweredQuery, type SchemaQuery, sdlIn } from './schema-answer.ts';
import { tooManyBytes } from './schema-limits.ts';

/** The timeout of queries for a schema, which is shorter than that of operations. */
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
 * Fetches the SDL of a subgraph of Apollo Federation, with the configured headers and without a caller.
 *
 * @returns undefined, here and below, where the response body is the same as the last one, which is then not parsed.
 * @throws UnsupportedQueryError when it has none to give; SchemaTooLarge; Error when it does not answer.
 */
export async function fetchServiceSdl(
  target: RemoteTarget,
  limits: SchemaLimits,
  isKnown: IsKnown,
): Promise<string | undefined> {
  const response = await sendSchemaQuery(target, { query: '{ _service { sdl } }' }, SERVICE_SDL.what, limits);
  return isKnown(response.body) ? undefined : sdlIn(response, SERVICE_SDL, limits);
}

/** Fetches the SDL with directives of a service that is to be stitched. @throws as above. */
export async function fetchStitchingSdl(
  target: RemoteTarget,
  limits: SchemaLimits,
  isKnown: IsKnown,
): Promise<string | undefined> {
  const response = await sendSchemaQuery(target, { query: '{ _sdl }' }, STITCHING_SDL.what, limits);
  return isKnown(response.body) ? undefined : sdlIn(response, STITCHING_SDL, limits);
}

/** Whether the body of a response is the one that a remote schema was opened with. */
export type IsKnown = (body: string) => boolean;

/** @throws SchemaTooLarge; Error when there is no response; its message is for logs and names no address. */
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
