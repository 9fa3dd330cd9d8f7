import { afterEach, expect, test } from '@jest/globals';
import type { TestSubgraph } from '../gateway/composition/subgraphs.ts';
import { federated, openShop } from '../gateway/composition/world.ts';
import { type Handler, keeper, openIssuer } from '../gateway/harness/index.ts';
import { faults } from './faulty-service.ts';

const { keep, close } = keeper();
afterEach(close);

const resilience = {
  retries: { limit: 0 },
  circuit_breaker: { minimum_requests: 3, failure_percent: 60, open_seconds: 600 },
};

/** Subgraphs of one federation, or two services with nothing in common but the gateway. */
async function openJoined() {
  const issuer = await keep(openIssuer());
  const described = (name: string, subgraph: TestSubgraph) =>
    federated(name, subgraph, { timeout_seconds: 1, resilience });
  const shop = await keep(
    openShop(issuer, (products, reviews) => [described('products', products), described('reviews', reviews)]),
  );
  const token = issuer.token();
  return { ...shop, ask: async (query: string) => (await shop.gateway.graphql(query, { token })).body };
}

const QUERY = '{ products { name reviews { text } } product(upc: "1") { price } }';

test.each<[string, Handler, object]>([
  ['that hangs', faults.hangs, { code: 'remote-schema-error', reason: 'timeout' }],
  ['that is cut', faults.cutsBody, { code: 'remote-schema-error', reason: 'connection' }],
  ['that talks nonsense', faults.noJson, { code: 'remote-schema-error' }],
  ['that fails', faults.fails, { code: 'remote-schema-error' }],
])('a subgraph %s costs the fields that it would have joined', async (_, fault, extensions) => {
  const { reviews, ask } = await openJoined();
  reviews.instead = fault;
  const { data, errors } = await ask(QUERY);
  expect(data).toEqual({
    products: [
      { name: 'bolt', reviews: null },
      { name: 'nut', reviews: null },
    ],
    product: { price: 5 },
  });
  expect(errors).toMatchObject([{ path: ['products'], extensions: { ...extensions, service: 'reviews' } }]);
});

test('a subgraph that fails too often is not asked, and the others are', async () => {
  const { products, reviews, ask } = await openJoined();
  reviews.instead = faults.hangsUp;
  for (let i = 0; i < 3; i++) await ask(QUERY);
  products.forget();
  reviews.forget();
  const { data, errors } = await ask(QUERY);
  expect(data).toMatchObject({ products: [{ name: 'bolt' }, { name: 'nut' }], product: { price: 5 } });
  expect(errors).toMatchObject([{ path: ['products'], extensions: { code: 'circuit-open', service: 'reviews' } }]);
  expect([products.asked().length > 0, reviews.asked().length]).toEqual([true, 0]);
});

test('a subgraph that answers again joins again', async () => {
  const { reviews, ask } = await openJoined();
  reviews.instead = faults.cutsBody;
  await ask(QUERY);
  reviews.instead = undefined;
  expect(await ask('{ product(upc: "1") { name reviews { text } } }')).toEqual({
    data: { product: { name: 'bolt', reviews: [{ text: 'holds' }] } },
  });
});
