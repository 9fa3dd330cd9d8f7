import { afterAll, describe, expect, test } from '@jest/globals';
import { parseJwtSecret } from '../../../gateway/access/session/index.ts';
import { parseJsonPath, valueAt } from '../../../gateway/access/session/jwt/json-path.ts';
import { CLAIMS_NAMESPACE } from '../harness/issuer.ts';
import { keeper } from '../harness/keep.ts';
import { openTestAuthenticator, tokenSignedWith } from './callers.ts';

const { keep, close } = keeper();
afterAll(close);
const KEY = 'k'.repeat(32);
const CLAIMS = { 'x-hasura-allowed-roles': ['user'], 'x-hasura-default-role': 'user', 'x-hasura-user-id': '7' };

/** A judge with these `claims_*` settings, and a caller whose token has this payload and nothing under the namespace. */
async function callerWith(settings: Record<string, unknown>, payload: Record<string, unknown>) {
  const { session, refusal } = await keep(
    openTestAuthenticator({ secrets: [{ type: 'HS256', key: KEY, ...settings }] }),
  );
  const token = tokenSignedWith('HS256', KEY, { payload: { [CLAIMS_NAMESPACE]: undefined, ...payload } });
  const headers = { authorization: `Bearer ${token}` };
  return { session: () => session(headers), refusal: () => refusal(headers) };
}

describe('claims are found', () => {
  const text = JSON.stringify(CLAIMS);
  test.each([
    ['under Hasura’s name by default', {}, { [CLAIMS_NAMESPACE]: CLAIMS }],
    ['under another name', { claims_namespace: 'mine' }, { mine: CLAIMS }],
    ['at a path', { claims_namespace_path: '$.hasura.claims' }, { hasura: { claims: CLAIMS } }],
    [
      'at a path of names in quotes',
      { claims_namespace_path: `$['https://a.b/c']["d e"]` },
      { 'https://a.b/c': { 'd e': CLAIMS } },
    ],
    [
      'at a path with a dot before a bracket',
      { claims_namespace_path: `$.['https://a.b/c'].user` },
      { 'https://a.b/c': { user: CLAIMS } },
    ],
    ['at a path through a list', { claims_namespace_path: '$.all[1]' }, { all: [{}, CLAIMS] }],
    ['at the root', { claims_namespace_path: '$' }, CLAIMS],
    ['as a text of JSON', { claims_format: 'stringified_json' }, { [CLAIMS_NAMESPACE]: text }],
    ['as a text at a path', { claims_namespace_path: '$.a.b', claims_format: 'stringified_json' }, { a: { b: text } }],
  ])('%s', async (_, settings, payload) => {
    const { session } = await callerWith(settings, payload);
    expect(await session()).toMatchObject({ role: 'user', variables: { 'x-hasura-user-id': '7' } });
  });
});

describe('a token is refused when its claims', () => {
  const path = { claims_namespace_path: '$.a.b' };
  const asText = { claims_format: 'stringified_json' };
  test.each([
    ['are missing', {}, {}, `claims key: '${CLAIMS_NAMESPACE}' not found`],
    ['are missing at their path', path, { a: {} }, "claims not found at claims_namespace_path: '$.a.b'"],
    ['end before their path', path, { a: 'b' }, "claims not found at claims_namespace_path: '$.a.b'"],
    [
      'would be inherited',
      { claims_namespace_path: '$.constructor' },
      {},
      "claims not found at claims_namespace_path: '$.constructor'",
    ],
    ['are a text', path, { a: { b: '{}' } }, 'expecting a json object when claims_format is json'],
    ['are a list', path, { a: { b: [] } }, 'expecting a json object when claims_format is json'],
    ['are null', path, { a: { b: null } }, 'expecting a json object when claims_format is json'],
    [
      'are no text',
      { ...path, ...asText },
      { a: { b: CLAIMS } },
      'expecting a string when claims_format is stringified_json',
    ],
    [
      'are a text of no JSON',
      { ...path, ...asText },
      { a: { b: 'hidden' } },
      "expecting stringified json at: 'claims_namespace_path $.a.b'",
    ],
    [
      'are a text of no object',
      asText,
      { [CLAIMS_NAMESPACE]: '["hidden"]' },
      `expecting stringified json at: 'claims_namespace ${CLAIMS_NAMESPACE}'`,
    ],
  ])('%s', async (_, settings, payload, message) => {
    const { refusal } = await callerWith(settings, payload);
    expect(await refusal()).toEqual({ status: 401, code: 'jwt-invalid-claims', message });
  });
});

const ROLES = { 'x-hasura-allowed-roles': ['user', 'editor'], 'x-hasura-default-role': 'user' };

describe('with a claims_map', () => {
  test('variables come from all over the token, from defaults, or are fixed', async () => {
    const { session } = await callerWith(
      {
        claims_map: {
          'x-hasura-allowed-roles': { path: '$.hasura.all_roles' },
          'X-Hasura-Default-Role': { path: '$.hasura.all_roles[0]' },
          'x-hasura-user-id': { path: '$.sub' },
          'x-hasura-org': { path: '$.org', default: 'none' },
          'x-hasura-teams': { path: '$.teams' },
          'x-hasura-level': { path: '$.level' },
          'x-hasura-app': 'shop',
          'x-hasura-version': 2,
        },
      },
      { hasura: { all_roles: ['editor', 'user'] }, teams: ['a', 'b "c"'], level: 3 },
    );
    expect(await session()).toMatchObject({
      role: 'editor',
      variables: {
        'x-hasura-role': 'editor',
        'x-hasura-user-id': '7',
        'x-hasura-org': 'none',
        'x-hasura-teams': '{"a","b \\"c\\""}',
        'x-hasura-level': '3',
        'x-hasura-app': 'shop',
        'x-hasura-version': '2',
      },
    });
  });

  test('a namespace counts for nothing', async () => {
    const { session } = await callerWith(
      { claims_map: ROLES, claims_namespace: 'mine', claims_format: 'stringified_json' },
      { mine: { 'x-hasura-user-id': '1', 'x-hasura-default-role': 'admin' } },
    );
    expect((await session()).variables).toEqual({ 'x-hasura-role': 'user' });
  });

  test('roles may be the text of a list when claims_format is stringified_json', async () => {
    const claims_map = { ...ROLES, 'x-hasura-allowed-roles': { path: '$.custom' } };
    const payload = { custom: '["user","manager"]' };
    const { session } = await callerWith({ claims_map, claims_format: 'stringified_json' }, payload);
    expect(await session()).toMatchObject({ role: 'user' });
    const { refusal } = await callerWith({ claims_map }, payload);
    expect(await refusal()).toMatchObject({ code: 'jwt-invalid-claims' });
  });

  test('a default stands in for a value that is null', async () => {
    const { session } = await callerWith(
      { claims_map: { ...ROLES, 'x-hasura-org': { path: '$.org', default: 'none' } } },
      { org: null },
    );
    expect((await session()).variables).toMatchObject({ 'x-hasura-org': 'none' });
  });

  test.each([
    [
      'a variable',
      { 'x-hasura-org': { path: '$.org' } },
      'jwt-invalid-claims',
      'JWT claim from claims_map, x-hasura-org not found',
    ],
    [
      'the allowed roles',
      { 'x-hasura-allowed-roles': { path: '$.r' } },
      'jwt-missing-role-claims',
      'JWT claim does not contain x-hasura-allowed-roles',
    ],
    [
      'the default role',
      { 'x-hasura-default-role': { path: '$.r' } },
      'jwt-missing-role-claims',
      'JWT claim does not contain x-hasura-default-role',
    ],
  ])('a token without %s is refused', async (_, more, code, message) => {
    const { refusal } = await callerWith({ claims_map: { ...ROLES, ...more } }, {});
    expect(await refusal()).toEqual({ status: 401, code, message });
  });

  test.each([
    [
      'the allowed roles are a text',
      { 'x-hasura-allowed-roles': { path: '$.sub' } },
      'invalid x-hasura-allowed-roles; should be a list of roles',
    ],
    [
      'the default role is a list',
      { 'x-hasura-default-role': { path: '$.list' } },
      'invalid x-hasura-default-role; should be a single role name',
    ],
    [
      'a variable holds a line break',
      { 'x-hasura-a': { path: '$.broken' } },
      'x-hasura-* claims: control characters are not allowed',
    ],
  ])('a token is refused when %s', async (_, more, message) => {
    const { refusal } = await callerWith({ claims_map: { ...ROLES, ...more } }, { list: ['a'], broken: 'a\r\nb' });
    expect(await refusal()).toEqual({ status: 401, code: 'jwt-invalid-claims', message });
  });
});

describe('a secret is refused when', () => {
  test.each([
    [
      'it has a namespace and a path',
      { claims_namespace: 'a', claims_namespace_path: '$.a' },
      'claims_namespace and claims_namespace_path both cannot be set',
    ],
    [
      'its path is none',
      { claims_namespace_path: 'a.b' },
      'claims_namespace_path: expected a JSON path such as $.user.id',
    ],
    [
      'its map has no default role',
      { claims_map: { 'x-hasura-allowed-roles': ['a'] } },
      'claims_map: x-hasura-default-role is expected but not found',
    ],
    [
      'its map has a path that is none',
      { claims_map: { ...ROLES, 'x-hasura-a': { path: 'a' } } },
      'claims_map: x-hasura-a: expected a JSON path such as $.user.id',
    ],
    [
      'its map names no session variable',
      { claims_map: { ...ROLES, 'user-id': 'a' } },
      'claims_map: user-id: expected the name of a session variable, such as x-hasura-user-id',
    ],
    [
      'its map has one role for the allowed ones',
      { claims_map: { ...ROLES, 'x-hasura-allowed-roles': 'a' } },
      'claims_map: x-hasura-allowed-roles: expected a list of roles, or a path',
    ],
    [
      'its map has a list as the default role',
      { claims_map: { ...ROLES, 'x-hasura-default-role': ['a'] } },
      'claims_map: x-hasura-default-role: expected a role, or a path',
    ],
    [
      'its map has a default that is no role',
      { claims_map: { ...ROLES, 'x-hasura-default-role': { path: '$.a', default: 1 } } },
      'claims_map: x-hasura-default-role: expected a role as its default',
    ],
    [
      'its map has a fixed null',
      { claims_map: { ...ROLES, 'x-hasura-a': null } },
      'claims_map: x-hasura-a: expected a value, or a path',
    ],
  ])('%s', (_, settings, problem) => {
    expect(parseJwtSecret(JSON.stringify({ type: 'HS256', key: KEY, ...settings }))).toEqual({ problem });
  });

  test('its claims_format is unknown', () => {
    const parsed = parseJwtSecret(JSON.stringify({ type: 'HS256', key: KEY, claims_format: 'xml' }));
    expect(parsed).toEqual({ problem: expect.stringContaining('claims_format') });
  });
});

describe('a JSON path', () => {
  const value = { a: [{ 'b.c': 1 }, ['x', 'y']], '': 2, nothing: null };
  test.each([
    ['$', value],
    ["$.a[0]['b.c']", 1],
    ['$.a[0]["b.c"]', 1],
    ['$.a[1][1]', 'y'],
    ["$['']", 2],
    ['$.nothing', null],
    ['$.nothing.more', undefined],
    ['$.a[7]', undefined],
    ['$.a.length', undefined],
    ['$[0]', undefined],
    ['$.__proto__', undefined],
    ['$.toString', undefined],
  ])('%s is read', (text, expected) => {
    const path = parseJsonPath(text);
    expect(path && valueAt(value, path)).toEqual(expected);
    expect(path).toBeDefined();
  });

  test.each(['', 'a', '.a', '$a', '$.', '$.a.', '$..a', '$.a[', '$.a[]', '$.a[-1]', "$['a'", '$.a b', '$[*]'])(
    '"%s" is none',
    (text) => {
      expect(parseJsonPath(text)).toBeUndefined();
    },
  );
});
