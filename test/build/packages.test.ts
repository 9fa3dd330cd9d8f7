import { execFileSync } from 'node:child_process';
import { appendFileSync, cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from '@jest/globals';
import { BUNDLED_PACKAGES, bundledImport, bundlePackages } from '../../build/packages.mjs';

const require = createRequire(import.meta.url);
const PRODUCT = ['auth-service', 'examples', 'gateway', 'platform', 'start'];

/** The path of a bundle. */
function bundleOf(name: string): string {
  return (bundledImport(name) ?? '').replace('#packages/', 'dist/packages/');
}

/** The name of a package, without the part of it that an `import` names. */
function packageName(imported: string): string {
  return /^(?:@[^/]+\/)?[^/]+/.exec(imported)?.[0] ?? imported;
}

/** What the compiled code of the product imports and that is neither its own nor node's. */
function importedPackages(): ReadonlySet<string> {
  const files = PRODUCT.flatMap((folder) =>
    readdirSync(`dist/${folder}`, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.js') && !file.includes('assets/'))
      .map((file) => readFileSync(join('dist', folder, file), 'utf8')),
  );
  const names = files.flatMap((text) =>
    [
      ...text.matchAll(/^(?:import|export)\b[^\n]*\bfrom ["']([^."'][^"']*)["'];$/gm),
      ...text.matchAll(/^import ["']([^."'][^"']*)["'];$/gm),
      ...text.matchAll(/\bawait import\(["']([^."'][^"']*)["']\)/g),
    ].map(([, name = '']) => name),
  );
  return new Set(names.filter((name) => !/^(?:node:|#packages\/)/.test(name)));
}

/** The packages that a package brings along, itself included. Peers that are optional have to be brought by others. */
function withDependencies(name: string, from: NodeJS.Require = require, seen = new Set<string>()): Set<string> {
  const folder = from.resolve.paths(name)?.map((path) => join(path, name)) ?? [];
  const manifest = folder.map((path) => join(path, 'package.json')).find((path) => existsSync(path));
  if (seen.has(name) || manifest === undefined) return seen;
  seen.add(name);
  const {
    dependencies = {},
    peerDependencies = {},
    peerDependenciesMeta = {},
  } = JSON.parse(readFileSync(manifest, 'utf8'));
  const peers = Object.keys(peerDependencies).filter((peer) => !peerDependenciesMeta[peer]?.optional);
  for (const other of [...Object.keys(dependencies), ...peers]) withDependencies(other, createRequire(manifest), seen);
  return seen;
}

test.each(BUNDLED_PACKAGES)('the bundle of %s exports what the package exports', async (name) => {
  const bundled = await import(pathToFileURL(bundleOf(name)).href);
  const original = await import(name);
  const kinds = (exported: object) =>
    Object.fromEntries(Object.entries(exported).map(([key, value]) => [key, typeof value]));
  const { 'module.exports': _, ...expected } = kinds(original);
  expect(kinds(bundled)).toMatchObject(expected);
});

test('no bundle has Node load its own undici', () => {
  const bundles = BUNDLED_PACKAGES.map((name) => pathToFileURL(bundleOf(name)).href);
  const script = `
    for (const bundle of ${JSON.stringify(bundles)}) {
      await import(bundle);
      if (process.moduleLoadList.includes('NativeModule internal/deps/undici/undici')) throw new Error(bundle);
    }`;
  execFileSync(process.execPath, ['--input-type=module', '--eval', script], { stdio: 'pipe' });
});

test('each bundled package is one that the product imports, and no compiled file imports it past its bundle', () => {
  const sources = PRODUCT.flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts'))
      .map((file) => readFileSync(join(folder, file), 'utf8')),
  ).join('\n');
  const unused = BUNDLED_PACKAGES.filter((name) => !sources.includes(`'${name}'`));
  // Of the fault tests, whose services run on the same GraphQL as the product.
  expect(unused).toEqual(['graphql-ws/use/ws']);
  expect([...importedPackages()].filter((name) => BUNDLED_PACKAGES.includes(name))).toEqual([]);
});

test('no package that is loaded from node_modules brings a second copy of a bundled one along', () => {
  const loaded = [...importedPackages()];
  expect(loaded).toContain('piscina');
  const bundled = new Set(BUNDLED_PACKAGES.map(packageName));
  for (const name of loaded)
    expect([...withDependencies(packageName(name))].filter((other) => bundled.has(other))).toEqual([]);
});

test('what is loaded on demand has a bundle of its own, which nothing else imports', () => {
  const folder = 'dist/packages';
  const importers = (bundle: string) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.js'))
      .filter((file) => readFileSync(join(folder, file), 'utf8').includes(`/${bundle}"`));
  for (const name of ['@graphql-inspector/core', 'prom-client'])
    expect([name, importers(bundleOf(name).slice('dist/packages/'.length))]).toEqual([name, []]);
});

test.each(['node_modules/.package-lock.json', 'package-lock.json', 'dist/packages/express.js'])(
  'packages are bundled again when others are installed or a bundle is missing, and else not: %s',
  async (changed) => {
    const packageDir = mkdtempSync(join(tmpdir(), 'portico-packages-'));
    try {
      for (const name of [
        'package-lock.json',
        'node_modules/.package-lock.json',
        'dist/.packages.json',
        'dist/packages',
      ])
        cpSync(name, join(packageDir, name), { recursive: true });
      const begin = () => {
        throw new Error('bundling');
      };
      expect(await bundlePackages(packageDir, begin)).toBe(false);
      if (changed.endsWith('.json')) appendFileSync(join(packageDir, changed), ' ');
      else rmSync(join(packageDir, changed));
      await expect(bundlePackages(packageDir, begin)).rejects.toThrow('bundling');
    } finally {
      rmSync(packageDir, { recursive: true });
    }
  },
);

test('modules of packages share one set of bindings to graphql', () => {
  const { files }: { files: string[] } = JSON.parse(readFileSync('dist/.packages.json', 'utf8'));
  const bindings = files.flatMap((file) => [
    ...readFileSync(join('dist/packages', file), 'utf8').matchAll(/\bimport_graphql\d*=__toESM\(/g),
  ]);
  expect(bindings).toHaveLength(1);
});
