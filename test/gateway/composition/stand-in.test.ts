import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { gatewayEnvironment, keeper, openIssuer, send, until, writeMetadata } from '../harness/index.ts';
import { apolloSubgraph, linked, productsSubgraph, reviewsSubgraph } from './subgraphs.ts';
import { federated } from './world.ts';

const { keep, close } = keeper();
afterAll(close);

const WITHOUT_PLANNER = `
  const Module = require('node:module');
  const load = Module._load;
  Module._load = function (name, ...rest) {
    if (name.includes('router-query-planner')) throw new Error('no addon for this machine');
    return load.call(this, name, ...rest);
  };
`;

const issuer = await keep(openIssuer());

/** A gateway in a process of its own, for which the query planner does not load. */
async function openWithoutPlanner(remotes: readonly object[]) {
  const { directory } = await keep(writeMetadata({ 'remote_schemas.yaml': remotes }));
  const preload = join(directory, 'without-planner.cjs');
  writeFileSync(preload, WITHOUT_PLANNER);
  const gateway = spawn(process.execPath, ['--require', preload, 'dist/gateway/main.js'], {
    env: { PATH: process.env.PATH, ...gatewayEnvironment(directory, { issuer }) },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await keep({ close: () => void gateway.kill('SIGKILL') });
  let logs = '';
  gateway.stdout.on('data', (text: Buffer) => {
    logs += text.toString();
  });
  const port = await until('it listens', () => /"port":(\d+)/.exec(logs)?.[1]);
  await until('it is ready', async () => (await send(`http://127.0.0.1:${port}/readyz`)).status === 200);
  const ask = async (query: string) => {
    const { body } = await send(`http://127.0.0.1:${port}/v1/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${issuer.token()}` },
      body: JSON.stringify({ query }),
    });
    return body;
  };
  return { ask, logs: () => logs };
}

test('where the query planner does not load, operations are stitched, and the log says so', async () => {
  const products = await keep(productsSubgraph());
  const reviews = await keep(reviewsSubgraph());
  const { ask, logs } = await openWithoutPlanner([federated('products', products), federated('reviews', reviews)]);
  const body = await ask('{ product(upc: "1") { name reviews { text product { price } } } }');
  expect(body).toEqual({ data: { product: { name: 'bolt', reviews: [{ text: 'holds', product: { price: 5 } }] } } });
  expect(logs()).toContain('the query planner does not load on this machine');
  expect(reviews.asked()[0]?.headers).toMatchObject({ 'x-hasura-role': 'user' });
});

test('labels of overrides are honoured by stitching too', async () => {
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
  const { ask } = await openWithoutPlanner([
    federated('old', old),
    federated('new', added, { override_labels: { on: true } }),
  ]);
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
