import { describe, expect, test } from '@jest/globals';
import { collection, problemsIn, remote, restEndpoint } from './load.ts';

const actions = (action: object, types: object = {}) => ({
  'actions.yaml': {
    actions: [{ name: 'ping', definition: { handler: 'http://127.0.0.1:1' }, ...action }],
    custom_types: types,
  },
  'actions.graphql': 'type Query { ping: String }',
});

describe('an unknown key is reported with its place and the likely key', () => {
  test.each<[kind: string, files: Record<string, unknown>, where: object, message: string]>([
    [
      'of a remote schema',
      { 'remote_schemas.yaml': '- name: shop\n  definition:\n    url: http://a\n    timeout_second: 3\n' },
      { file: 'remote_schemas.yaml', line: 4, path: '[0].definition.timeout_second' },
      'unknown key "timeout_second": did you mean "timeout_seconds"?',
    ],
    [
      'of a customization',
      {
        'remote_schemas.yaml': [
          remote('shop', { customization: { field_names: [{ parent_type: 'Order', prefx: 'shop_' }] } }),
        ],
      },
      { file: 'remote_schemas.yaml', line: 7, path: '[0].definition.customization.field_names[0].prefx' },
      'unknown key "prefx": did you mean "prefix"?',
    ],
    [
      'of a permission',
      {
        'remote_schemas.yaml': [
          { ...remote('shop'), permissions: [{ rol: 'user', role: 'user', definition: { schema: 'x' } }] },
        ],
      },
      { file: 'remote_schemas.yaml', line: 5, path: '[0].permissions[0].rol' },
      'unknown key "rol": did you mean "role"?',
    ],
    [
      'of an action',
      actions({ permisions: [{ role: 'user' }] }),
      { file: 'actions.yaml', line: 5, path: 'actions[0].permisions' },
      'unknown key "permisions": did you mean "permissions"?',
    ],
    [
      'of the actions as a whole',
      { 'actions.yaml': 'actions: []\ncustom_type: {}' },
      { file: 'actions.yaml', line: 2, path: 'custom_type' },
      'unknown key "custom_type": did you mean "custom_types"?',
    ],
    [
      'of a custom type',
      actions({}, { objects: [{ name: 'Pong', nam: 'Pong' }] }),
      { file: 'actions.yaml', path: 'custom_types.objects[0].nam' },
      'unknown key "nam": did you mean "name"?',
    ],
    [
      'of a query collection',
      { 'query_collections.yaml': [{ name: 'saved', definition: { querries: [], queries: [] } }] },
      { file: 'query_collections.yaml', line: 3, path: '[0].definition.querries' },
      'unknown key "querries": did you mean "queries"?',
    ],
    [
      'of a REST endpoint',
      {
        'query_collections.yaml': [collection('saved', { ping: '{ ping }' })],
        'rest_endpoints.yaml': [{ ...restEndpoint('ping', 'ping'), method: 'GET' }],
      },
      { file: 'rest_endpoints.yaml', path: '[0].method' },
      'unknown key "method": did you mean "methods"?',
    ],
    [
      'of the allow list',
      {
        'allow_list.yaml': [{ colection: 'saved', collection: 'saved' }],
        'query_collections.yaml': [collection('saved', {})],
      },
      { file: 'allow_list.yaml', line: 1, path: '[0].colection' },
      'unknown key "colection": did you mean "collection"?',
    ],
    [
      'of the API limits',
      { 'api_limits.yaml': 'depth_limits:\n  global: 3\n' },
      { file: 'api_limits.yaml', line: 1, path: 'depth_limits' },
      'unknown key "depth_limits": did you mean "depth_limit"?',
    ],
    [
      'of the introspection settings',
      { 'graphql_schema_introspection.yaml': 'disabled_for_role: [user]' },
      { file: 'graphql_schema_introspection.yaml', line: 1, path: 'disabled_for_role' },
      'unknown key "disabled_for_role": did you mean "disabled_for_roles"?',
    ],
    [
      'of a service',
      { 'services.yaml': [{ name: 'files', path: '/files', url: 'http://a', heders: [] }] },
      { file: 'services.yaml', line: 4, path: '[0].heders' },
      'unknown key "heders": did you mean "headers"?',
    ],
  ])('%s', (_, files, where, message) => {
    expect(problemsIn(files)).toEqual([expect.objectContaining({ ...where, message })]);
  });

  test('and several of one mapping each in its own place', () => {
    const problems = problemsIn({
      'remote_schemas.yaml': '- name: a\n  nam: b\n  definition: { url: http://a }\n  comments: c\n',
    });
    expect(problems).toEqual([
      { file: 'remote_schemas.yaml', line: 2, path: '[0].nam', message: 'unknown key "nam": did you mean "name"?' },
      {
        file: 'remote_schemas.yaml',
        line: 4,
        path: '[0].comments',
        message: 'unknown key "comments": did you mean "comment"?',
      },
    ]);
  });

  test('and no guess is made where nothing is like it', () => {
    const [problem] = problemsIn({ 'graphql_schema_introspection.yaml': 'banana: 1' });
    expect(problem?.message).toBe('unknown key "banana": expected one of disabled_for_roles');
  });

  test('even when it is one that every object has', () => {
    const problems = problemsIn({ 'graphql_schema_introspection.yaml': '__proto__: { a: 1 }\nconstructor: 1' });
    expect(problems.map(({ path }) => path)).toEqual(['__proto__', 'constructor']);
  });
});
