import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';

const PRODUCT = ['auth-service', 'examples', 'gateway', 'platform', 'start'];

interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

function manifest(file: string): Manifest {
  return JSON.parse(readFileSync(file, 'utf8'));
}

/** The packages that the TypeScript files of `folders` import. */
function importedBy(folders: readonly string[]): Set<string> {
  const files = folders.flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts') && !file.includes('node_modules'))
      .map((file) => join(folder, file)),
  );
  const specifiers = files.flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(/\b(?:from |import |import\(|resolve\()'(@?[a-z][^'\s]*)'/g)].map(
      ([, name = '']) => name,
    ),
  );
  const packages = specifiers
    .filter((name) => !name.startsWith('node:'))
    .map((name) => name.split('/', name.startsWith('@') ? 2 : 1).join('/'));
  return new Set(packages);
}

test('the benchmark declares every package that it imports, and no other', () => {
  const { peerDependencies = {}, dependencies } = manifest('bench/package.json');
  expect([...importedBy(['bench'])].sort()).toEqual(Object.keys(peerDependencies).sort());
  expect(dependencies).toBeUndefined();
});

test('Portico provides what the benchmark shares with it, and depends on nothing for its sake', () => {
  const { dependencies = {} } = manifest('package.json');
  const { peerDependencies = {} } = manifest('bench/package.json');
  expect(Object.keys(dependencies)).toEqual(expect.arrayContaining(Object.keys(peerDependencies)));
  const product = importedBy(PRODUCT);
  expect(Object.keys(peerDependencies).filter((name) => !product.has(name))).toEqual([]);
});

test('the gateways that Portico is compared with have exact versions and lock files of their own', () => {
  for (const peer of ['apollo', 'grafbase', 'graphile-worker', 'hive', 'instrumentation', 'mercurius', 'pg-boss']) {
    const { dependencies = {} } = manifest(`bench/peers/${peer}/package.json`);
    const lock = JSON.parse(readFileSync(`bench/peers/${peer}/package-lock.json`, 'utf8'));
    for (const [name, version] of Object.entries(dependencies)) {
      expect(version).toMatch(/^\d+\.\d+\.\d+$/);
      expect(lock.packages[`node_modules/${name}`].version).toBe(version);
    }
  }
});
