import { makeExecutableSchema } from '@graphql-tools/schema';
import type { RequestHandler } from 'express';
import { GraphQLError } from 'graphql';
import { createHandler } from 'graphql-http/lib/use/express';
import type { Logger } from '../../platform/index.ts';
import { eventStream } from './event-stream.ts';
import type { Order, Wish } from './order.ts';
import type { OrderBook } from './order-book.ts';
import { OrderProblem } from './problem.ts';
import { tenantOfHeaders } from './tenant.ts';

const ordersTypeDefs = /* GraphQL */ `
  type Query {
    "The orders of the caller's tenant, oldest first."
    orders: [Order!]!
    "One order of the caller's tenant; null for every other id."
    order(id: ID!): Order
  }

  type Mutation {
    "Places an order for the caller's tenant: 1 to 1000000 of an item."
    placeOrder(item: String!, quantity: Int!): Order!
  }

  type Subscription {
    "The orders of the caller's tenant as they are now, and again after each change."
    orders: [Order!]!
  }

  type Order {
    id: ID!
    item: String!
    quantity: Int!
    "placed, shipped or cancelled"
    status: String!
    "ISO 8601, UTC"
    placed_at: String!
  }
`;

interface Context extends Record<PropertyKey, unknown> {
  /** Asked for by each field, because introspection has no tenant. @throws Problem `tenant-missing` */
  tenant(): number;
  /** Aborted when the caller takes no more events. */
  readonly ended?: AbortSignal;
}

/** Answers GraphQL over HTTP, subscriptions as server-sent events. Portico stitches these fields into its own schema. */
export function graphHandlers(book: OrderBook, log: Logger): RequestHandler[] {
  const schema = makeExecutableSchema<Context>({
    typeDefs: ordersTypeDefs,
    resolvers: {
      Query: {
        orders: (_root, _args, { tenant }) => book.list(tenant()),
        order: (_root, { id }: { id: string }, { tenant }) => book.find(tenant(), id),
      },
      Mutation: {
        placeOrder: (_root, wish: Wish, { tenant }) => book.place(tenant(), wish),
      },
      Subscription: {
        orders: {
          subscribe: (_root: unknown, _args: unknown, { tenant, ended }: Context) => book.follow(tenant(), ended),
          resolve: (orders: Order[]) => orders,
        },
      },
    },
  });
  function formatError(error: Error): Error {
    const cause = error instanceof GraphQLError ? error.originalError : error;
    if (!cause || cause instanceof OrderProblem) return error;
    log.error({ event: 'request.failed', err: cause }, 'a field failed');
    return new GraphQLError('internal error', { extensions: { code: 'internal-error' } });
  }
  return [
    eventStream<Context>({
      schema,
      contextOf: (headers, ended) => ({ tenant: () => tenantOfHeaders(headers), ended }),
      formatError,
    }),
    createHandler<Context>({
      schema,
      context: (request) => ({ tenant: () => tenantOfHeaders(request.raw.headers) }),
      formatError,
    }),
  ];
}
