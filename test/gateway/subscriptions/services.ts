import { createServer, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { fastify } from 'fastify';
import { createHandler } from 'graphql-http/lib/use/http';
import { useServer } from 'graphql-ws/use/ws';
import { createYoga } from 'graphql-yoga';
import mercurius from 'mercurius';
import { WebSocketServer } from 'ws';
import { type Feed, type FeedContext, openFeed } from './feed.ts';

/** A service of somebody else's making, with a feed. */
export interface FeedService {
  readonly url: string;
  readonly feed: Feed;
  /** Connections that are open now. */
  connections(): number;
  /** Cuts every connection, as a process that is killed. It goes on listening. */
  cut(): void;
  close(): Promise<void>;
}

/** GraphQL over HTTP, and subscriptions over `graphql-transport-ws` by the package `graphql-ws`. */
export async function graphqlWsService(feed: Feed = openFeed()): Promise<FeedService> {
  const server = createServer(createHandler({ schema: feed.schema }));
  const sockets = new WebSocketServer({ server, path: '/graphql' });
  useServer(
    {
      schema: feed.schema,
      context: ({ connectionParams, extra }, _id, payload): FeedContext => ({
        headers: extra.request.headers,
        init: connectionParams,
        extensions: payload.extensions,
      }),
    },
    sockets,
  );
  return serving(server, feed, () => sockets.close());
}

/** GraphQL Yoga: subscriptions over server-sent events. */
export async function yogaService(): Promise<FeedService> {
  const feed = openFeed();
  const yoga = createYoga({
    schema: feed.schema,
    graphqlEndpoint: '/graphql',
    logging: false,
    context: ({ request, params }): FeedContext => ({
      headers: Object.fromEntries(request.headers),
      extensions: params.extensions,
    }),
  });
  return serving(createServer(yoga), feed, () => {});
}

/** Mercurius on Fastify: both WebSocket protocols. */
export async function mercuriusService(): Promise<FeedService> {
  const feed = openFeed();
  const app = fastify();
  await app.register(mercurius, {
    schema: feed.schema,
    path: '/graphql',
    subscription: {
      onConnect: ({ payload }) => ({ init: payload ?? {} }),
      context: (_, request) => ({ headers: request.headers }),
    },
  });
  await app.ready();
  const { server } = app;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return served(server, feed, () => app.close());
}

async function serving(server: Server, feed: Feed, stop: () => unknown): Promise<FeedService> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return served(server, feed, stop);
}

function served(server: Server, feed: Feed, stop: () => unknown): FeedService {
  const { port } = server.address() as AddressInfo;
  const open = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
  const cut = () => {
    for (const socket of open) socket.destroy();
  };
  return {
    url: `http://127.0.0.1:${port}/graphql`,
    feed,
    connections: () => open.size,
    cut,
    close: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      cut();
      await stop();
      await closed;
    },
  };
}
