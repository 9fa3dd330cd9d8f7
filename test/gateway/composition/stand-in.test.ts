import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { gatewayEnvironment, keeper, openIssuer, send, until, writeMetadata } from '../harness/index.ts';
import { productsSubgraph, reviewsSubgraph } from './subgraphs.ts';
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

test('where the query planner does not load, operations are stitched, and the log says so', async () => {
  const issuer = await keep(openIssuer());
  const products = await keep(productsSubgraph());
  const reviews = await keep(reviewsSubgraph());
  const { directory } = await keep(
    writeMetadata({
      'remote_schemas.yaml': [federated('products', products), federated('reviews', reviews)],
    }),
  );
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
  const { body } = await send(`http://127.0.0.1:${port}/v1/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${issuer.token()}` },
    body: JSON.stringify({ query: '{ product(upc: "1") { name reviews { text product { price } } } }' }),
  });
  expect(body).toEqual({ data: { product: { name: 'bolt', reviews: [{ text: 'holds', product: { price: 5 } }] } } });
  expect(logs).toContain('the query planner does not load on this machine');
  expect(reviews.asked()[0]?.headers).toMatchObject({ 'x-hasura-role': 'user' });
});
