import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { describeProblem, loadMetadata, MetadataError } from '../../../gateway/metadata/index.ts';
import { metadataDirectory } from '../harness/metadata-directory.ts';
import { collection, load, problemsIn, problemsOf, remote, restEndpoint } from './load.ts';

describe('a mistake', () => {
  test('does not hide the others: all problems are reported together', () => {
    const problems = problemsIn({
      'version.yaml': 'version: 1',
      'remote_schemas.yaml': [
        { name: 'a', definition: {} },
        { name: 'b', definition: { url: 'http://b', schema_file: 'b.graphql' } },
      ],
      'actions.yaml': { actions: [{ name: 'two words', definition: { handler: 'http://a' } }] },
      'query_collections.yaml': [collection('saved', { ping: '{ ping }' })],
      'rest_endpoints.yaml': [restEndpoint('pong', 'pong')],
      'allow_list.yaml': [{ collection: 'stored' }],
      'api_limits.yaml': { depth_limit: { global: 0 } },
      'services.yaml': [{ name: 'files', path: '/v1/files', url: 'http://a' }],
    });
    expect(problems.map(({ file }) => file).sort()).toEqual([
      'actions.yaml',
      'allow_list.yaml',
      'api_limits.yaml',
      'remote_schemas.yaml',
      'rest_endpoints.yaml',
      'services.yaml',
      'version.yaml',
    ]);
  });

  test('reads as one line with its file, line and path', () => {
    const problems = problemsIn({ 'remote_schemas.yaml': '- name: shop\n  definition:\n    url: 7\n' });
    expect(problems.map(describeProblem)).toEqual([
      'remote_schemas.yaml:3 [0].definition.url: expected string, received number',
    ]);
  });

  test('that is something missing is placed where it is missing from', () => {
    expect(problemsIn({ 'remote_schemas.yaml': '- name: shop\n  comment: x\n' })).toEqual([
      { file: 'remote_schemas.yaml', line: 1, path: '[0].definition', message: 'is missing: expected object' },
    ]);
  });

  test('of the collections is not reported again where they are referred to', () => {
    const problems = problemsIn({
      'query_collections.yaml': [{ name: 'saved', definition: { queries: [{ name: 'ping' }] } }],
      'rest_endpoints.yaml': [restEndpoint('ping', 'ping')],
      'allow_list.yaml': [{ collection: 'saved' }],
    });
    expect(problems.map(({ path }) => path)).toEqual(['[0].definition.queries[0].query']);
  });

  test('that keeps the collections from being read is not reported again where they are referred to', () => {
    const problems = problemsIn({
      'query_collections.yaml': '- name: "saved\n',
      'rest_endpoints.yaml': [restEndpoint('ping', 'ping')],
      'allow_list.yaml': [{ collection: 'saved' }],
    });
    expect(new Set(problems.map(({ file }) => file))).toEqual(new Set(['query_collections.yaml']));
  });

  test.each<[what: string, files: Record<string, unknown>, message: string]>([
    [
      'two remote schemas of one name',
      { 'remote_schemas.yaml': [remote('shop'), remote('shop')] },
      '"shop" already exists: names are unique',
    ],
    [
      'two operations of one name in a collection, of which an endpoint runs one',
      {
        'rest_endpoints.yaml': [restEndpoint('a', 'a')],
        'query_collections.yaml': [
          {
            name: 'saved',
            definition: {
              queries: [
                { name: 'a', query: '{ a }' },
                { name: 'a', query: '{ b }' },
              ],
            },
          },
        ],
      },
      '"a" already exists, and a REST endpoint runs it: which one?',
    ],
    [
      'two types that get one name',
      { 'remote_schemas.yaml': [remote('a', { customization: { type_names: { mapping: { String: 'A', B: 'A' } } } })] },
      '"String" already has the name "A"',
    ],
    [
      'another name for a field of introspection',
      {
        'remote_schemas.yaml': [
          remote('a', { customization: { field_names: [{ parent_type: 'A', mapping: { __typename: 'kind' } }] } }),
        ],
      },
      '"__typename" is a field of introspection, which has the same name everywhere',
    ],
    [
      'names of fields of one type in two entries',
      {
        'remote_schemas.yaml': [
          remote('a', { customization: { field_names: ['x_', 'y_'].map((prefix) => ({ parent_type: 'A', prefix })) } }),
        ],
      },
      'the fields of "A" already have names: write all of them in one entry',
    ],
    [
      'two permissions of one role',
      {
        'remote_schemas.yaml': [
          {
            ...remote('shop'),
            permissions: [1, 2].map(() => ({ role: 'user', definition: { schema: 'type Query { a: Int }' } })),
          },
        ],
      },
      'the role "user" already has a permission',
    ],
    [
      'neither url nor url_from_env',
      { 'remote_schemas.yaml': [{ name: 'a', definition: {} }] },
      'expected exactly one of url and url_from_env',
    ],
    [
      'both of them',
      { 'remote_schemas.yaml': [remote('a', { url_from_env: 'A_URL' })] },
      'expected exactly one of url and url_from_env',
    ],
    [
      'a permissions list that is null: is it for all or for nobody?',
      { 'remote_schemas.yaml': [{ ...remote('a'), permissions: null }] },
      'expected array, received null',
    ],
    [
      'a variable of Hasura’s as a header',
      {
        'remote_schemas.yaml': [
          remote('a', { headers: [{ name: 'x', value_from_env: 'HASURA_GRAPHQL_ADMIN_SECRET' }] }),
        ],
      },
      'env variables starting with "HASURA_GRAPHQL_" are not allowed in value_from_env',
    ],
    [
      'a header with two values',
      { 'remote_schemas.yaml': [remote('a', { headers: [{ name: 'x', value: 'a', value_from_env: 'A' }] })] },
      'expected exactly one of value and value_from_env',
    ],
    [
      'sets the length of a message',
      { 'remote_schemas.yaml': [remote('a', { headers: [{ name: 'Content-Length', value: '1' }] })] },
      'this header cannot be set: it says how the message is sent',
    ],
    [
      'a header name with a line break',
      { 'remote_schemas.yaml': [remote('a', { headers: [{ name: 'x\r\ny', value: 'a' }] })] },
      'expected a header name',
    ],
    [
      'an SDL file that is not there',
      { 'remote_schemas.yaml': [remote('a', { schema_file: 'a.graphql' })] },
      '"a.graphql" does not exist in the metadata directory',
    ],
    [
      'an SDL file outside of the directory',
      { 'remote_schemas.yaml': [remote('a', { schema_file: '../a.graphql' })] },
      '"../a.graphql" is outside of the metadata directory',
    ],
    [
      'a method that is none',
      {
        'query_collections.yaml': [collection('saved', { a: '{ a }' })],
        'rest_endpoints.yaml': [restEndpoint('a', 'a', ['FETCH'])],
      },
      'expected one of "GET"|"POST"|"PUT"|"PATCH"|"DELETE"',
    ],
  ])('is: %s', (_, files, message) => {
    expect(problemsIn(files)).toEqual([expect.objectContaining({ message })]);
  });
});

describe('a file that is no YAML', () => {
  test.each([
    ['an open bracket', 'a: [1', 1],
    ['a tab as indentation', 'a:\n\t- b', 2],
    ['a key twice', 'disabled_for_roles: []\ndisabled_for_roles: [user]', 2],
    ['two documents', 'disabled_for_roles: []\n---\ndisabled_for_roles: []', 2],
  ])('is reported with its line: %s', (_, text, line) => {
    const [problem] = problemsIn({ 'graphql_schema_introspection.yaml': text });
    expect(problem).toMatchObject({ file: 'graphql_schema_introspection.yaml', line, message: expect.any(String) });
  });

  test('does not hide what is wrong elsewhere', () => {
    const problems = problemsIn({
      'services.yaml': '[',
      'api_limits.yaml': '{',
      'allow_list.yaml': [{ collection: 'none' }],
    });
    expect(new Set(problems.map(({ file }) => file))).toEqual(
      new Set(['services.yaml', 'api_limits.yaml', 'allow_list.yaml']),
    );
  });

  test('because of an undefined alias is reported', () => {
    expect(problemsIn({ 'allow_list.yaml': '- *nothing' })).toMatchObject([
      { file: 'allow_list.yaml', message: expect.stringContaining('nothing') },
    ]);
  });

  test('but an alias bomb is reported and not expanded', () => {
    const levels = 'abcdefghijklmnopqrstuvwxyz'.split('');
    const text = levels.map((name, index) => {
      const previous = levels[index - 1];
      return `${name}: &${name} ${previous ? `[${Array(10).fill(`*${previous}`).join(', ')}]` : 'boom'}`;
    });
    const problems = problemsIn({ 'api_limits.yaml': text.join('\n') });
    expect(problems).toEqual([
      { file: 'api_limits.yaml', message: 'Excessive alias count indicates a resource exhaustion attack' },
    ]);
  });
});

describe('a file that says nothing', () => {
  test.each(['', '\n', '# only a comment\n', 'null\n', '~', '---\n'])('is taken as absent: %j', (text) => {
    const metadata = load({
      'remote_schemas.yaml': text,
      'actions.yaml': text,
      'actions.graphql': text.replace(/^(null|~|---)/, ''),
      'query_collections.yaml': text,
      'rest_endpoints.yaml': text,
      'allow_list.yaml': text,
      'api_limits.yaml': text,
      'graphql_schema_introspection.yaml': text,
      'services.yaml': text,
    });
    expect(metadata).toMatchObject({ remoteSchemas: [], restEndpoints: [], allowList: [], services: [], ignored: [] });
  });

  test('is a problem when it is version.yaml', () => {
    expect(problemsIn({ 'version.yaml': '' })).toEqual([
      { file: 'version.yaml', message: expect.stringContaining('expected "version: 3"') },
    ]);
  });
});

test('anchors and merge keys are understood, as Hasura understands them', () => {
  const text = '- &base\n  name: a\n  definition: { url: http://a }\n  comment: one\n- <<: *base\n  name: b\n';
  expect(load({ 'remote_schemas.yaml': text }).remoteSchemas).toMatchObject([
    { name: 'a', comment: 'one' },
    { name: 'b', comment: 'one', definition: { url: 'http://a' } },
  ]);
});

describe('metadata that is not there', () => {
  test('is reported: no such path', () => {
    expect(problemsOf(() => loadMetadata('/no/such/metadata'))).toEqual([
      { file: '/no/such/metadata', message: 'does not exist' },
    ]);
  });

  test('is reported: a path that cannot be read', () => {
    const directory = metadataDirectory({});
    const path = join(directory.path, 'loop');
    symlinkSync(path, path);
    const problems = problemsOf(() => loadMetadata(path));
    directory.close();
    expect(problems).toEqual([{ file: path, message: 'cannot be read (ELOOP)' }]);
  });

  test('is reported: a project of Hasura’s command line, which has it in a directory of its own', () => {
    const project = metadataDirectory({ 'version.yaml': undefined, 'metadata/version.yaml': 'version: 3\n' });
    const problems = problemsOf(() => loadMetadata(project.path));
    project.close();
    expect(problems).toMatchObject([{ message: expect.stringMatching(/; did you mean .*metadata\?$/) }]);
  });

  test('is reported: a directory without version.yaml', () => {
    const directory = metadataDirectory({ 'version.yaml': undefined });
    const problems = problemsOf(() => loadMetadata(directory.path));
    directory.close();
    expect(problems).toMatchObject([{ file: 'version.yaml', message: expect.stringContaining('is missing') }]);
    expect(problems[0]?.message).toContain('"portico init" creates one');
  });
});

describe('variables that are not set', () => {
  const unset = (names: string, line: number, file = 'actions.yaml') => ({
    file,
    line,
    message: `Value for environment variables not found: ${names}`,
  });
  const reported = (...problems: Parameters<typeof describeProblem>[0][]) =>
    new MetadataError(problems).problems.map((one) =>
      describeProblem(one).replace(' (to be set where this process is started)', ''),
    );

  test('are reported together where one place alone needs them', () => {
    const wrong = { file: 'version.yaml', message: 'wrong' };
    expect(reported(unset('A, B', 1), wrong, unset('C', 2))).toEqual([
      'actions.yaml:1: Value for environment variables not found: A, B',
      'version.yaml: wrong',
      'actions.yaml:2: Value for environment variables not found: C',
    ]);
  });

  test('are each reported once where several places need one of them, however often problems are put together', () => {
    const first = new MetadataError([unset('A, B', 1), unset('B', 3)]).problems;
    const second = new MetadataError([unset('B, C', 2, 'services.yaml'), unset('C', 2, 'services.yaml')]).problems;
    expect(reported(...first, ...second, ...first)).toEqual([
      'actions.yaml:1: Value for environment variables not found: A',
      'actions.yaml:1: Value for environment variables not found: B; also at actions.yaml:3 services.yaml:2',
      'services.yaml:2: Value for environment variables not found: C',
    ]);
  });
});
