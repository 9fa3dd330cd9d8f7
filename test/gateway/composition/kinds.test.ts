import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buildSubgraphSchema } from '@apollo/subgraph';
import { stitchingDirectives } from '@graphql-tools/stitching-directives';
import { afterAll, describe, expect, test } from '@jest/globals';
import { mercuriusFederationPlugin } from '@mercuriusjs/federation';
import { composeServices } from '@theguild/federation-composition';
import Fastify from 'fastify';
import { parse } from 'graphql';
import { createYoga } from 'graphql-yoga';
import { openEditedGateway } from '../harness/edited-gateway.ts';
import { graphqlUpstream, keeper, openIssuer, serve, until } from '../harness/index.ts';
import { productsResolvers, productsSdl, productsSubgraph, reviewsSdl, reviewsSubgraph } from './subgraphs.ts';
import { federated, openShop } from './world.ts';

const { keep, close } = keeper();
afterAll(close);
const issuer = await keep(openIssuer());
const token = issuer.token();
const open = (remotes: readonly object[], more = {}) =>
  keep(openEditedGateway({ 'remote_schemas.yaml': remotes, ...more }, { issuer }));
const JOINED = '{ product(upc: "1") { name reviews { text } } }';
const ANSWER = { data: { product: { name: 'bolt', reviews: [{ text: 'holds' }] } } };

/** Products behind graphql-yoga. */
async function yogaProducts() {
  const schema = buildSubgraphSchema({ typeDefs: parse(productsSdl), resolvers: productsResolvers });
  const server = createServer(createYoga({ schema, logging: false }));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    graphqlUrl: `http://127.0.0.1:${port}/graphql`,
    close: () => new Promise<void>((resolve) => server.close(() => resolve()) && server.closeAllConnections()),
  };
}

/** Reviews behind mercurius. */
async function mercuriusReviews() {
  const app = Fastify();
  await app.register(mercuriusFederationPlugin, {
    schema: reviewsSdl.replace('type Query', 'extend type Query'),
    resolvers: {
      Query: { reviews: () => [{ id: 'a', text: 'holds' }] },
      Product: { reviews: () => [{ id: 'a', text: 'holds' }] },
    },
  });
  const address = await app.listen({ port: 0, host: '127.0.0.1' });
  return { graphqlUrl: `${address}/graphql`, close: () => app.close() };
}

test('subgraphs of other libraries are composed as well', async () => {
  const products = await keep(yogaProducts());
  const reviews = await keep(mercuriusReviews());
  const gateway = await open([federated('products', products), federated('reviews', reviews)]);
  expect((await gateway.graphql(JOINED, { token })).body).toEqual(ANSWER);
});

describe('a supergraph', () => {
  async function composed() {
    const products = await keep(productsSubgraph());
    const reviews = await keep(reviewsSubgraph());
    const { supergraphSdl = '' } = composeServices([
      { name: 'products', typeDefs: parse(productsSdl), url: products.graphqlUrl },
      { name: 'reviews', typeDefs: parse(reviewsSdl), url: 'http://127.0.0.1:1/graphql' },
    ]);
    return { products, reviews, supergraphSdl };
  }
  const entry = (definition: object, more = {}) => [
    { name: 'shop', definition: { composition: 'federation', ...definition }, ...more },
  ];

  test('can be a file, and its subgraphs can have other URLs and headers of their own', async () => {
    const { products, reviews, supergraphSdl } = await composed();
    const gateway = await open(
      entry({
        supergraph_file: 'shop.graphql',
        headers: [{ name: 'x-for', value: 'all' }],
        subgraphs: { reviews: { url: reviews.graphqlUrl, headers: [{ name: 'x-own', value: 'reviews' }] } },
      }),
      { 'shop.graphql': supergraphSdl },
    );
    expect((await gateway.graphql(JOINED, { token })).body).toEqual(ANSWER);
    expect(reviews.asked()[0]?.headers).toMatchObject({ 'x-for': 'all', 'x-own': 'reviews', 'x-hasura-role': 'user' });
    expect(products.asked()[0]?.headers).toMatchObject({ 'x-for': 'all' });
    expect(products.asked()[0]?.headers).not.toHaveProperty('x-own');
  });

  test('can be fetched, and is fetched again at intervals', async () => {
    const { reviews, supergraphSdl } = await composed();
    let current = supergraphSdl;
    const store = await keep(serve((_, response) => response.end(current)));
    const gateway = await open(
      entry({
        supergraph_url: `${store.url}/shop.graphql`,
        supergraph_headers: [{ name: 'x-key', value: 'secret' }],
        introspection_interval_seconds: 1,
        subgraphs: { reviews: { url: reviews.graphqlUrl } },
      }),
    );
    expect((await gateway.graphql(JOINED, { token })).body).toEqual(ANSWER);
    expect(store.requests[0]?.headers['x-key']).toBe('secret');
    expect(reviews.asked()[0]?.headers).not.toHaveProperty('x-key');
    current = supergraphSdl.replace(/ {2}cost: Int .*\n/, '');
    await until('the field is gone', async () => {
      const { body } = await gateway.graphql('{ products { cost } }', { token });
      return body.errors !== undefined;
    });
  });

  test('has permissions and customized names', async () => {
    const { reviews, supergraphSdl } = await composed();
    const gateway = await open(
      entry(
        {
          supergraph_file: 'shop.graphql',
          subgraphs: { reviews: { url: reviews.graphqlUrl } },
          customization: { root_fields_namespace: 'shop', type_names: { prefix: 'Shop' } },
        },
        {
          permissions: [
            {
              role: 'user',
              definition: {
                schema: `type Query { product(upc: String! @preset(value: "1")): Product }
                  type Product { name: String reviews: [Review] } type Review { text: String }`,
              },
            },
          ],
        },
      ),
      { 'shop.graphql': supergraphSdl },
    );
    const { body } = await gateway.graphql('{ shop { product { __typename name reviews { text } } } }', { token });
    expect(body).toEqual({ data: { shop: { product: { __typename: 'ShopProduct', ...ANSWER.data.product } } } });
  });

  test.each([
    ['is no supergraph', 'type Query { a: Int }', {}, 'it has no enum join__Graph'],
    ['is no GraphQL', 'type Query {', {}, 'Syntax Error'],
    ['does not have a subgraph that is named', undefined, { subgraphs: { other: {} } }, 'no subgraph "other"'],
  ])('that %s is reported', async (_, sdl, more, reason) => {
    const { supergraphSdl } = await composed();
    const gateway = await keep(
      openEditedGateway(
        {
          'remote_schemas.yaml': entry({ supergraph_file: 'shop.graphql', ...more }),
          'shop.graphql': sdl ?? supergraphSdl,
        },
        { issuer, waitUntilReady: false },
      ),
    );
    await until('it is logged', () => gateway.logs().replaceAll('\\"', '"').includes(reason));
  });
});

describe('auto', () => {
  const auto = (name: string, { graphqlUrl }: { graphqlUrl: string }) => ({
    name,
    definition: { url: graphqlUrl, composition: 'auto' },
  });

  test('detects the kind of each service', async () => {
    const products = await keep(productsSubgraph());
    const reviews = await keep(reviewsSubgraph());
    const plain = await keep(graphqlUpstream('type Query { now: Int }', { Query: { now: () => 12 } }));
    const sdl = `${stitchingDirectives().allStitchingDirectivesTypeDefs}
      type Query { _users(ids: [ID!]!): [User] @merge(keyField: "id") user: User _sdl: String! }
      type User { id: ID! name: String }`;
    const stitched = await keep(
      graphqlUpstream(sdl, { Query: { user: () => ({ id: '1', name: 'Ann' }), _sdl: () => sdl } }),
    );
    const gateway = await open([
      auto('products', products),
      auto('reviews', reviews),
      auto('plain', plain),
      auto('stitched', stitched),
    ]);
    const { body } = await gateway.graphql(`{ now user { name } product(upc: "1") { name reviews { text } } }`, {
      token,
    });
    expect(body).toEqual({ data: { now: 12, user: { name: 'Ann' }, ...ANSWER.data } });
    expect((await gateway.graphql('{ _users(ids: []) { id } }', { token })).body.errors).toHaveLength(1);
  });

  test('does not take a failing service for a plain GraphQL service', async () => {
    const { products, gateway } = await keep(openShop(issuer, (one) => [federated('products', one)]));
    products.instead = (_, response) => response.writeHead(503).end('{"errors":[{"message":"busy"}]}');
    const { body } = await gateway.edit({ 'remote_schemas.yaml': [auto('products', products)] });
    expect(body).toMatchObject({ is_consistent: false });
    products.instead = undefined;
    await until('it is there', async () => (await gateway.health()) === 'OK');
    expect((await gateway.graphql('{ products { name } }', { token })).body.errors).toBeUndefined();
  });
});
