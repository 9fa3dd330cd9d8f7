import { buildClientSchema, type GraphQLSchema, getIntrospectionQuery, type IntrospectionQuery } from 'graphql';
import { ApiError, fetchFromGateway, readError } from '../api/index.ts';
import { authorized } from '../session/index.ts';

/** The schema that the caller's role sees. @throws ApiError where it may not introspect. */
export function loadRoleSchema(signal: AbortSignal): Promise<GraphQLSchema> {
  return authorized(async (headers) => {
    const response = await fetchFromGateway('v1/graphql', {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ query: getIntrospectionQuery({ inputValueDeprecation: true }) }),
      signal,
    });
    const body: unknown = await response.json().catch(() => undefined);
    const problem = readError(response, body);
    if (problem) throw problem;
    const { data } = body as { readonly data?: IntrospectionQuery };
    if (!data) throw new ApiError('unexpected', '', response.status);
    return buildClientSchema(data);
  });
}
