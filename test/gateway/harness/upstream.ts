import { makeExecutableSchema } from '@graphql-tools/schema';
import type { GraphQLSchema } from 'graphql';
import { createHandler, type Response } from 'graphql-http';
import { introspectedOnce, parseOnce, validateOnce } from './repeated-operations.ts';
import { type Handler, type Received, reply, serve, type TestServer } from './serve.ts';

/** An operation that an upstream was asked to run. */
export interface ReceivedOperation extends Received {
  readonly body: { query: string; variables?: Record<string, unknown>; operationName?: string };
}

/** What a test's resolvers are given as their context. */
export interface UpstreamContext {
  readonly headers: Received['headers'];
  /** Becomes the `extensions` of the response when something is put into it. */
  readonly extensions: Record<string, unknown>;
}

export interface GraphqlUpstream extends TestServer {
  readonly graphqlUrl: string;
  /** What it was asked to run, introspections apart. */
  operations(): readonly ReceivedOperation[];
  /** Forgets what it was asked. */
  forget(): void;
  /** While set, answers everything but introspections. */
  instead: Handler | undefined;
}

type Resolvers = NonNullable<Parameters<typeof makeExecutableSchema<UpstreamContext>>[0]['resolvers']>;

/** A service that speaks GraphQL over HTTP. */
export async function graphqlUpstream(typeDefs: string, resolvers: Resolvers = {}): Promise<GraphqlUpstream> {
  const schema = makeExecutableSchema<UpstreamContext>({ typeDefs, resolvers });
  const server = await serve(async (received, response, request) => {
    const introspects = isIntrospection(received);
    if (upstream.instead && !introspects) {
      await upstream.instead(received, response, request);
      return;
    }
    const answer = () => executeOperation(schema, received);
    const [body, init] = await (introspects ? introspectedOnce(typeDefs, received, answer) : answer());
    response.writeHead(init.status, init.statusText, init.headers).end(body);
  });
  const upstream: GraphqlUpstream = {
    ...server,
    graphqlUrl: `${server.url}/graphql`,
    operations: () => server.requests.filter((request) => !isIntrospection(request)) as ReceivedOperation[],
    forget: () => {
      server.requests.length = 0;
    },
    instead: undefined,
  };
  return upstream;
}

function isIntrospection({ body }: Received): boolean {
  return (body as ReceivedOperation['body'] | undefined)?.operationName === 'IntrospectionQuery';
}

function executeOperation(schema: GraphQLSchema, received: Received): Promise<Response> {
  const extensions: Record<string, unknown> = {};
  const handle = createHandler({
    schema,
    parse: parseOnce,
    validate: validateOnce,
    context: () => ({ headers: received.headers, extensions }),
    onOperation: (_request, _args, result) =>
      Object.keys(extensions).length > 0 ? { ...result, extensions } : undefined,
  });
  return handle({
    method: received.method,
    url: received.url,
    headers: received.headers,
    body: received.text,
    raw: undefined,
    context: undefined,
  });
}

/** A webhook: `answer` gives the body to answer with, or answers by itself. */
export async function webhook(
  answer: (received: Received, response: Parameters<Handler>[1]) => unknown,
): Promise<TestServer> {
  return serve(async (received, response) => {
    const body = await answer(received, response);
    if (!response.headersSent && !response.destroyed) reply(response, 200, body);
  });
}
