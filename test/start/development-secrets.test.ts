import { existsSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from '@jest/globals';
import { readStartSettings } from '../../start/config.ts';
import { developmentSecretsFor } from '../../start/development-secrets.ts';
import { makeDataDir } from '../e2e/portico.ts';

const dataDir = makeDataDir();
const file = join(dataDir, 'secrets.json');
afterEach(() => rmSync(file, { force: true }));

function secrets(environment: NodeJS.ProcessEnv = {}): Record<string, string> {
  return developmentSecretsFor(readStartSettings({ PORTICO_DATA_DIR: dataDir, ...environment }));
}

test('they are made once and kept, readable by nobody else', () => {
  const made = secrets();
  expect(Object.keys(made).sort()).toEqual(['AUTH_KEY_ENCRYPTION_KEY', 'AUTH_PASSWORD_PEPPER']);
  expect(secrets()).toEqual(made);
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

test('they are random', () => {
  const first = secrets();
  rmSync(file);
  const second = secrets();
  for (const name of Object.keys(first)) expect(second[name]).not.toBe(first[name]);
});

test('what the environment sets, directly or by a file, is left to it', () => {
  expect(Object.keys(secrets({ AUTH_PASSWORD_PEPPER: 'mine' }))).toEqual(['AUTH_KEY_ENCRYPTION_KEY']);
  expect(Object.keys(secrets({ AUTH_KEY_ENCRYPTION_KEY_FILE: '/run/key' }))).toEqual(['AUTH_PASSWORD_PEPPER']);
  expect(Object.keys(secrets({ AUTH_PASSWORD_PEPPERS: '{"2":"mine"}' }))).toEqual(['AUTH_KEY_ENCRYPTION_KEY']);
});

test('in production none are made', () => {
  expect(secrets({ NODE_ENV: 'production' })).toEqual({});
  expect(existsSync(file)).toBe(false);
});
