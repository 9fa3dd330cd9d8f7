import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterEach, expect, test } from '@jest/globals';
import { SEMI_SPACE_MIB } from '../../platform/index.ts';
import { launchPortico, makeDataDir } from '../e2e/portico.ts';
import { readExposition } from '../prometheus.ts';
import { start } from './cli/portico.ts';
import { freePort, keeper, send, until } from './harness/index.ts';
import { metadataDirectory } from './harness/metadata-directory.ts';

const { keep, close } = keeper();
afterEach(close);

const OURS = String(SEMI_SPACE_MIB);
const OF_OPERATOR = '8';
const LIMIT = 'v8js_memory_heap_limit_bytes';

/** How large the heap of a process with a semi-space of so many MiB may be: the young generation is a part of it. */
async function heapLimitOf(semiSpaceMib: string): Promise<number> {
  const print = ['-p', 'require("node:v8").getHeapStatistics().heap_size_limit'];
  const { stdout } = await promisify(execFile)(process.execPath, [`--max-semi-space-size=${semiSpaceMib}`, ...print], {
    env: {},
  });
  return Number(stdout);
}

/** The settings of a gateway which tells its metrics at `port`. */
const settingsFor = (port: number) => ({
  HASURA_GRAPHQL_SERVER_PORT: '0',
  HASURA_GRAPHQL_ADMIN_SECRET: 'correct-horse-battery-staple',
  PORTICO_METADATA_WATCH: 'false',
  PORTICO_METRICS_PORT: String(port),
});

/** How large the heap may be in each of `count` processes that take requests, as they tell it. */
async function heapLimitsAt(port: number, count: number): Promise<readonly number[]> {
  let limits: readonly number[] = [];
  await until('all of them tell their metrics', async () => {
    const text = await send(`http://127.0.0.1:${port}/metrics`).then(
      (response) => response.text,
      () => '',
    );
    limits = [...readExposition(text)].filter(([name]) => name.startsWith(LIMIT)).map(([, value]) => value);
    return limits.length === count;
  });
  return limits;
}

async function heapLimits(workers: number, environment: NodeJS.ProcessEnv) {
  const metadata = await keep(metadataDirectory());
  const port = await freePort();
  const words = ['serve', metadata.path, '--workers', String(workers)];
  await keep(start(words, { environment: { ...settingsFor(port), ...environment } }));
  return heapLimitsAt(port, workers);
}

test('sizes of the young generation can be told apart by the heap that a process may have', async () => {
  expect(await heapLimitOf(OURS)).not.toBe(await heapLimitOf(OF_OPERATOR));
});

test.each<[string, NodeJS.ProcessEnv, string]>([
  ['a young generation of the size that was measured', {}, OURS],
  ['it beside other options of the operator', { NODE_OPTIONS: '--no-warnings' }, OURS],
  ['the size that the operator has set', { NODE_OPTIONS: `--max-semi-space-size=${OF_OPERATOR}` }, OF_OPERATOR],
])('workers have %s', async (_, environment, expected) => {
  const limit = await heapLimitOf(expected);
  expect(await heapLimits(2, environment)).toEqual([limit, limit]);
});

test.each<[string, NodeJS.ProcessEnv, string]>([
  ['the size that was measured', {}, OURS],
  ['the size that the operator has set', { NODE_OPTIONS: `--max-semi-space-size=${OF_OPERATOR}` }, OF_OPERATOR],
])('`npm start` starts a gateway with a young generation of %s', async (_, environment, expected) => {
  const metadata = await keep(metadataDirectory());
  const port = await freePort();
  const portico = launchPortico({
    dataDir: makeDataDir(),
    arguments: ['gateway'],
    environment: { ...settingsFor(port), HASURA_GRAPHQL_METADATA_DIR: metadata.path, ...environment },
  });
  await keep({ close: async () => void (portico.process.kill('SIGTERM') && (await portico.ended)) });
  expect(await heapLimitsAt(port, 1)).toEqual([await heapLimitOf(expected)]);
});
