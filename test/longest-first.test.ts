import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { expect, test } from '@jest/globals';

const PACKAGE_DIR = resolve('.');
const FAILED = 0;
const PASSED = 1;

interface Suite {
  readonly path: string;
  readonly context: object;
}

interface Sequencer {
  /** What jest knows of the last run, by the paths of suites: whether they passed, and milliseconds. */
  _getCache(suite: Suite): Readonly<Record<string, readonly [number, number]>>;
  sort(suites: readonly Suite[]): Promise<readonly Suite[]>;
}

const LongestFirst: new (options: object) => Sequencer = createRequire(import.meta.url)('./longest-first.cjs');

/** The order in which suites begin, all with files of the same size. */
async function orderOf(suites: readonly string[], lastRun: Readonly<Record<string, readonly [number, number]>> = {}) {
  const sequencer = new LongestFirst({});
  const known = Object.entries(lastRun).map(([suite, run]) => [resolve(suite), run] as const);
  sequencer._getCache = () => Object.fromEntries(known);
  const context = { config: { rootDir: PACKAGE_DIR, cache: true }, hasteFS: { getSize: () => 1 } };
  const sorted = await sequencer.sort(suites.map((suite) => ({ path: resolve(suite), context })));
  return sorted.map(({ path }) => path.slice(PACKAGE_DIR.length + 1));
}

const CLUSTER = 'test/faults/short-form.test.ts';
const PORTICO = 'test/e2e/front-door.test.ts';
const PROCESSES = 'test/gateway/workers.test.ts';
const DATABASE = 'test/auth-service/login.test.ts';
const PLAIN = 'test/build/suites.test.ts';

test('in a clean clone, suites that start many processes begin first, and those that start nothing last', async () => {
  const expected = [CLUSTER, PORTICO, PROCESSES, DATABASE, PLAIN];
  expect(await orderOf(expected.toReversed())).toEqual(expected);
});

test('the time that a suite took is believed more than what it imports', async () => {
  expect(await orderOf([CLUSTER, PORTICO, PLAIN], { [PLAIN]: [PASSED, 30_000], [CLUSTER]: [PASSED, 100] })).toEqual([
    PLAIN,
    PORTICO,
    CLUSTER,
  ]);
});

test('suites that failed the last time begin before all others', async () => {
  expect(await orderOf([CLUSTER, PLAIN], { [PLAIN]: [FAILED, 100] })).toEqual([PLAIN, CLUSTER]);
});
