import { afterAll, describe, expect, test } from '@jest/globals';
import { graphqlUpstream, keeper, openGateway, openIssuer, until } from '../harness/index.ts';
import { productsSubgraph, reviewsSubgraph } from './subgraphs.ts';

const { keep, close } = keeper();
afterAll(close);
const issuer = await keep(openIssuer());
const token = issuer.token();

const federated = (name: string, url: string, more: object = {}) => ({
  name,
  definition: { url, composition: 'federation' },
  ...more,
});

async function openShop(more: readonly object[] = []) {
  const products = await keep(productsSubgraph());
  const reviews = await keep(reviewsSubgraph());
  const metadata = {
    'remote_schemas.yaml': [
      federated('products', products.graphqlUrl),
      federated('reviews', reviews.graphqlUrl),
      ...more,
    ],
  };
  const gateway = await keep(openGateway({ issuer, metadata }));
  products.forget();
  reviews.forget();
  return { products, reviews, gateway };
}

describe('subgraphs of Apollo Federation 1 and 2', () => {
  test('form one graph, and an entity is joined with the fewest calls', async () => {
    const { products, reviews, gateway } = await openShop();
    const { body } = await gateway.graphql('{ products { name reviews { text product { price } } } }', { token });
    expect(body).toEqual({
      data: {
        products: [
          { name: 'bolt', reviews: [{ text: 'holds', product: { price: 5 } }] },
          { name: 'nut', reviews: [{ text: 'rusts', product: { price: 3 } }] },
        ],
      },
    });
    expect([products.asked().length, reviews.asked().length]).toEqual([2, 1]);
  });

  test('get the claims of the caller, all of them', async () => {
    const { products, reviews, gateway } = await openShop();
    await gateway.graphql('{ products { reviews { id } } }', { token: issuer.token() });
    for (const subgraph of [products, reviews])
      expect(subgraph.asked()[0]?.headers).toMatchObject({
        'x-hasura-role': 'user',
        'x-request-id': expect.anything(),
      });
  });

  test('can be in one operation with other services', async () => {
    const plain = await keep(graphqlUpstream('type Query { now: Int }', { Query: { now: () => 12 } }));
    const { gateway } = await openShop([{ name: 'clock', definition: { url: plain.graphqlUrl } }]);
    const { body } = await gateway.graphql(
      'query ($upc: String!) { now product(upc: $upc) { name reviews { text } } again: product(upc: "2") { upc } }',
      { token, variables: { upc: '1' } },
    );
    expect(body).toEqual({
      data: { now: 12, product: { name: 'bolt', reviews: [{ text: 'holds' }] }, again: { upc: '2' } },
    });
  });

  test('support mutations', async () => {
    const { gateway } = await openShop();
    const { body } = await gateway.graphql('mutation { rename(upc: "1", name: "screw") { name reviews { text } } }', {
      token,
    });
    expect(body).toEqual({ data: { rename: { name: 'screw', reviews: [{ text: 'holds' }] } } });
  });

  test('that fail are named in the errors, and the data of the others is kept', async () => {
    const { reviews, gateway } = await openShop();
    await reviews.stop();
    const { body } = await gateway.graphql('{ products { name reviews { text } } }', { token });
    expect(body.data).toEqual({
      products: [
        { name: 'bolt', reviews: null },
        { name: 'nut', reviews: null },
      ],
    });
    expect(body.errors?.[0]?.extensions).toMatchObject({ service: 'reviews' });
    expect(JSON.stringify(body)).not.toContain('127.0.0.1');
  });
});

describe('a subgraph that does not answer', () => {
  test('leaves the graph to the others, and joins when it answers', async () => {
    const products = await keep(productsSubgraph());
    const reviews = await keep(reviewsSubgraph());
    await reviews.stop();
    const metadata = {
      'remote_schemas.yaml': [federated('products', products.graphqlUrl), federated('reviews', reviews.graphqlUrl)],
    };
    const gateway = await keep(openGateway({ issuer, metadata, waitUntilReady: false }));
    await until(
      'products are there',
      async () => (await gateway.graphql('{ products { name } }', { token })).body.data !== undefined,
    );
    expect((await gateway.send('/healthz')).text).toBe('WARN: inconsistent objects in schema');
    await reviews.start();
    await gateway.ready();
    const { body } = await gateway.graphql('{ product(upc: "1") { name reviews { text } } }', { token });
    expect(body).toEqual({ data: { product: { name: 'bolt', reviews: [{ text: 'holds' }] } } });
    expect((await gateway.send('/healthz')).text).toBe('OK');
  });

  test('keeps out the subgraphs that need it, with the reason', async () => {
    const products = await keep(productsSubgraph());
    const reviews = await keep(reviewsSubgraph());
    await products.stop();
    const clock = await keep(graphqlUpstream('type Query { now: Int }', { Query: { now: () => 12 } }));
    const metadata = {
      'remote_schemas.yaml': [
        federated('products', products.graphqlUrl),
        federated('reviews', reviews.graphqlUrl),
        { name: 'clock', definition: { url: clock.graphqlUrl } },
      ],
    };
    const gateway = await keep(openGateway({ issuer, metadata, waitUntilReady: false }));
    await until('it is logged', () => gateway.logs().includes('EXTENSION_WITH_NO_BASE'));
    expect((await gateway.graphql('{ now }', { token })).body).toEqual({ data: { now: 12 } });
    await products.start();
    await gateway.ready();
    const { body } = await gateway.graphql('{ reviews { product { name } } }', { token });
    expect(body.data).toEqual({ reviews: [{ product: { name: 'bolt' } }, { product: { name: 'nut' } }] });
  });
});
