import { buildClientSchema, type GraphQLSchema, getIntrospectionQuery, type IntrospectionQuery } from 'graphql';
import type { RemoteTarget } from './remote-executor.ts';

/** A service may be slow to answer operations; to say what it is, it is not given as long. */
const LONGEST_MS = 10_000;

/**
 * Asks a remote schema for its types, with the configured headers and on nobody's behalf.
 *
 * @throws Error when there is no usable answer; its message is for logs and names no address.
 */
export async function introspect(target: RemoteTarget): Promise<GraphQLSchema> {
  const response = await target.http.send({
    url: target.url,
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json',
      'user-agent': 'portico',
      ...target.headers,
    },
    body: JSON.stringify({ query: getIntrospectionQuery(), operationName: 'IntrospectionQuery' }),
    timeoutMs: Math.min(target.timeoutMs, LONGEST_MS),
  });
  let result: { data?: IntrospectionQuery; errors?: { message?: unknown }[] };
  try {
    result = JSON.parse(response.body);
  } catch {
    throw new Error(`the answer to the introspection is not JSON (status ${response.status})`);
  }
  if (!result.data?.__schema)
    throw new Error(
      `the introspection was refused: ${String(result.errors?.[0]?.message ?? `status ${response.status}`)}`,
    );
  return buildClientSchema(result.data);
}
