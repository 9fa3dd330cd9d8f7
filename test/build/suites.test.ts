import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { expect, test } from '@jest/globals';
import { chooseSuites, type Imports, importsOf } from '../../build/suites.ts';

const IMPORTS: Imports = new Map([
  ['gateway/price.ts', []],
  ['gateway/index.ts', ['gateway/price.ts']],
  ['test/start.ts', ['node:child_process']],
  ['test/far.test.ts', ['gateway/index.ts']],
  ['test/near.test.ts', ['gateway/price.ts']],
  ['test/other.test.ts', []],
  ['test/processes-1.test.ts', ['gateway/index.ts', 'test/start.ts']],
  ['test/processes-2.test.ts', ['gateway/index.ts', 'test/start.ts']],
]);

test('a change runs the suites that import the file, the nearest first', () => {
  const { chosen } = chooseSuites(IMPORTS, ['gateway/price.ts']);
  expect(chosen.slice(0, 2)).toEqual(['test/near.test.ts', 'test/far.test.ts']);
  expect(chosen).not.toContain('test/other.test.ts');
});

test('suites that there is no time for are named', () => {
  expect(chooseSuites(IMPORTS, ['gateway/price.ts']).left).toEqual(['test/processes-2.test.ts']);
});

test('a suite that has changed itself always runs', () => {
  const changed = ['test/processes-1.test.ts', 'test/processes-2.test.ts'];
  expect(chooseSuites(IMPORTS, changed)).toEqual({ chosen: changed, left: [], unimported: [] });
});

test('changed files that no suite imports are named', () => {
  const imports = new Map([...IMPORTS, ['gateway/worker.ts', []]]);
  const changed = ['gateway/worker.ts', 'gateway/price.ts', 'prisma/schema.prisma'];
  const { chosen, unimported } = chooseSuites(imports, changed);
  expect(chosen).toContain('test/near.test.ts');
  expect(unimported).toEqual(['gateway/worker.ts', 'prisma/schema.prisma']);
});

test('the imports of this package are found, and the quick suites are in it', () => {
  const imports = importsOf(resolve(import.meta.dirname, '../..'));
  expect(imports.get('test/build/suites.test.ts')).toEqual(['build/suites.ts']);
  const { chosen } = chooseSuites(imports, []);
  expect(chosen).toHaveLength(5);
});

test('each suite is of one tier, by whether it starts processes', async () => {
  const packageDir = resolve(import.meta.dirname, '../..');
  const suites = ['test/readme.test.ts', 'test/console/console.test.ts', 'test/build/suites.test.ts'];
  const paths = suites.map((suite) => resolve(packageDir, suite));
  const require = createRequire(import.meta.url);
  const quick = await require('../tiers/quick.cjs')(paths);
  const system = await require('../tiers/system.cjs')(paths);
  expect([quick.filtered, system.filtered]).toEqual([paths.slice(2), paths.slice(0, 2)]);
});
