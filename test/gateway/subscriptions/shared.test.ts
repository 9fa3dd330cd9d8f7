import { buildSubgraphSchema } from '@apollo/subgraph';
import { makeExecutableSchema } from '@graphql-tools/schema';
import { stitchingDirectives } from '@graphql-tools/stitching-directives';
import { afterEach, describe, expect, test } from '@jest/globals';
import { type GraphQLSchema, parse } from 'graphql';
import { readExposition } from '../../prometheus.ts';
import { apolloSubgraph, linked } from '../composition/subgraphs.ts';
import { openEditedGateway } from '../harness/edited-gateway.ts';
import { bearer, freePort, graphqlUpstream, keeper, openIssuer, send, until } from '../harness/index.ts';
import { legacyClient, type SubscribingClient, sseClient, wsClient } from './clients.ts';
import { openFeed } from './feed.ts';
import { type FeedService, graphqlWsService, mercuriusService, yogaService } from './services.ts';

const { keep, close } = keeper();
afterEach(close);

const ORDERS = 'subscription { orderPlaced { id } }';
const placed = (id: string) => ({ data: { orderPlaced: { id } } });
type Metadata = Parameters<typeof openEditedGateway>[0];
type Open = (url: string, token: string) => SubscribingClient | Promise<SubscribingClient>;
const overWebSocket: Open = (url, token) => wsClient(url, { headers: bearer(token) });
const overEvents: Open = (url, token) => sseClient(url, bearer(token));

async function openWorld(metadata: Metadata) {
  const issuer = await keep(openIssuer());
  const port = await freePort();
  const gateway = await keep(
    openEditedGateway(metadata, { issuer, environment: { PORTICO_METRICS_PORT: String(port) } }),
  );
  const metric = async (name: string) =>
    readExposition((await send(`http://127.0.0.1:${port}/metrics`)).text).get(name);
  return {
    issuer,
    gateway,
    client: async (token = issuer.token(), open = overWebSocket) => keep(Promise.resolve(open(gateway.url, token))),
    /** Waits until so many subscriptions are open, and of so many runs. */
    subscribed: async (subscriptions: number, runs: number) => {
      await until(
        `${subscriptions} subscriptions are open`,
        async () => (await metric('portico_subscriptions_active')) === subscriptions,
      );
      expect(await metric('portico_subscription_runs')).toBe(runs);
    },
  };
}

const feedOf = (service: FeedService, subscriptions: object, definition: object = {}) => ({
  'remote_schemas.yaml': [{ name: 'feed', definition: { url: service.url, subscriptions, ...definition } }],
});

async function openShared(subscriptions: object = { share: 'events' }, definition: object = {}) {
  const service = await keep(graphqlWsService());
  return { service, ...(await openWorld(feedOf(service, subscriptions, definition))) };
}

const SERVICES: readonly [string, () => Promise<FeedService>, string][] = [
  ['graphql-transport-ws', graphqlWsService, 'graphql-transport-ws'],
  ['the graphql-ws of old', mercuriusService, 'graphql-ws'],
  ['server-sent events', yogaService, 'sse'],
];

describe.each(SERVICES)('equal subscriptions to a service over %s', (_, openService, protocol) => {
  test('share one stream over all transports, which ends with the last of them', async () => {
    const service = await keep(openService());
    const { issuer, client, subscribed } = await openWorld(feedOf(service, { protocol, share: 'events' }));
    const legacy: Open = (url, token) => legacyClient(url, { headers: bearer(token) });
    const tokens = [issuer.token(), issuer.token(), issuer.token()];
    const opens = [overWebSocket, overEvents, legacy];
    const clients = await Promise.all(opens.map((open, index) => client(tokens[index], open)));
    const orders = clients.map((one) => one.subscribe(ORDERS));
    await subscribed(3, 1);
    await service.feed.waitFor(1);
    service.feed.publish({ id: '1' });
    expect(await Promise.all(orders.map((one) => one.next()))).toEqual(new Array(3).fill(placed('1')));
    expect(service.feed.open).toBe(1);

    orders[0]?.stop();
    await subscribed(2, 1);
    service.feed.publish({ id: '2' });
    expect(await orders[1]?.next()).toEqual(placed('2'));
    orders[1]?.stop();
    orders[2]?.stop();
    await subscribed(0, 0);
    await service.feed.waitFor(0);
  });

  test('all end with it when it completes, and when its connection is lost', async () => {
    const service = await keep(openService());
    const { client, subscribed } = await openWorld(feedOf(service, { protocol, share: 'events' }));
    const clients = [await client(), await client()];
    const orders = clients.map((one) => one.subscribe(ORDERS));
    await subscribed(2, 1);
    await service.feed.waitFor(1);
    service.feed.complete();
    expect(await Promise.all(orders.map((one) => one.ended()))).toEqual(['complete', 'complete']);

    const again = clients.map((one) => one.subscribe(ORDERS));
    await subscribed(2, 1);
    await service.feed.waitFor(1);
    service.cut();
    const lost = [{ extensions: { code: 'remote-schema-error', service: 'feed', reason: 'connection' } }];
    expect(await Promise.all(again.map((one) => one.ended()))).toMatchObject([lost, lost]);
  });
});

test('a late subscriber gets the events from its join on; of a service that sends its state, the latest one first', async () => {
  for (const [share, first] of [
    ['events', '2'],
    ['state', '1'],
  ] as const) {
    const { service, client, subscribed } = await openShared({ share });
    const early = (await client()).subscribe(ORDERS);
    await service.feed.waitFor(1);
    service.feed.publish({ id: '1' });
    expect(await early.next()).toEqual(placed('1'));
    const late = (await client()).subscribe(ORDERS);
    await subscribed(2, 1);
    service.feed.publish({ id: '2' });
    expect(await early.next()).toEqual(placed('2'));
    expect(await late.next()).toEqual(placed(first));
  }
});

test('each has its own stream where the service does not say that they are shared', async () => {
  const { service, client, subscribed } = await openShared({ protocol: 'graphql-transport-ws' });
  const clients = [await client(), await client()];
  for (const one of clients) one.subscribe(ORDERS);
  await subscribed(2, 2);
  await service.feed.waitFor(2);
});

describe('nothing is shared', () => {
  test.each<[string, object]>([
    ['of another tenant', { hasura: { 'x-hasura-tenant-id': '2' } }],
    ['of another user', { hasura: { 'x-hasura-user-id': 'other' } }],
    ['with another role', { role: 'admin', roles: ['admin', 'user'] }],
    ['with one claim more', { hasura: { 'x-hasura-more': '1' } }],
    ['with other scopes', { payload: { scope: 'audit' } }],
  ])('with a caller %s', async (_, claims) => {
    const { issuer, service, client, subscribed } = await openShared();
    const mine = (await client(issuer.token())).subscribe(ORDERS);
    const other = (await client(issuer.token(claims))).subscribe(ORDERS);
    await subscribed(2, 2);
    await service.feed.waitFor(2);
    service.feed.publish({ id: '1' });
    expect([await mine.next(), await other.next()]).toEqual([placed('1'), placed('1')]);
  });

  test('that a service tells each caller by its claims', async () => {
    const { issuer, client } = await openShared();
    const claims = 'subscription { claims { tenant inInit inOperation } }';
    const of = async (tenant: string) => {
      const one = await client(issuer.token({ hasura: { 'x-hasura-tenant-id': tenant } }));
      return (await one.subscribe(claims).next()).data?.claims;
    };
    const told = (tenant: string) => ({ tenant, inInit: tenant, inOperation: tenant });
    expect(await Promise.all([of('1'), of('2'), of('3')])).toEqual([told('1'), told('2'), told('3')]);
  });

  test.each<[string, string, object]>([
    ['with other variables', 'subscription A($item: String) { orderPlaced(item: $item) { id } }', { item: 'nut' }],
    ['with another selection', 'subscription A($item: String) { orderPlaced(item: $item) { id item } }', {}],
  ])('%s', async (_, query, variables) => {
    const { client, subscribed } = await openShared();
    const one = await client();
    one.subscribe('subscription A($item: String) { orderPlaced(item: $item) { id } }');
    one.subscribe(query, { variables: { ...variables } });
    await subscribed(2, 2);
  });

  test('with a client whose forwarded headers are others', async () => {
    const { issuer, gateway, subscribed } = await openShared({ share: 'events' }, { forward_client_headers: true });
    const token = issuer.token();
    for (const shop of ['1', '1', '2'])
      (await keep(wsClient(gateway.url, { headers: { ...bearer(token), 'x-shop': shop } }))).subscribe(ORDERS);
    await subscribed(3, 2);
  });
});

test('a stream goes on when the token of its first subscriber expires, with the session of another one', async () => {
  const { issuer, service, client, subscribed } = await openShared();
  const expiring = issuer.token({ payload: { exp: Math.floor(Date.now() / 1000) + 2 } });
  const first = (await client(expiring)).subscribe(ORDERS);
  await service.feed.waitFor(1);
  const second = (await client(issuer.token())).subscribe(ORDERS);
  await subscribed(2, 1);
  expect(await first.ended()).toMatchObject([{ extensions: { code: 'invalid-jwt' } }]);
  await subscribed(1, 1);
  service.feed.publish({ id: '1' });
  expect(await second.next()).toEqual(placed('1'));
  expect(service.feed.open).toBe(1);
});

test('a reload that removes the service ends each of them', async () => {
  const { service, gateway, client, subscribed } = await openShared();
  const orders = [await client(), await client()].map((one) => one.subscribe(ORDERS));
  await subscribed(2, 1);
  const moved = feedOf(service, { share: 'events', protocol: 'sse' });
  await gateway.edit(moved);
  const ended = await Promise.all(orders.map((one) => one.ended()));
  expect(ended).toMatchObject([
    [{ extensions: { code: 'schema-reload' } }],
    [{ extensions: { code: 'schema-reload' } }],
  ]);
  await service.feed.waitFor(0);
});

test('a subscription that begins while the last one leaves gets a stream that lives', async () => {
  const { service, client, subscribed } = await openShared();
  const one = await client();
  for (let round = 1; round <= 10; round++) {
    const leaving = one.subscribe(ORDERS);
    if (round % 2 === 0) await service.feed.waitFor(1);
    leaving.stop();
    const staying = one.subscribe(ORDERS);
    await subscribed(1, 1);
    await service.feed.waitFor(1);
    service.feed.publish({ id: String(round) });
    expect(await staying.next()).toEqual(placed(String(round)));
    staying.stop();
    await subscribed(0, 0);
  }
});

test('a subscription that begins while the service dies gets the error or a new stream', async () => {
  const { service, client, subscribed } = await openShared();
  const one = await client();
  for (let round = 1; round <= 5; round++) {
    const early = one.subscribe(ORDERS);
    await service.feed.waitFor(1);
    service.cut();
    const late = one.subscribe(ORDERS);
    expect(await early.ended()).toMatchObject([{ extensions: { code: 'remote-schema-error' } }]);
    await until('the late one has ended, or has a stream', () => late.end !== undefined || service.feed.open === 1);
    late.stop();
    await subscribed(0, 0);
    await service.feed.waitFor(0);
  }
});

describe('joined fields', () => {
  type Resolvers = NonNullable<Extract<Parameters<typeof buildSubgraphSchema>[0], { typeDefs: unknown }>['resolvers']>;
  const QUERY = 'subscription { orderPlaced { id product { name } } }';

  async function openJoined(shares: readonly [object, object]) {
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
        linked('type Query { product: Product } type Product @key(fields: "upc") { upc: ID! name: String }'),
        { Product: { __resolveReference: ({ upc }: { upc: string }) => ({ upc, name: `product ${upc}` }) } },
      ),
    );
    const world = await openWorld({
      'remote_schemas.yaml': [
        { name: 'orders', definition: { url: orders.url, composition: 'federation', subscriptions: shares[0] } },
        {
          name: 'products',
          definition: { url: products.graphqlUrl, composition: 'federation', subscriptions: shares[1] },
        },
      ],
    });
    products.forget();
    return { feed, products, ...world };
  }

  test('are fetched once for an event and all of them, and for each tenant by itself', async () => {
    const share = { share: 'events' };
    const { feed, products, issuer, client, subscribed } = await openJoined([share, share]);
    const of = (tenant: string) => issuer.token({ hasura: { 'x-hasura-tenant-id': tenant } });
    const clients = await Promise.all(['1', '1', '1', '2', '2'].map((tenant) => client(of(tenant))));
    const orders = clients.map((one) => one.subscribe(QUERY));
    await subscribed(5, 2);
    await feed.waitFor(2);
    feed.publish({ id: '1', product: { upc: 'bolt' } });
    const event = { data: { orderPlaced: { id: '1', product: { name: 'product bolt' } } } };
    expect(await Promise.all(orders.map((one) => one.next()))).toEqual(new Array(5).fill(event));
    const tenants = products.requests.map(({ headers }) => headers['x-hasura-tenant-id']);
    expect(tenants.sort()).toEqual(['1', '2']);
  });

  test('are fetched for each where the other service does not say that they are shared', async () => {
    const { feed, client, subscribed } = await openJoined([{ share: 'events' }, {}]);
    for (const one of [await client(), await client()]) one.subscribe(QUERY);
    await subscribed(2, 2);
    await feed.waitFor(2);
  });

  test('are fetched once for an event, also of stitched services', async () => {
    const { allStitchingDirectivesTypeDefs } = stitchingDirectives();
    const typeDefs = `${allStitchingDirectivesTypeDefs}
      type Query { orderCount: Int _sdl: String! }
      type Subscription { orderPlaced: Order }
      type Order { id: ID! product: Product }
      type Product @key(selectionSet: "{ upc }") { upc: ID! }`;
    const feed = openFeed((events) =>
      makeExecutableSchema({
        typeDefs,
        resolvers: {
          Subscription: { orderPlaced: { subscribe: events } },
          Query: { orderCount: () => 1, _sdl: () => typeDefs },
        },
      }),
    );
    const sdl = `${allStitchingDirectivesTypeDefs}
      type Query { productsByUpc(upcs: [ID!]!): [Product] @merge(keyField: "upc") _sdl: String! }
      type Product { upc: ID! name: String }`;
    const named = (upcs: readonly string[]) => upcs.map((upc) => ({ upc, name: `product ${upc}` }));
    const resolvers = {
      Query: { productsByUpc: (_: unknown, { upcs }: { upcs: string[] }) => named(upcs), _sdl: () => sdl },
    };
    const [orders, products] = [await keep(graphqlWsService(feed)), await keep(graphqlUpstream(sdl, resolvers))];
    const definition = { composition: 'stitching', subscriptions: { share: 'events' } };
    const { client, subscribed } = await openWorld({
      'remote_schemas.yaml': [
        { name: 'orders', definition: { ...definition, url: orders.url } },
        { name: 'products', definition: { ...definition, url: products.graphqlUrl } },
      ],
    });
    products.forget();
    const placedOrders = [await client(), await client()].map((one) => one.subscribe(QUERY));
    await subscribed(2, 1);
    await feed.waitFor(1);
    feed.publish({ id: '1', product: { upc: 'bolt' } });
    const event = { data: { orderPlaced: { id: '1', product: { name: 'product bolt' } } } };
    expect(await Promise.all(placedOrders.map((one) => one.next()))).toEqual([event, event]);
    expect(products.operations()).toHaveLength(1);
  });
});
