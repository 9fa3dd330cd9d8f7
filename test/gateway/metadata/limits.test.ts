import { afterAll, describe, expect, test } from '@jest/globals';
import { apiLimit, loadMetadata, MetadataError } from '../../../gateway/metadata/index.ts';
import { type MetadataFiles, writeMetadata } from '../harness/gateway.ts';
import { keeper } from '../harness/keep.ts';

const { keep, close } = keeper();
afterAll(close);

const load = async (files: MetadataFiles) => loadMetadata((await keep(writeMetadata(files))).directory);

/** Each problem as one line: file, path, message. */
async function problems(files: MetadataFiles): Promise<readonly string[]> {
  const error = await load(files).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof MetadataError)) throw new Error('the metadata was accepted');
  return error.problems.map(({ file, path = '', message }) => `${file} ${path}: ${message}`);
}

const COLLECTION = [{ name: 'saved', definition: { queries: [{ name: 'hello', query: '{ hello }' }] } }];

describe('api_limits.yaml', () => {
  test('as Hasura exports it is understood', async () => {
    const { apiLimits } = await load({
      'api_limits.yaml': {
        disabled: false,
        depth_limit: { global: 10, per_role: { customer: 5 } },
        node_limit: { global: 20, per_role: {} },
        time_limit: { global: 2.5 },
        batch_limit: { global: 4, per_role: { customer: 2 } },
        rate_limit: {
          global: { max_reqs_per_min: 100, unique_params: null },
          per_role: {
            customer: { max_reqs_per_min: 60, unique_params: 'IP' },
            clerk: { max_reqs_per_min: 5, unique_params: ['X-Hasura-User-Id', 'x-hasura-team-id', 'ip'] },
          },
        },
      },
    });
    expect(apiLimit(apiLimits, 'depth_limit', 'customer')).toBe(5);
    expect(apiLimit(apiLimits, 'depth_limit', 'clerk')).toBe(10);
    expect(apiLimit(apiLimits, 'node_limit', 'customer')).toBe(20);
    expect(apiLimit(apiLimits, 'time_limit', 'customer')).toBe(2.5);
    expect(apiLimit(apiLimits, 'batch_limit', 'customer')).toBe(2);
    expect(apiLimit(apiLimits, 'rate_limit', 'anybody')).toEqual({ max_reqs_per_min: 100, unique_params: [] });
    expect(apiLimit(apiLimits, 'rate_limit', 'customer')?.unique_params).toEqual(['IP']);
    expect(apiLimit(apiLimits, 'rate_limit', 'clerk')?.unique_params).toEqual([
      'x-hasura-user-id',
      'x-hasura-team-id',
      'IP',
    ]);
  });

  test('sets no limit where it is absent, empty, or disabled', async () => {
    const limits = { depth_limit: { global: 3 } };
    const files = [{}, { 'api_limits.yaml': {} }, { 'api_limits.yaml': { disabled: true, ...limits } }];
    for (const one of files) expect(apiLimit((await load(one)).apiLimits, 'depth_limit', 'user')).toBeUndefined();
  });

  test('a limit for one role binds no other', async () => {
    const { apiLimits } = await load({ 'api_limits.yaml': { depth_limit: { per_role: { user: 3 } } } });
    expect(apiLimit(apiLimits, 'depth_limit', 'user')).toBe(3);
    for (const role of ['manager', 'constructor', '__proto__'])
      expect(apiLimit(apiLimits, 'depth_limit', role)).toBeUndefined();
  });

  test.each([
    ['a limit of nothing', { depth_limit: { global: 0 } }, /api_limits.yaml depth_limit.global: .*>=1/],
    ['a text', { node_limit: { global: 'many' } }, /api_limits.yaml node_limit.global: /],
    ['a part of a level', { depth_limit: { global: 2.5 } }, /api_limits.yaml depth_limit.global: /],
    ['a misspelt kind', { depth_limits: { global: 2 } }, /unknown key "depth_limits": did you mean "depth_limit"\?/],
    ['an unknown parameter', rate('country'), /rate_limit.global.unique_params: expected IP, or a list/],
    ['a header as parameter', rate(['authorization']), /rate_limit.global.unique_params.*: expected IP, or a list/],
    ['the role as parameter', rate(['x-hasura-role']), /rate_limit.global.unique_params.*: expected IP, or a list/],
    ['no number of requests', { rate_limit: { global: {} } }, /api_limits.yaml rate_limit.global.max_reqs_per_min: /],
  ])('%s is reported with file and line', async (_, content, expected) => {
    const found = await problems({ 'api_limits.yaml': content });
    expect(found).toHaveLength(1);
    expect(found[0]).toMatch(expected);
  });

  function rate(unique_params: unknown) {
    return { rate_limit: { global: { max_reqs_per_min: 1, unique_params } } };
  }
});

describe('allow_list.yaml', () => {
  test('an entry without a scope is for every role, as in older exports', async () => {
    const { allowList } = await load({
      'query_collections.yaml': COLLECTION,
      'allow_list.yaml': [{ collection: 'saved' }],
    });
    expect(allowList).toEqual([{ collection: 'saved', scope: { global: true } }]);
  });

  test('is read from a metadata export too', async () => {
    const { directory } = await keep(
      writeMetadata({
        'metadata.json': {
          resource_version: 3,
          metadata: {
            version: 3,
            query_collections: COLLECTION,
            allowlist: [{ collection: 'saved', scope: { global: false, roles: ['user'] } }],
            api_limits: { depth_limit: { global: 7 } },
            graphql_schema_introspection: { disabled_for_roles: ['user'] },
          },
        },
      }),
    );
    const metadata = loadMetadata(`${directory}/metadata.json`);
    expect(metadata.allowList).toEqual([{ collection: 'saved', scope: { global: false, roles: ['user'] } }]);
    expect(apiLimit(metadata.apiLimits, 'depth_limit', 'user')).toBe(7);
    expect([...metadata.introspectionDisabledFor]).toEqual(['user']);
  });

  test.each([
    ['a collection that is not there', [{ collection: 'gone' }], '[0].collection: there is no collection "gone"'],
    [
      'a collection twice',
      [{ collection: 'saved' }, { collection: 'saved' }],
      '[1].collection: the collection "saved" is already in the allow list',
    ],
    [
      'a scope for nobody',
      [{ collection: 'saved', scope: { global: false } }],
      '[0].scope.roles: expected the roles that may send these operations, or "global: true"',
    ],
    [
      'roles in a global scope',
      [{ collection: 'saved', scope: { global: true, roles: ['user'] } }],
      '[0].scope.roles: roles are for a scope that is not global',
    ],
  ])('%s is reported with file and line', async (_, content, expected) => {
    const files = { 'query_collections.yaml': COLLECTION, 'allow_list.yaml': content };
    expect(await problems(files)).toEqual([`allow_list.yaml ${expected}`]);
  });

  test('an allowed operation that cannot be parsed is reported with its place', async () => {
    const queries = [{ name: 'broken', query: '{ hello' }];
    const found = await problems({
      'query_collections.yaml': [{ name: 'saved', definition: { queries } }],
      'allow_list.yaml': [{ collection: 'saved' }],
    });
    expect(found).toEqual([
      'query_collections.yaml [0].definition.queries[0].query: is not valid GraphQL: Syntax Error: Expected Name, found <EOF>.',
    ]);
  });
});

test('graphql_schema_introspection.yaml names roles, and none where it is absent', async () => {
  const disabled = await load({ 'graphql_schema_introspection.yaml': { disabled_for_roles: ['user', 'anonymous'] } });
  expect([...disabled.introspectionDisabledFor]).toEqual(['user', 'anonymous']);
  expect((await load({})).introspectionDisabledFor.size).toBe(0);
  expect(await problems({ 'graphql_schema_introspection.yaml': { disabled_for_roles: 'user' } })).toHaveLength(1);
});
