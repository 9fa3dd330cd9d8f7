import { afterAll, expect, test } from '@jest/globals';
import { keeper, openIssuer, until } from '../harness/index.ts';
import { apolloSubgraph, linked, productsSubgraph, reviewsSubgraph } from './subgraphs.ts';
import { openWithoutPlanner } from './without-planner.ts';
import { federated } from './world.ts';

const { keep, close } = keeper();
afterAll(close);
const issuer = await keep(openIssuer());
const open = (remotes: readonly object[]) => keep(openWithoutPlanner(issuer, remotes));

test('without a query planner, operations are stitched, and the log says so', async () => {
  const products = await keep(productsSubgraph());
  const reviews = await keep(reviewsSubgraph());
  const { ask, logs } = await open([federated('products', products), federated('reviews', reviews)]);
  const body = await ask('{ product(upc: "1") { name reviews { text product { price } } } }');
  expect(body).toEqual({ data: { product: { name: 'bolt', reviews: [{ text: 'holds', product: { price: 5 } }] } } });
  await until('the log says so', () => logs().includes('the query planner does not load on this machine'));
  expect(reviews.asked()[0]?.headers).toMatchObject({ 'x-hasura-role': 'user' });
});

test('labels of progressive overrides apply when stitching too', async () => {
  const resolvers = (from: string) => ({
    Query: { film: () => ({ id: '1' }) },
    Film: { __resolveReference: (key: object) => key, rating: () => from, stars: () => from, length: () => from },
  });
  const old = await keep(
    apolloSubgraph(
      linked(`type Query { film: Film }
        type Film @key(fields: "id") { id: ID! rating: String stars: String length: String }`),
      resolvers('old'),
    ),
  );
  const added = await keep(
    apolloSubgraph(
      linked(`type Film @key(fields: "id") { id: ID! rating: String @override(from: "old", label: "percent(50)")
        stars: String @override(from: "old", label: "off") length: String @override(from: "old", label: "on") }`),
      resolvers('new'),
    ),
  );
  const { ask } = await open([federated('old', old), federated('new', added, { override_labels: { on: true } })]);
  const seen = new Set<unknown>();
  for (let at = 0; at < 40; at++) {
    const answer = (await ask('{ film { rating again: rating stars length } }')) as {
      data: { film: Record<string, unknown> };
    };
    const { rating, again, stars, length } = answer.data.film;
    expect([again, stars, length]).toEqual([rating, 'old', 'new']);
    seen.add(rating);
  }
  expect(seen).toEqual(new Set(['old', 'new']));
});
