import { buildSubgraphSchema } from '@apollo/subgraph';
import { afterAll, describe, expect, test } from '@jest/globals';
import { type GraphQLSchema, parse } from 'graphql';
import { readExposition } from '../../prometheus.ts';
import { apolloSubgraph, linked } from '../composition/subgraphs.ts';
import { bearer, freePort, keeper, openGateway, openIssuer, send, until } from '../harness/index.ts';
import { type SubscribingClient, sseClient, wsClient } from './clients.ts';
import { openFeed } from './feed.ts';
import { graphqlWsService } from './services.ts';

const { keep, close } = keeper();
afterAll(close);

const EVENTS = 50;
/** What another service adds to each event: long enough to be counted. */
const LONG = 200 * 1024;
/** A response that is read counts four times, with the JSON around the text. */
const OF_ONE_EVENT = 4 * (LONG + 1024);

type Resolvers = NonNullable<Extract<Parameters<typeof buildSubgraphSchema>[0], { typeDefs: unknown }>['resolvers']>;

/** Orders with the long description of their product, which is of another subgraph. */
async function openWorld(deduplicate: boolean) {
  const [issuer, port] = [await keep(openIssuer()), await freePort()];
  const typeDefs = linked(`
    type Query { orderCount: Int }
    type Subscription { orderPlaced: Order }
    type Order { id: ID! product: Product }
    type Product @key(fields: "upc") { upc: ID! }`);
  const feed = openFeed((events) => {
    const resolvers = { Subscription: { orderPlaced: { subscribe: events } }, Query: { orderCount: () => 1 } };
    return buildSubgraphSchema({ typeDefs: parse(typeDefs), resolvers: resolvers as Resolvers }) as GraphQLSchema;
  });
  const orders = await keep(graphqlWsService(feed));
  const products = await keep(
    apolloSubgraph(
      linked('type Query { product: Product } type Product @key(fields: "upc") { upc: ID! description: String }'),
      { Product: { __resolveReference: ({ upc }: { upc: string }) => ({ upc, description: 'x'.repeat(LONG) }) } },
    ),
  );
  const gateway = await keep(
    openGateway({
      issuer,
      environment: {
        PORTICO_METRICS_PORT: String(port),
        PORTICO_UPSTREAM_DEDUPLICATE: deduplicate ? 'in-flight' : 'never',
      },
      metadata: {
        'remote_schemas.yaml': [
          { name: 'orders', definition: { url: orders.url, composition: 'federation' } },
          { name: 'products', definition: { url: products.graphqlUrl, composition: 'federation' } },
        ],
      },
    }),
  );
  const buffered = async () =>
    readExposition((await send(`http://127.0.0.1:${port}/metrics`)).text).get('portico_upstream_buffered_bytes');
  return { feed, gateway, products, buffered, headers: bearer(issuer.token()) };
}

const QUERY = 'subscription { orderPlaced { id product { description } } }';
type Placed = { readonly id: string; readonly product: { readonly description: string } };
type Headers = Record<string, string>;
const CLIENTS: readonly [string, (url: string, headers: Headers) => SubscribingClient, boolean][] = [
  ['server-sent events', (url, headers) => sseClient(url, headers), false],
  ['server-sent events, where equal queries are sent once', (url, headers) => sseClient(url, headers), true],
  ['a WebSocket', (url, headers) => wsClient(url, { headers }), false],
];

describe.each(CLIENTS)('long responses that events are completed with, over %s', (_, open, deduplicate) => {
  const world = openWorld(deduplicate);

  test('are no longer in memory once the client has the event', async () => {
    const { feed, gateway, buffered, headers } = await world;
    const client = await keep(open(gateway.url, headers));
    const placed = client.subscribe(QUERY);
    await feed.waitFor(1);
    const counted: number[] = [];
    for (let event = 1; event <= EVENTS; event++) {
      feed.publish({ id: String(event), product: { upc: 'bolt' } });
      const { data } = await placed.next();
      const placedOrder = data?.orderPlaced as Placed | undefined;
      expect([placedOrder?.id, placedOrder?.product.description.length]).toEqual([String(event), LONG]);
      counted.push((await buffered()) ?? Number.NaN);
    }
    expect(Math.max(...counted)).toBeLessThanOrEqual(OF_ONE_EVENT);
    await until('the last one is given back', async () => (await buffered()) === 0);
    expect(feed.open).toBe(1);
    placed.stop();
    await feed.waitFor(0);
  });

  test('are no longer waited for when the client leaves', async () => {
    const { feed, gateway, products, headers } = await world;
    const client = await keep(open(gateway.url, headers));
    const placed = client.subscribe(QUERY);
    await feed.waitFor(1);
    const calls = { open: 0, closed: 0 };
    products.instead = (_received, response) => {
      calls.open++;
      response.once('close', () => calls.closed++);
    };
    feed.publish({ id: '1', product: { upc: 'bolt' } });
    await until('the product is asked for', () => calls.open === 1);
    placed.stop();
    await until('the call is cancelled', () => calls.closed === 1);
    products.instead = undefined;
    await feed.waitFor(0);
  });
});
