import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { readConfig } from '../../../gateway/config.ts';
import { SettingsError } from '../../../platform/index.ts';

const KEY = 'k'.repeat(32);
const ONE = JSON.stringify({ type: 'HS256', key: KEY, issuer: 'https://one.test' });
const SEVERAL = JSON.stringify([
  { type: 'HS256', key: KEY, issuer: 'https://two.test' },
  { jwk_url: 'http://three.test' },
]);
const HOOK = 'http://hook.test/judge';

function problemsOf(environment: NodeJS.ProcessEnv): readonly string[] {
  try {
    readConfig(environment);
  } catch (error) {
    if (error instanceof SettingsError) return error.problems;
    throw error;
  }
  return [];
}

const authentication = (environment: NodeJS.ProcessEnv) => readConfig(environment).authentication;

describe('callers are authenticated', () => {
  test('by the tokens of one secret', () => {
    expect(authentication({ HASURA_GRAPHQL_JWT_SECRET: ONE })).toMatchObject({
      jwtSecrets: [{ issuer: 'https://one.test' }],
      hook: undefined,
      adminSecret: undefined,
    });
  });

  test('by the tokens of several secrets, which count before the one', () => {
    const { jwtSecrets } = authentication({ HASURA_GRAPHQL_JWT_SECRET: ONE, HASURA_GRAPHQL_JWT_SECRETS: SEVERAL });
    expect(jwtSecrets.map(({ issuer }) => issuer)).toEqual(['https://two.test', undefined]);
  });

  test('by a hook that is asked with a GET by default', () => {
    expect(authentication({ HASURA_GRAPHQL_AUTH_HOOK: HOOK })).toMatchObject({
      jwtSecrets: [],
      hook: { url: HOOK, method: 'GET', sendRequestBody: true },
    });
    expect(
      authentication({
        HASURA_GRAPHQL_AUTH_HOOK: HOOK,
        HASURA_GRAPHQL_AUTH_HOOK_MODE: 'POST',
        HASURA_GRAPHQL_AUTH_HOOK_SEND_REQUEST_BODY: 'false',
      }),
    ).toMatchObject({ hook: { method: 'POST', sendRequestBody: false } });
  });

  test('by the admin secret alone, the newer variable first', () => {
    expect(authentication({ HASURA_GRAPHQL_ACCESS_KEY: 'old' })).toMatchObject({ jwtSecrets: [], adminSecret: 'old' });
    expect(authentication({ HASURA_GRAPHQL_ACCESS_KEY: 'old', HASURA_GRAPHQL_ADMIN_SECRET: 'new' })).toMatchObject({
      adminSecret: 'new',
    });
  });

  test('by an admin secret beside tokens or a hook', () => {
    for (const variable of [{ HASURA_GRAPHQL_JWT_SECRET: ONE }, { HASURA_GRAPHQL_AUTH_HOOK: HOOK }])
      expect(authentication({ ...variable, HASURA_GRAPHQL_ADMIN_SECRET: 'a' })).toMatchObject({ adminSecret: 'a' });
  });
});

describe('settings from mounted files', () => {
  const directory = mkdtempSync(join(tmpdir(), 'portico-settings-'));
  afterAll(() => rmSync(directory, { recursive: true, force: true }));

  test('count like the variables themselves', () => {
    const file = join(directory, 'admin');
    writeFileSync(file, 'from-a-file\n');
    expect(authentication({ HASURA_GRAPHQL_ADMIN_SECRET_FILE: file })).toMatchObject({ adminSecret: 'from-a-file' });
    expect(problemsOf({ HASURA_GRAPHQL_AUTH_HOOK_FILE: file, HASURA_GRAPHQL_JWT_SECRET: ONE })).toEqual([
      expect.stringMatching(/^HASURA_GRAPHQL_AUTH_HOOK: callers are authenticated by tokens or by a hook, not both/),
      'HASURA_GRAPHQL_AUTH_HOOK: expected an http or https URL',
    ]);
  });
});

describe('the gateway does not start', () => {
  test('when nothing lets anybody in', () => {
    expect(problemsOf({})).toEqual([expect.stringMatching(/^HASURA_GRAPHQL_JWT_SECRET is not set: /)]);
    // An empty variable is one that is not set.
    expect(problemsOf({ HASURA_GRAPHQL_JWT_SECRET: '', HASURA_GRAPHQL_ADMIN_SECRET: '' })).toHaveLength(1);
  });

  test.each([{ HASURA_GRAPHQL_JWT_SECRET: ONE }, { HASURA_GRAPHQL_JWT_SECRETS: SEVERAL }])(
    'when tokens and a hook are both set',
    (secrets) => {
      expect(problemsOf({ ...secrets, HASURA_GRAPHQL_AUTH_HOOK: HOOK })).toEqual([
        expect.stringMatching(/^HASURA_GRAPHQL_AUTH_HOOK: callers are authenticated by tokens or by a hook, not both/),
      ]);
    },
  );

  test('when several things are wrong, and all of them are reported without their values', () => {
    const problems = problemsOf({
      HASURA_GRAPHQL_JWT_SECRET: JSON.stringify({ type: 'HS256', key: 'hidden' }),
      HASURA_GRAPHQL_JWT_SECRETS: JSON.stringify([{ key: 'hidden', audience: [] }]),
      HASURA_GRAPHQL_AUTH_HOOK: 'hidden',
      HASURA_GRAPHQL_AUTH_HOOK_MODE: 'PUT',
      HASURA_GRAPHQL_AUTH_HOOK_SEND_REQUEST_BODY: 'hidden',
    });
    expect(problems.map((problem) => problem.split(':')[0])).toEqual([
      'HASURA_GRAPHQL_AUTH_HOOK',
      'HASURA_GRAPHQL_JWT_SECRET',
      'HASURA_GRAPHQL_JWT_SECRETS',
      'HASURA_GRAPHQL_AUTH_HOOK',
      'HASURA_GRAPHQL_AUTH_HOOK_MODE',
      'HASURA_GRAPHQL_AUTH_HOOK_SEND_REQUEST_BODY',
    ]);
    expect(problems.join()).not.toContain('hidden');
  });
});

test('tokens are not accepted for longer than their revocations are published', () => {
  const secret = (allowed_skew: number) => JSON.stringify({ type: 'HS256', key: KEY, allowed_skew });
  const feed = { PORTICO_REVOCATION_URL: 'http://auth.test/revocations' };
  expect(problemsOf({ ...feed, HASURA_GRAPHQL_JWT_SECRET: secret(299) })).toEqual([]);
  expect(problemsOf({ HASURA_GRAPHQL_JWT_SECRET: secret(3_600) })).toEqual([]);
  expect(problemsOf({ ...feed, HASURA_GRAPHQL_JWT_SECRET: secret(300) })).toEqual([
    expect.stringMatching(/^HASURA_GRAPHQL_JWT_SECRET: allowed_skew: expected less than 300 seconds/),
  ]);
  expect(problemsOf({ ...feed, HASURA_GRAPHQL_JWT_SECRETS: `[${secret(0)},${secret(900)}]` })).toEqual([
    expect.stringMatching(/^HASURA_GRAPHQL_JWT_SECRETS: allowed_skew: /),
  ]);
});

describe('in production an admin secret', () => {
  const problems = (environment: NodeJS.ProcessEnv) => problemsOf({ NODE_ENV: 'production', ...environment });

  test.each(['HASURA_GRAPHQL_ADMIN_SECRET', 'HASURA_GRAPHQL_ACCESS_KEY'])('of %s has 32 characters', (name) => {
    expect(problems({ [name]: 'x'.repeat(32) })).toEqual([]);
    const found = problems({ [name]: 'y'.repeat(31) });
    expect(found).toEqual([
      expect.stringMatching(new RegExp(`^${name}: expected at least 32 characters in production`)),
    ]);
    expect(found.join()).not.toContain('yyy');
  });

  test('may be shorter where the operator says that this is unsafe', () => {
    const secret = { HASURA_GRAPHQL_ADMIN_SECRET: 'x' };
    expect(problems({ ...secret, PORTICO_UNSAFE_SHORT_ADMIN_SECRET: 'true' })).toEqual([]);
    expect(problems({ ...secret, PORTICO_UNSAFE_SHORT_ADMIN_SECRET: 'false' })).toHaveLength(1);
    expect(problemsOf(secret)).toEqual([]);
  });

  test('is not needed where there are other callers', () => {
    expect(problems({ HASURA_GRAPHQL_JWT_SECRET: ONE })).toEqual([]);
  });
});
