import { makeExecutableSchema } from '@graphql-tools/schema';
import { execute, type GraphQLSchema, parse } from 'graphql';
import { type Handler, reply, serve, type TestServer } from './serve.ts';
import type { GraphqlUpstream } from './upstream.ts';

type Resolvers = NonNullable<Parameters<typeof makeExecutableSchema>[0]['resolvers']>;

export interface ChangingUpstream extends TestServer {
  readonly graphqlUrl: string;
  /** From now on it is another service, at the same address. */
  become(typeDefs: string, resolvers?: Resolvers): void;
  /** While set, answers everything. */
  instead: Handler | undefined;
}

/** A service that speaks GraphQL over HTTP, and whose schema a test may change. */
export async function changingUpstream(typeDefs: string, resolvers: Resolvers = {}): Promise<ChangingUpstream> {
  let schema: GraphQLSchema = makeExecutableSchema({ typeDefs, resolvers });
  const server = await serve(async (received, response, request) => {
    if (upstream.instead) return upstream.instead(received, response, request);
    const { query, variables } = received.body as ReturnType<GraphqlUpstream['operations']>[number]['body'];
    return reply(response, 200, await execute({ schema, document: parse(query), variableValues: variables ?? {} }));
  });
  const upstream: ChangingUpstream = {
    ...server,
    graphqlUrl: `${server.url}/graphql`,
    become: (types, changed = {}) => {
      schema = makeExecutableSchema({ typeDefs: types, resolvers: changed });
    },
    instead: undefined,
  };
  return upstream;
}
