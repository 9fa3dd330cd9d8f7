import { describe, expect, test } from '@jest/globals';
import { HASURA_PROJECT } from './hasura-project.ts';
import { load } from './load.ts';

describe('the metadata directory of a Hasura project', () => {
  test('is read as it is', () => {
    const metadata = load(HASURA_PROJECT);
    expect(metadata.actions.actions.map(({ name, definition }) => [name, definition.timeout])).toEqual([
      ['login', 60],
      ['ping', 30],
    ]);
    expect(metadata.remoteSchemas.map(({ name, definition }) => [name, definition.customization])).toEqual([
      [
        'shop',
        {
          root_fields_namespace: 'shop',
          type_names: { prefix: 'Shop', suffix: '', mapping: {} },
          field_names: [{ parent_type: 'Order', prefix: '', suffix: '', mapping: { identifier: 'id' } }],
        },
      ],
      ['mail', { field_names: [] }],
    ]);
    expect(metadata.restEndpoints.map(({ metadata: { url, methods } }) => [url, methods])).toEqual([
      ['orders', ['GET', 'POST']],
    ]);
    expect(metadata.allowList).toEqual([{ collection: 'allowed-queries', scope: { global: true } }]);
  });

  test('has what is not acted on listed, each with its place', () => {
    expect(load(HASURA_PROJECT).ignored).toEqual([
      { file: 'backend_configs.yaml', what: expect.stringContaining('data connectors: ') },
      { file: 'databases', what: expect.stringContaining('databases, tables, event triggers: ') },
      {
        file: 'remote_schemas.yaml',
        line: 35,
        path: '[0].remote_relationships[0].relationships[0]',
        what: expect.stringContaining('a relationship to a database: '),
      },
      {
        file: 'actions.yaml',
        line: 36,
        path: 'custom_types.objects[0].relationships[0]',
        what: expect.stringContaining('a relationship to a database: '),
      },
      { file: 'cron_triggers.yaml', what: expect.stringContaining('cron triggers: ') },
    ]);
  });

  test('has nothing listed that says nothing', () => {
    const empty = {
      'databases/databases.yaml': '[]\n',
      'databases/default/tables/tables.yaml': undefined,
      'databases/default/tables/public_users.yaml': undefined,
      'backend_configs.yaml': '{}\n',
      'cron_triggers.yaml': '[]\n',
      'network.yaml': 'tls_allowlist: []\n',
      'actions.yaml': HASURA_PROJECT['actions.yaml']?.replace(
        / {6}relationships:.*?(?= {2}scalars:)/s,
        '      relationships: []\n',
      ),
      'remote_schemas.yaml': HASURA_PROJECT['remote_schemas.yaml']?.replace(
        / {2}remote_relationships:.*?(?=- name: mail)/s,
        '  remote_relationships: []\n',
      ),
    };
    expect(load({ ...HASURA_PROJECT, ...empty }).ignored).toEqual([]);
  });
});

describe('two operations of one name in a collection', () => {
  const saved = (...queries: readonly string[]) => ({
    'query_collections.yaml': [
      { name: 'saved', definition: { queries: queries.map((query) => ({ name: 'a', query })) } },
    ],
  });
  const endpoint = {
    'rest_endpoints.yaml': [
      { name: 'a', url: 'a', methods: ['GET'], definition: { query: { collection_name: 'saved', query_name: 'a' } } },
    ],
  };

  test.each<[when: string, files: Record<string, unknown>]>([
    ['nothing refers to the name', saved('{ a }', '{ b }')],
    ['both are the same', { ...saved('{ a }', '{ a }'), ...endpoint }],
  ])('are listed, and both are there, where %s', (_, files) => {
    const { ignored, queryCollections } = load(files);
    expect(ignored).toMatchObject([
      {
        file: 'query_collections.yaml',
        path: '[0].definition.queries[1].name',
        what: 'the name "a", which another query of the collection also has',
      },
    ]);
    expect(queryCollections[0]?.definition.queries).toHaveLength(2);
  });
});

describe('what actions.yaml says of types', () => {
  const told = (from: RegExp, to: string) =>
    load({ ...HASURA_PROJECT, 'actions.yaml': HASURA_PROJECT['actions.yaml']?.replace(from, to) })
      .ignored.filter(({ file }) => file === 'actions.yaml')
      .map(({ path, what }) => `${path}: ${what}`)
      .filter((line) => !line.includes('database'));

  test.each<[what: string, from: RegExp, to: string, line: string]>([
    [
      'another operation',
      /type: mutation/,
      'type: query',
      'actions[0].definition.type: the action is a mutation: actions.graphql says it',
    ],
    [
      'arguments',
      /type: mutation/,
      'arguments: [{ name: a, type: Int }]',
      'actions[0].definition.arguments: the arguments: actions.graphql says it',
    ],
    [
      'an output',
      /type: mutation/,
      'output_type: Int',
      'actions[0].definition.output_type: the type of the output: actions.graphql says it',
    ],
    [
      'an enum’s value',
      /value: TRIAL/,
      'value: OTHER',
      'custom_types.enums[0].values: other values than the enum has: actions.graphql says it',
    ],
    [
      'a deprecation',
      /value: TRIAL/,
      'value: TRIAL\n          is_deprecated: true',
      'custom_types.enums[0].values: other values than the enum has: actions.graphql says it',
    ],
    [
      'fields',
      /- name: LoginInput/,
      '- name: LoginInput\n      fields: [{ name: a, type: Int }]',
      'custom_types.input_objects[0].fields: the fields: actions.graphql says it',
    ],
  ])('is listed where it says %s, and actions.graphql counts', (_, from, to, line) => {
    expect(told(from, to)).toEqual([line]);
  });

  test('is not listed where both say the same', () => {
    expect(told(/$^/, '')).toEqual([]);
  });
});

describe('what Portico does not know', () => {
  test('is listed, with the file that may have been meant', () => {
    const { ignored } = load({
      'remote_schema.yaml': '[]',
      'README.md': 'How we do it',
      '.gitkeep': '',
      'notes/a.md': '',
    });
    expect(ignored).toEqual([
      { file: 'README.md', what: 'not known to Portico' },
      { file: 'notes', what: 'not known to Portico' },
      { file: 'remote_schema.yaml', what: 'not known to Portico: did you mean "remote_schemas.yaml"?' },
    ]);
  });

  test('is listed though it says nothing: it may be meant to', () => {
    expect(load({ 'rest_endpoint.yaml': '' }).ignored).toHaveLength(1);
  });

  test('is reported where it is a file of Hasura’s that cannot be read', () => {
    expect(load({ 'network.yaml': '[' }).ignored).toEqual([
      { file: 'network.yaml', what: expect.stringContaining('TLS settings: ') },
    ]);
  });
});
