import { buildSubgraphSchema } from '@apollo/subgraph';
import { makeExecutableSchema } from '@graphql-tools/schema';
import { stitchingDirectives } from '@graphql-tools/stitching-directives';
import { afterAll, describe, expect, test } from '@jest/globals';
import { type GraphQLSchema, parse } from 'graphql';
import { apolloSubgraph } from '../composition/subgraphs.ts';
import { bearer, type GraphqlBody, graphqlUpstream, keeper, openGateway, openIssuer } from '../harness/index.ts';
import { legacyClient, type SubscribingClient, sseClient, wsClient } from './clients.ts';
import { openFeed } from './feed.ts';
import { graphqlWsService } from './services.ts';

const { keep, close } = keeper();
afterAll(close);
const issuer = await keep(openIssuer());

const LINK =
  'extend schema @link(url: "https://specs.apollo.dev/federation/v2.6", import: ["@key", "@external", "@authenticated", "@requiresScopes"])\n';
const { allStitchingDirectivesTypeDefs } = stitchingDirectives();

type Resolvers = NonNullable<Extract<Parameters<typeof buildSubgraphSchema>[0], { typeDefs: unknown }>['resolvers']>;
type Events = () => AsyncIterableIterator<Readonly<Record<string, unknown>>>;
const subscribed = (events: Events) => ({
  Subscription: { orderPlaced: { subscribe: events } },
  Query: { orderCount: () => 1 },
});

/** Prices go up each time that somebody asks. */
const rising = () => {
  let price = 0;
  return () => ++price;
};

async function federated(more: object = {}) {
  const typeDefs = `${LINK}
    type Query { orderCount: Int }
    type Subscription { orderPlaced: Order }
    type Order @key(fields: "id") { id: ID! product: Product secret: String @requiresScopes(scopes: [["audit"]]) }
    type Product @key(fields: "upc") { upc: ID! }`;
  const feed = openFeed(
    (events) =>
      buildSubgraphSchema({ typeDefs: parse(typeDefs), resolvers: subscribed(events) as Resolvers }) as GraphQLSchema,
  );
  const orders = await keep(graphqlWsService(feed));
  const price = rising();
  const products = await keep(
    apolloSubgraph(
      `${LINK} type Query { product: Product } type Product @key(fields: "upc") { upc: ID! name: String price: Int }`,
      {
        Product: {
          __resolveReference: ({ upc }: { upc: string }) => ({ upc, name: `product ${upc}`, price: price() }),
        },
      },
    ),
  );
  const gateway = await keep(
    openGateway({
      issuer,
      metadata: {
        'remote_schemas.yaml': [
          { name: 'orders', definition: { url: orders.url, composition: 'federation', ...more } },
          { name: 'products', definition: { url: products.graphqlUrl, composition: 'federation', ...more } },
        ],
      },
    }),
  );
  return { feed, gateway, products };
}

async function stitched(more: object = {}) {
  const typeDefs = `${allStitchingDirectivesTypeDefs}
    type Query { orderCount: Int _sdl: String! }
    type Subscription { orderPlaced: Order }
    type Order { id: ID! product: Product }
    type Product @key(selectionSet: "{ upc }") { upc: ID! }`;
  const feed = openFeed((events) => {
    const resolvers = subscribed(events);
    return makeExecutableSchema({
      typeDefs,
      resolvers: { ...resolvers, Query: { orderCount: () => 1, _sdl: () => typeDefs } },
    });
  });
  const orders = await keep(graphqlWsService(feed));
  const sdl = `${allStitchingDirectivesTypeDefs}
    type Query { productsByUpc(upcs: [ID!]!): [Product] @merge(keyField: "upc") _sdl: String! }
    type Product { upc: ID! name: String price: Int }`;
  const price = rising();
  const products = await keep(
    graphqlUpstream(sdl, {
      Query: {
        productsByUpc: (_, { upcs }: { upcs: string[] }) =>
          upcs.map((upc) => ({ upc, name: `product ${upc}`, price: price() })),
        _sdl: () => sdl,
      },
    }),
  );
  const gateway = await keep(
    openGateway({
      issuer,
      metadata: {
        'remote_schemas.yaml': [
          { name: 'orders', definition: { url: orders.url, composition: 'stitching', ...more } },
          { name: 'products', definition: { url: products.graphqlUrl, composition: 'stitching', ...more } },
        ],
      },
    }),
  );
  return { feed, gateway, products };
}

type Headers = Record<string, string>;
const headers = () => bearer(issuer.token());
const CLIENTS: readonly [string, (url: string, headers: Headers) => SubscribingClient | Promise<SubscribingClient>][] =
  [
    ['graphql-transport-ws', (url, sent) => wsClient(url, { headers: sent })],
    ['the graphql-ws of old', (url, sent) => legacyClient(url, { headers: sent })],
    ['server-sent events', (url, sent) => sseClient(url, sent)],
  ];

/** `extensions.portico` of a result, without its times. */
function explained({ extensions }: GraphqlBody) {
  const { event, plan, calls } = (extensions as { portico: Explained }).portico;
  return { event, kind: plan.kind, steps: plan.steps, calls: calls.map(({ source, outcome }) => [source, outcome]) };
}

interface Explained {
  readonly event: number;
  readonly plan: { readonly kind: string; readonly steps: readonly object[] };
  readonly calls: readonly { readonly source: string; readonly outcome: string }[];
}

describe.each([
  ['a federation', federated],
  ['stitched services', stitched],
])('an event of %s', (_, openWorld) => {
  const world = openWorld();

  test.each(CLIENTS)(
    'is explained with the calls that were made for it, to those who may ask, over %s',
    async (_, open) => {
      const { feed, gateway } = await world;
      const asks = { 'x-portico-explain': 'true' };
      const [admin, user] = await Promise.all(
        ['admin', 'user'].map((role) =>
          keep(Promise.resolve(open(gateway.url, { ...bearer(issuer.token({ role, roles: [role] })), ...asks }))),
        ),
      );
      const query = 'subscription { orderPlaced { id product { name } } }';
      const seen = (admin as SubscribingClient).subscribe(query);
      const other = (user as SubscribingClient).subscribe(query);
      await feed.waitFor(2);
      for (const event of [1, 2]) {
        feed.publish({ id: String(event), product: { upc: 'bolt' } });
        const { steps, ...rest } = explained(await seen.next());
        expect(rest).toEqual({ event, kind: 'subscription', calls: [['products', 'success']] });
        expect(steps.length).toBeGreaterThan(0);
        expect(await other.next()).not.toHaveProperty('extensions');
      }
      seen.stop();
      other.stop();
      await feed.waitFor(0);
    },
  );

  test.each(CLIENTS)(
    'has the fields that other services join, fetched for each event, over %s',
    async (_client, open) => {
      const { feed, gateway } = await world;
      const shop = await keep(Promise.resolve(open(gateway.url, headers())));
      const placed = shop.subscribe('subscription { new: orderPlaced { id product { upc name price } } }');
      await feed.waitFor(1);
      feed.publish({ id: '1', product: { upc: 'bolt' } });
      const first = (await placed.next()).data?.new as { product: { price: number } };
      expect(first).toEqual({ id: '1', product: { upc: 'bolt', name: 'product bolt', price: expect.any(Number) } });
      feed.publish({ id: '2', product: { upc: 'bolt' } });
      expect(await placed.next()).toEqual({
        data: { new: { id: '2', product: { upc: 'bolt', name: 'product bolt', price: first.product.price + 1 } } },
      });
      placed.stop();
      await feed.waitFor(0);
    },
  );

  test('is completed as the request and with the headers of the client', async () => {
    const { feed, gateway, products } = await openWorld({ forward_client_headers: true });
    const shop = await keep(wsClient(gateway.url, { headers: { ...headers(), 'x-shop': 'north' } }));
    const placed = shop.subscribe('subscription { orderPlaced { product { name } } }');
    await feed.waitFor(1);
    products.requests.length = 0;
    feed.publish({ id: '1', product: { upc: 'bolt' } });
    expect(await placed.next()).toEqual({ data: { orderPlaced: { product: { name: 'product bolt' } } } });
    expect(products.requests.map((request) => request.headers)).toMatchObject([
      { 'x-shop': 'north', 'x-request-id': expect.any(String), 'x-forwarded-for': '127.0.0.1' },
    ]);
    placed.stop();
    await feed.waitFor(0);
  });

  test('needs no other service where nothing of it is asked for', async () => {
    const { feed, gateway } = await world;
    const shop = await keep(wsClient(gateway.url, { headers: headers() }));
    const placed = shop.subscribe('subscription { orderPlaced { id product { upc __typename } } }');
    await feed.waitFor(1);
    feed.publish({ id: '1', product: { upc: 'bolt' } });
    expect(await placed.next()).toEqual({
      data: { orderPlaced: { id: '1', product: { upc: 'bolt', __typename: 'Product' } } },
    });
    placed.stop();
    await feed.waitFor(0);
  });
});

describe('an event of a federation', () => {
  test('comes without what a service that is down would have added, and with an error', async () => {
    const { feed, gateway, products } = await federated();
    const shop = await keep(wsClient(gateway.url, { headers: headers() }));
    const placed = shop.subscribe('subscription { orderPlaced { id product { name } } }');
    await feed.waitFor(1);
    await products.stop();
    feed.publish({ id: '1', product: { upc: 'bolt' } });
    expect(await placed.next()).toMatchObject({
      data: { orderPlaced: { id: '1', product: { name: null } } },
      errors: [{ path: ['orderPlaced', 'product'], extensions: { service: 'products' } }],
    });
    await products.start();
    feed.publish({ id: '2', product: { upc: 'bolt' } });
    expect(await placed.next()).toEqual({ data: { orderPlaced: { id: '2', product: { name: 'product bolt' } } } });
  });

  test('comes without the fields that its caller is not authorized for', async () => {
    const { feed, gateway } = await federated();
    const query = 'subscription { orderPlaced { id secret product { name } } }';
    const clerk = await keep(wsClient(gateway.url, { headers: headers() }));
    const auditor = await keep(
      wsClient(gateway.url, { headers: bearer(issuer.token({ payload: { scope: 'audit' } })) }),
    );
    const refused = clerk.subscribe(query);
    const allowed = auditor.subscribe(query);
    await feed.waitFor(2);
    feed.publish({ id: '1', secret: 's', product: { upc: 'bolt' } });
    expect(await refused.next()).toMatchObject({
      data: { orderPlaced: { id: '1', secret: null, product: { name: 'product bolt' } } },
      errors: [{ path: ['orderPlaced', 'secret'], extensions: { code: 'UNAUTHORIZED_FIELD_OR_TYPE' } }],
    });
    expect(await allowed.next()).toEqual({
      data: { orderPlaced: { id: '1', secret: 's', product: { name: 'product bolt' } } },
    });
  });
});
