import { buildClientSchema, type GraphQLSchema, getIntrospectionQuery, type IntrospectionQuery } from 'graphql';
import type { RemoteTarget } from './remote-request.ts';
import { gatewayAssertion } from './upstream-headers.ts';

/** A service may be slow to answer operations; to say what it is, it is not given as long. */
const LONGEST_MS = 10_000;

/** A service that has answered, and not with what it was asked for. */
export class RefusedQuestion extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'RefusedQuestion';
  }
}

/**
 * Asks a remote schema for its types, with the configured headers and on nobody's behalf.
 *
 * @throws Error when there is no usable answer; its message is for logs and names no address.
 */
export async function introspect(target: RemoteTarget): Promise<GraphQLSchema> {
  const data = await ask(target, 'introspection', getIntrospectionQuery(), 'IntrospectionQuery');
  if (!data?.__schema) throw new RefusedQuestion('the introspection was refused: there is no __schema');
  return buildClientSchema(data as unknown as IntrospectionQuery);
}

/**
 * Asks a subgraph of Apollo Federation for its SDL.
 *
 * @throws RefusedQuestion when it has none to give; Error when it does not answer.
 */
export async function askForServiceSdl(target: RemoteTarget): Promise<string> {
  const data = await ask(target, 'question for _service', '{ _service { sdl } }');
  const sdl = (data?._service as { sdl?: unknown } | null | undefined)?.sdl;
  if (typeof sdl !== 'string') throw new RefusedQuestion('the question for _service was refused: there is no SDL');
  return sdl;
}

/**
 * Asks a service that is to be stitched for its SDL with directives.
 *
 * @throws RefusedQuestion when it has none to give; Error when it does not answer.
 */
export async function askForStitchingSdl(target: RemoteTarget): Promise<string> {
  const data = await ask(target, 'question for _sdl', '{ _sdl }');
  if (typeof data?._sdl !== 'string') throw new RefusedQuestion('the question for _sdl was refused: there is no SDL');
  return data._sdl;
}

type Data = Readonly<Record<string, unknown>>;

async function ask(target: RemoteTarget, what: string, query: string, operationName?: string): Promise<Data | null> {
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
    timeoutMs: Math.min(target.timeoutMs, LONGEST_MS),
  });
  let result: { data?: Data | null; errors?: { message?: unknown }[] } | null;
  try {
    result = JSON.parse(response.body);
  } catch {
    throw new Error(`the answer to the ${what} is not JSON (status ${response.status})`);
  }
  if (result?.data) return result.data;
  const message = `the ${what} was refused: ${String(result?.errors?.[0]?.message ?? `status ${response.status}`)}`;
  // A server that is in trouble says nothing about what it knows.
  throw response.status >= 500 || response.status === 429 ? new Error(message) : new RefusedQuestion(message);
}
