import { makeExecutableSchema } from '@graphql-tools/schema';
import { GraphQLError, type GraphQLSchema } from 'graphql';
import { until } from '../harness/index.ts';

const FEED = /* GraphQL */ `
  type Query {
    orderCount: Int!
    order(id: ID!): Order
  }
  type Mutation {
    rename(item: String!): String!
  }
  type Subscription {
    orderPlaced(item: String): Order!
    claims: Claims!
    count(to: Int!, size: Int): Counted!
    refused: Order!
  }
  type Order {
    id: ID!
    item: String!
    status: OrderStatus!
    buyer: String
  }
  enum OrderStatus {
    OPEN
    SHIPPED
  }
  type Counted {
    number: Int!
    text: String!
  }
  type Claims {
    role: String
    tenant: String
    inInit: String
    inOperation: String
    forwarded: String
  }
`;

/** What a feed knows of the connection that a subscription came over. */
export interface FeedContext {
  readonly headers: Readonly<Record<string, unknown>>;
  /** The payload of `connection_init`, where there is one. */
  readonly init?: Readonly<Record<string, unknown>> | undefined;
  readonly extensions?: Readonly<Record<string, unknown>> | null | undefined;
}

type Event = Readonly<Record<string, unknown>>;

/** Events for whoever subscribes, and who that is. */
export interface Feed {
  readonly schema: GraphQLSchema;
  /** Subscriptions that are open. */
  readonly open: number;
  /** Numbers of the `count` subscriptions that were taken so far. */
  readonly counted: number;
  waitFor(subscriptions: number): Promise<void>;
  publish(event: Event): void;
  /** Ends all subscriptions, as a service does that has no more to say. */
  complete(): void;
}

/**
 * The schema of a service with subscriptions, to be served by whatever server.
 *
 * @param makeSchema makes another schema of the same events.
 */
export function openFeed(makeSchema?: (events: () => AsyncIterableIterator<Event>) => GraphQLSchema): Feed {
  const listeners = new Set<{ push(event: Event): void; end(): void }>();
  let open = 0;
  let counted = 0;

  function events(): AsyncIterableIterator<Event> {
    const waiting: Event[] = [];
    let wake = () => {};
    let isOver = false;
    const listener = {
      push: (event: Event) => {
        waiting.push(event);
        wake();
      },
      end: () => {
        isOver = true;
        wake();
      },
    };
    listeners.add(listener);
    open++;
    const close = () => {
      if (listeners.delete(listener)) open--;
    };
    const iterator: AsyncIterableIterator<Event> = {
      next: async () => {
        while (waiting.length === 0 && !isOver)
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
        const value = waiting.shift();
        if (value) return { done: false, value };
        close();
        return { done: true, value: undefined };
      },
      return: async () => {
        close();
        listener.end();
        return { done: true, value: undefined };
      },
      [Symbol.asyncIterator]: () => iterator,
    };
    return iterator;
  }

  async function* counting(to: number, size: number) {
    for (let number = 1; number <= to; number++) {
      counted = number;
      yield { count: { number, text: 'x'.repeat(size) } };
    }
  }

  const orders = makeExecutableSchema<FeedContext>({
    typeDefs: FEED,
    resolvers: {
      Query: {
        orderCount: () => 2,
        order: (_, { id }) => ({ id, item: 'bolt', status: 'OPEN' }),
      },
      Mutation: { rename: (_, { item }) => `renamed to ${item}` },
      Subscription: {
        orderPlaced: { subscribe: () => events() },
        claims: {
          subscribe: async function* (_: unknown, __: unknown, { headers, init, extensions }: FeedContext) {
            const initHeaders = init?.headers as Record<string, unknown> | undefined;
            const operation = extensions?.session_variables as Record<string, unknown> | undefined;
            yield {
              claims: {
                role: headers['x-hasura-role'],
                tenant: headers['x-hasura-tenant-id'],
                inInit: initHeaders?.['x-hasura-tenant-id'],
                inOperation: operation?.['x-hasura-tenant-id'],
                forwarded: headers['x-shop'],
              },
            };
          },
        },
        count: { subscribe: (_: unknown, { to, size }: { to: number; size?: number }) => counting(to, size ?? 1) },
        refused: {
          subscribe: () => {
            throw new GraphQLError('not today', { extensions: { code: 'CLOSED' } });
          },
        },
      },
    },
  });
  return {
    schema: makeSchema?.(events) ?? orders,
    get open() {
      return open;
    },
    get counted() {
      return counted;
    },
    waitFor: async (subscriptions) => {
      await until(`${subscriptions} subscriptions are open at the service`, () => open === subscriptions);
    },
    publish: (event) => {
      for (const listener of listeners) listener.push({ orderPlaced: { status: 'OPEN', ...event } });
    },
    complete: () => {
      for (const listener of [...listeners]) listener.end();
    },
  };
}
