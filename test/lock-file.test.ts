import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';

interface Package {
  readonly version?: string;
}

const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
  readonly packages: Readonly<Record<string, Package>>;
};

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

describe('the lock file', () => {
  test.each(Object.entries(FIXED_IN))('has no vulnerable version of %s (before %s)', (name, fixed) => {
    const installed = Object.entries(packages)
      .filter(([path]) => path.endsWith(`node_modules/${name}`))
      .map(([, { version = '0' }]) => version);
    expect(installed.filter((version) => isBefore(version, fixed))).toEqual([]);
  });

  test.each(['darwin-arm64', 'darwin-x64', 'linux-arm64', 'win32-x64'])('installs on %s too', (platform) => {
    const names = Object.keys(packages).filter((path) => path.includes(platform));
    for (const maker of ['@biomejs/', '@node-rs/', '@swc/', '@typescript/'])
      expect(names.filter((path) => path.includes(maker))).not.toEqual([]);
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
