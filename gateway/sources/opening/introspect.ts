import {
  buildClientSchema,
  type GraphQLSchema,
  getIntrospectionQuery,
  type IntrospectionOptions,
  type IntrospectionQuery,
} from 'graphql';
import type { RemoteTarget } from '../remote-schema/index.ts';
import { gatewayAssertion } from '../remote-schema/index.ts';
import { FEATURES_QUERY, supportedOptions, withoutRequiredDeprecations } from './introspection-features.ts';

/** The timeout of introspection, which is shorter than that of operations. */
const MAX_INTROSPECTION_MS = 10_000;

/** A service that answered a query for its schema with something else. */
export class UnsupportedQueryError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'UnsupportedQueryError';
  }
}

/**
 * Introspects a remote schema, with the configured headers and without a caller.
 *
 * @returns undefined, here and below, where the response body is the same as the last one, which is then not parsed.
 * @throws Error when there is no usable response; its message is for logs and names no address.
 */
export async function introspect(target: RemoteTarget, isKnown: IsKnown): Promise<GraphQLSchema | undefined> {
  const options = await introspectionOptions(target);
  const query = getIntrospectionQuery(options);
  const data = await queryIntrospection(target, isKnown, 'introspection', query, 'IntrospectionQuery');
  if (data === KNOWN_SCHEMA) return undefined;
  if (!data?.__schema) throw new UnsupportedQueryError('the introspection was refused: there is no __schema');
  const result = data as unknown as IntrospectionQuery;
  return buildClientSchema(options.inputValueDeprecation ? withoutRequiredDeprecations(result) : result);
}

/** A service that refuses to say what it supports is sent the query of 2018. */
async function introspectionOptions(target: RemoteTarget): Promise<IntrospectionOptions> {
  try {
    const never = () => false;
    const data = await queryIntrospection(target, never, 'introspection', FEATURES_QUERY, 'IntrospectionQuery');
    return data === KNOWN_SCHEMA ? {} : supportedOptions(data);
  } catch (error) {
    if (error instanceof UnsupportedQueryError) return {};
    throw error;
  }
}

/**
 * Fetches the SDL of a subgraph of Apollo Federation.
 *
 * @throws UnsupportedQueryError when it has none to give; Error when it does not answer.
 */
export async function fetchServiceSdl(target: RemoteTarget, isKnown: IsKnown): Promise<string | undefined> {
  const data = await queryIntrospection(target, isKnown, 'query for _service', '{ _service { sdl } }');
  if (data === KNOWN_SCHEMA) return undefined;
  const sdl = (data?._service as { sdl?: unknown } | null | undefined)?.sdl;
  if (typeof sdl !== 'string') throw new UnsupportedQueryError('the query for _service was refused: there is no SDL');
  return sdl;
}

/**
 * Fetches the SDL with directives of a service that is to be stitched.
 *
 * @throws UnsupportedQueryError when it has none to give; Error when it does not answer.
 */
export async function fetchStitchingSdl(target: RemoteTarget, isKnown: IsKnown): Promise<string | undefined> {
  const data = await queryIntrospection(target, isKnown, 'query for _sdl', '{ _sdl }');
  if (data === KNOWN_SCHEMA) return undefined;
  if (typeof data?._sdl !== 'string')
    throw new UnsupportedQueryError('the query for _sdl was refused: there is no SDL');
  return data._sdl;
}

type IsKnown = (body: string) => boolean;

type Data = Readonly<Record<string, unknown>>;

const KNOWN_SCHEMA = Symbol('known');

async function queryIntrospection(
  target: RemoteTarget,
  isKnown: IsKnown,
  what: string,
  query: string,
  operationName?: string,
): Promise<Data | typeof KNOWN_SCHEMA> {
  const response = await target.connections.send({
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
  if (isKnown(response.body)) return KNOWN_SCHEMA;
  let result: { data?: Data | null; errors?: { message?: unknown }[] } | null;
  try {
    result = JSON.parse(response.body);
  } catch {
    const hint = response.status === 404 ? ': check the path of its URL' : '';
    throw new Error(`the response to the ${what} is not JSON (status ${response.status})${hint}`);
  }
  if (result?.data) return result.data;
  const message = `the ${what} was refused: ${String(result?.errors?.[0]?.message ?? `status ${response.status}`)}`;
  // A failing server does not show which fields it has.
  throw response.status >= 500 || response.status === 429 ? new Error(message) : new UnsupportedQueryError(message);
}
