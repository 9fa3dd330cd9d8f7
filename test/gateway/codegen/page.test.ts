import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterAll, expect, test } from '@jest/globals';
import { testHandlers } from '../../../gateway/operations/cli/actions/test.ts';
import { pageBlocks, sectionBlocks } from '../../readme-blocks.ts';
import { keeper } from '../harness/index.ts';
import { metadataDirectory } from '../harness/metadata-directory.ts';
import { generate, typeProblems } from './generated.ts';

const page = (name: string) => fileURLToPath(new URL(`../../../docs/${name}`, import.meta.url));
const { keep, close } = keeper();
afterAll(close);

test('the handler of the page fits the action of its page, and passes the cases of the page', async () => {
  const [known = '', missing = ''] = sectionBlocks(
    page('action-handlers.md'),
    '## Test handlers in continuous integration',
    'yaml',
  );
  const directory = await keep(
    metadataDirectory({
      'metadata/version.yaml': { version: 3 },
      'metadata/actions.graphql': pageBlocks(page('actions.md'), 'graphql')[0],
      'metadata/actions.yaml': pageBlocks(page('actions.md'), 'yaml')[0],
      'action-tests/checkout/known-basket.yaml': known,
      'action-tests/checkout/missing-basket.yaml': missing,
    }),
  );
  const location = join(directory.path, 'metadata');
  const { path } = await keep(Promise.resolve(generate(location, 'express')));
  writeFileSync(join(path, 'action-checkout.ts'), pageBlocks(page('action-handlers.md'), 'ts')[0] ?? '');
  expect(typeProblems(path)).toEqual([]);

  const { createApp } = await import(pathToFileURL(join(path, 'js/app.js')).href);
  const server = createServer(createApp({}));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    const { port } = server.address() as AddressInfo;
    const printed: string[] = [];
    const code = await testHandlers(
      { location, environment: { SHOP_URL: `http://127.0.0.1:${port}` }, cases: undefined, record: false, tap: false },
      (text) => printed.push(text),
    );
    expect([code, printed.at(-1)]).toEqual([0, '2 passed, 0 recorded, 0 failed']);
  } finally {
    server.close();
    server.closeAllConnections();
  }
});
