import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { sectionBlocks } from '../../readme-blocks.ts';
import { freePort, graphqlUpstream, keeper, openGateway, openIssuer } from '../harness/index.ts';

const { keep, close } = keeper();
afterAll(close);

const block = (language: string) =>
  sectionBlocks('docs/actions.md', '## An action as a field of a type', language)[0] ?? '';

/** The handler of the page, as a process. */
async function pageHandler(): Promise<{ url: string; close: () => void }> {
  const port = await freePort();
  const directory = mkdtempSync(join(tmpdir(), 'portico-handler-'));
  const file = join(directory, 'handler.mjs');
  writeFileSync(file, block('js').replace('.listen(4030)', `.listen(${port}, () => console.log('listens'))`));
  const handler = spawn(process.execPath, [file], { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(handler.stdout, 'data');
  return {
    url: `http://127.0.0.1:${port}`,
    close: () => {
      handler.kill();
      rmSync(directory, { recursive: true });
    },
  };
}

test('the field of docs/actions.md is resolved by the handler of the page', async () => {
  const issuer = await keep(openIssuer());
  const orders = await keep(
    graphqlUpstream('type Query { orders: [Order!]! } type Order { id: ID! item: String weight: Int }', {
      Query: {
        orders: () => [
          { id: '1', item: 'tea', weight: 5 },
          { id: '2', item: 'anvil', weight: 80 },
        ],
      },
    }),
  );
  const handler = await keep(pageHandler());
  const gateway = await keep(
    openGateway({
      issuer,
      environment: { SHIPPING_URL: handler.url },
      metadata: {
        'remote_schemas.yaml': [{ name: 'orders', definition: { url: orders.graphqlUrl } }],
        'actions.graphql': block('graphql'),
        'actions.yaml': block('yaml'),
      },
    }),
  );
  const query = '{ orders { item estimate(express: true) { price } } }';
  expect((await gateway.graphql(query, { token: issuer.token() })).body).toMatchObject({
    data: {
      orders: [
        { item: 'tea', estimate: { price: 100 } },
        { item: 'anvil', estimate: null },
      ],
    },
    errors: [
      {
        message: 'the order is too heavy',
        path: ['orders', 1, 'estimate'],
        extensions: { code: 'too-heavy', service: 'estimate' },
      },
    ],
  });
});
