import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';

interface Package {
  readonly version?: string;
  readonly integrity?: string;
  readonly resolved?: string;
  readonly link?: boolean;
  readonly dependencies?: Readonly<Record<string, string>>;
}

type Overrides = { readonly [name: string]: string | Overrides };

const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
  readonly packages: Readonly<Record<string, Package>>;
};

const { overrides } = JSON.parse(readFileSync('package.json', 'utf8')) as { readonly overrides: Overrides };

/** Names of packages whose version is overridden below a package that is overridden itself, with that package's name. */
function overriddenBelowOverridden(within: Overrides, owner = ''): readonly (readonly [name: string, owner: string])[] {
  return Object.entries(within).flatMap(([name, value]) => {
    if (typeof value !== 'string') return overriddenBelowOverridden(value, name);
    return name !== '.' && '.' in within ? [[name, owner] as const] : [];
  });
}

/** The first version without known vulnerabilities of packages that others ask for in older versions. */
const FIXED_IN: Readonly<Record<string, string>> = {
  '@hono/node-server': '2.0.5',
  'deepmerge-ts': '8.0.0',
  effect: '3.20.0',
  hono: '4.12.23',
  lodash: '4.18.0',
  mysql2: '3.23.1',
  uuid: '11.1.1',
  valibot: '1.2.0',
};

/**
 * Packages whose hash the registry did not give when the lock file was made. Nothing else may be without one, and these only until
 * the registry has them.
 */
const WITHOUT_HASH = [
  'android-arm-eabi',
  'android-arm64',
  'darwin-arm64',
  'darwin-x64',
  'freebsd-x64',
  'linux-arm-gnueabihf',
  'linux-arm64-gnu',
  'linux-arm64-musl',
  'linux-x64-musl',
  'win32-arm64-msvc',
  'win32-ia32-msvc',
  'win32-x64-msvc',
].map((platform) => `node_modules/@node-rs/bcrypt-${platform}`);

const installed = Object.entries(packages).filter(([path, { link }]) => path !== '' && !link);

describe('the lock file', () => {
  test('has the hash of every package that is installed from a registry, for all platforms', () => {
    const isHash = (integrity = '') => /^sha512-[A-Za-z0-9+/]{86}==$/.test(integrity);
    const without = installed.filter(([, { integrity }]) => !isHash(integrity)).map(([path]) => path);
    expect(installed.length).toBeGreaterThan(100);
    expect(without).toEqual(WITHOUT_HASH);
  });

  test('names no registry: a package comes from the one that npm is configured for', () => {
    expect(installed.filter(([, { resolved }]) => resolved !== undefined)).toEqual([]);
    expect(readFileSync('.npmrc', 'utf8')).toMatch(/^omit-lockfile-registry-resolved=true$/m);
  });

  test.each(Object.entries(FIXED_IN))('has no vulnerable version of %s (before %s)', (name, fixed) => {
    const versions = Object.entries(packages)
      .filter(([path]) => path.endsWith(`node_modules/${name}`))
      .map(([, { version = '0' }]) => version);
    expect(versions.filter((version) => isBefore(version, fixed))).toEqual([]);
  });

  test.each(['darwin-arm64', 'darwin-x64', 'linux-arm64', 'win32-x64'])('installs on %s too', (platform) => {
    const names = Object.keys(packages).filter((path) => path.includes(platform));
    for (const maker of ['@biomejs/', '@node-rs/', '@swc/', '@typescript/'])
      expect(names.filter((path) => path.includes(maker))).not.toEqual([]);
  });

  // npm 10, which comes with Node 20 and 22, would not find the version that the others share, and `npm ci` would refuse the file.
  test('has no package that is overridden deep within others, and shared with packages elsewhere', () => {
    const deep = overriddenBelowOverridden(overrides);
    expect(deep).not.toEqual([]);
    const shared = deep.filter(([name, owner]) =>
      Object.entries(packages).some(
        ([path, { dependencies }]) => !path.endsWith(`node_modules/${owner}`) && dependencies?.[name] !== undefined,
      ),
    );
    expect(shared).toEqual([]);
  });
});

function isBefore(version: string, other: string): boolean {
  const [left, right] = [version, other].map((text) => text.split(/[.-]/).map(Number));
  for (const [at, number] of (right ?? []).entries()) {
    const difference = (left?.[at] ?? 0) - number;
    if (difference !== 0) return difference < 0;
  }
  return false;
}
