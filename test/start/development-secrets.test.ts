import { existsSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from '@jest/globals';
import { readStartSettings } from '../../start/config.ts';
import { developmentSecretsFor, revocationSecretsFor } from '../../start/development-secrets.ts';
import { makeDataDir } from '../e2e/portico.ts';

const dataDir = makeDataDir();
const file = join(dataDir, 'secrets.json');
const revocationFile = join(dataDir, 'revocation-secret.json');
afterEach(() => {
  for (const path of [file, revocationFile]) rmSync(path, { force: true });
});

function secrets(environment: NodeJS.ProcessEnv = {}): Record<string, string> {
  return developmentSecretsFor(readStartSettings({ PORTICO_DATA_DIR: dataDir, ...environment }));
}

test('they are generated once and kept, readable by their owner only', () => {
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

test('a file that is empty sets nothing, and the generated secret takes its place', () => {
  const empty = join(dataDir, 'empty');
  writeFileSync(empty, '\n');
  const given = { AUTH_KEY_ENCRYPTION_KEY_FILE: empty, PORTICO_REVOCATION_SECRET_FILE: empty };
  const settings = readStartSettings({ PORTICO_DATA_DIR: dataDir, ...given });
  expect(Object.keys(developmentSecretsFor(settings))).toContain('AUTH_KEY_ENCRYPTION_KEY');
  expect(revocationSecretsFor(settings).gateway).toHaveProperty('PORTICO_REVOCATION_SECRET');
  // The services would refuse a setting that is given both ways.
  expect(Object.keys(settings.environment).filter((name) => name in given)).toEqual([]);
});

test('in production none are made', () => {
  expect(secrets({ NODE_ENV: 'production' })).toEqual({});
  expect(existsSync(file)).toBe(false);
});

describe('the secret that the gateway shows to the auth service', () => {
  const revocationSecrets = (environment: NodeJS.ProcessEnv = {}) =>
    revocationSecretsFor(readStartSettings({ PORTICO_DATA_DIR: dataDir, ...environment }));

  test('is made once, kept, and given to both', () => {
    const { authService, gateway } = revocationSecrets();
    expect(authService.AUTH_REVOCATION_SECRET).toHaveLength(44);
    expect(gateway).toEqual({ PORTICO_REVOCATION_SECRET: authService.AUTH_REVOCATION_SECRET });
    expect(revocationSecrets()).toEqual({ authService, gateway });
    expect(statSync(revocationFile).mode & 0o777).toBe(0o600);
  });

  test.each<[string, NodeJS.ProcessEnv, object]>([
    [
      'the auth service',
      { AUTH_REVOCATION_SECRET: 's' },
      { authService: {}, gateway: { PORTICO_REVOCATION_SECRET: 's' } },
    ],
    ['the gateway', { PORTICO_REVOCATION_SECRET: 's' }, { authService: { AUTH_REVOCATION_SECRET: 's' }, gateway: {} }],
    [
      'the auth service, in a file',
      { AUTH_REVOCATION_SECRET_FILE: '/f' },
      { authService: {}, gateway: { PORTICO_REVOCATION_SECRET_FILE: '/f' } },
    ],
    ['both', { AUTH_REVOCATION_SECRET: 'a', PORTICO_REVOCATION_SECRET: 'b' }, { authService: {}, gateway: {} }],
  ])('is the one that the environment has for %s', (_whom, environment, expected) => {
    expect(revocationSecrets(environment)).toEqual(expected);
    expect(revocationSecrets({ ...environment, NODE_ENV: 'production' })).toEqual(expected);
    expect(existsSync(revocationFile)).toBe(false);
  });

  test('is not made in production', () => {
    expect(revocationSecrets({ NODE_ENV: 'production' })).toEqual({ authService: {}, gateway: {} });
    expect(existsSync(revocationFile)).toBe(false);
  });
});
