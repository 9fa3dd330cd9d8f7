import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buildSubgraphSchema } from '@apollo/subgraph';
import { afterAll, expect, test } from '@jest/globals';
import { parse } from 'graphql';
import { createPubSub, createYoga } from 'graphql-yoga';
import { openEditedGateway } from '../harness/edited-gateway.ts';
import { bearer, keeper, openIssuer, until } from '../harness/index.ts';
import { sseClient } from '../subscriptions/clients.ts';
import { linked, productsSubgraph } from './subgraphs.ts';
import { federated } from './world.ts';

const { keep, close } = keeper();
afterAll(close);
const issuer = await keep(openIssuer());

const sdl = linked(`
  type Query { discounts: Int }
  type Subscription { priceChanged(upc: String!): Product  audited: Product @requiresScopes(scopes: [["audit"]]) }
  type Product @key(fields: "upc") { upc: String! discount: Int secret: String @policy(policies: [["buyer"]]) }
`);

/** A subgraph that tells of prices over server-sent events. */
async function pricesSubgraph() {
  const events = createPubSub<{ changed: [object] }>();
  let open = 0;
  const subscribe = () => {
    open++;
    return events.subscribe('changed');
  };
  const resolvers = {
    Query: { discounts: () => 1 },
    Subscription: {
      priceChanged: { subscribe, resolve: (event: object) => event },
      audited: { subscribe, resolve: (event: object) => event },
    },
    Product: { __resolveReference: ({ upc }: { upc: string }) => ({ upc, discount: 1 }) },
  };
  const schema = buildSubgraphSchema({ typeDefs: parse(sdl), resolvers });
  const server = createServer(createYoga({ schema, logging: false }));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    graphqlUrl: `http://127.0.0.1:${port}/graphql`,
    publish: (event: object) => events.publish('changed', event),
    subscribed: (count: number) => until('it is subscribed to', () => open >= count),
    close: () => new Promise<void>((resolve) => server.close(() => resolve()) && server.closeAllConnections()),
  };
}

async function openWorld() {
  const products = await keep(productsSubgraph());
  const prices = await keep(pricesSubgraph());
  const gateway = await keep(
    openEditedGateway(
      {
        'remote_schemas.yaml': [
          federated('products', products, { forward_client_headers: true }),
          federated('prices', prices, { subscriptions: { protocol: 'sse' } }),
        ],
      },
      { issuer },
    ),
  );
  const headers = { ...bearer(issuer.token()), 'x-request-id': 'my-request', 'x-shop': 'north' };
  return { products, prices, client: sseClient(gateway.url, headers) };
}

test('an event of a subgraph is completed by the others', async () => {
  const { prices, client } = await openWorld();
  const changes = client.subscribe('subscription { priceChanged(upc: "1") { upc discount name price } }');
  await prices.subscribed(1);
  prices.publish({ upc: '1', discount: 10 });
  prices.publish({ upc: '2', discount: 20 });
  expect(await changes.next()).toEqual({ data: { priceChanged: { upc: '1', discount: 10, name: 'bolt', price: 5 } } });
  expect(await changes.next()).toEqual({ data: { priceChanged: { upc: '2', discount: 20, name: 'nut', price: 3 } } });
  changes.stop();
  await client.close();
});

test('an event is completed with the subscriber’s claims, and an unavailable subgraph is an error in it', async () => {
  const { products, prices, client } = await openWorld();
  const changes = client.subscribe('subscription { priceChanged(upc: "1") { discount name } }');
  await prices.subscribed(1);
  products.forget();
  prices.publish({ upc: '1', discount: 10 });
  expect(await changes.next()).toEqual({ data: { priceChanged: { discount: 10, name: 'bolt' } } });
  expect(products.asked()).toMatchObject([{ headers: { 'x-request-id': 'my-request', 'x-shop': 'north' } }]);
  await products.stop();
  prices.publish({ upc: '1', discount: 20 });
  expect(await changes.next()).toMatchObject({
    data: { priceChanged: { discount: 20, name: null } },
    errors: [{ path: ['priceChanged'], extensions: { code: 'remote-schema-error', service: 'products' } }],
  });
  changes.stop();
  await client.close();
});

test('a field that the subscriber is not authorized for is null in each event', async () => {
  const { prices, client } = await openWorld();
  const changes = client.subscribe('subscription { priceChanged(upc: "1") { name secret } }');
  await prices.subscribed(1);
  prices.publish({ upc: '1', secret: 'margin' });
  expect(await changes.next()).toMatchObject({
    data: { priceChanged: { name: 'bolt', secret: null } },
    errors: [{ path: ['priceChanged', 'secret'], extensions: { code: 'UNAUTHORIZED_FIELD_OR_TYPE' } }],
  });
  changes.stop();
  await client.close();
});

test('a subscription that the caller is not authorized for is rejected', async () => {
  const { client } = await openWorld();
  const audited = client.subscribe('subscription { audited { name } }');
  expect(JSON.stringify(await audited.next())).toContain('UNAUTHORIZED_FIELD_OR_TYPE');
  await client.close();
});
