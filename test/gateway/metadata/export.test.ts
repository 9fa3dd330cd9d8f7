import { describe, expect, test } from '@jest/globals';
import { buildASTSchema, lexicographicSortSchema, print, printSchema } from 'graphql';
import { exportMetadata, type Metadata } from '../../../gateway/metadata/index.ts';
import { HASURA_PROJECT } from './hasura-project.ts';
import { collection, load, loadExport, problemsOf, remote, restEndpoint } from './load.ts';

const EXPORT = {
  version: 3,
  sources: [],
  remote_schemas: [remote('shop')],
  actions: [
    {
      name: 'login',
      definition: {
        handler: 'http://127.0.0.1:1/login',
        output_type: 'LoginOutput!',
        arguments: [{ name: 'arg', type: 'LoginInput!', description: null }],
        type: 'mutation',
        kind: 'synchronous',
      },
      permissions: [{ role: 'anonymous' }],
    },
    { name: 'ping', definition: { handler: 'http://127.0.0.1:1/ping', output_type: 'String', type: 'query' } },
  ],
  custom_types: {
    input_objects: [
      { name: 'LoginInput', fields: [{ name: 'username', type: 'String!', description: 'Who "you" are' }] },
    ],
    objects: [{ name: 'LoginOutput', description: '', fields: [{ name: 'kinds', type: '[Kind!]' }] }],
    enums: [{ name: 'Kind', values: [{ value: 'FULL', description: null, is_deprecated: null }, { value: 'TRIAL' }] }],
    scalars: [{ name: 'Anything' }],
  },
  query_collections: [collection('saved', { ping: '{ ping }' })],
  rest_endpoints: [restEndpoint('ping', 'ping')],
  allowlist: [{ collection: 'saved', scope: { global: false, roles: ['user'] } }],
  api_limits: { disabled: false, depth_limit: { global: 7, per_role: {} } },
  graphql_schema_introspection: { disabled_for_roles: ['user'] },
};

/** All that makes the graph, without where it was read from. */
function content({ actionTypes, restEndpoints, ...metadata }: Metadata) {
  const { remoteSchemas, queryCollections, allowList, apiLimits, introspectionDisabledFor, services, actions } =
    metadata;
  return {
    types: printSchema(lexicographicSortSchema(buildASTSchema(actionTypes.document, { assumeValidSDL: true }))),
    queries: [...actionTypes.queries],
    endpoints: restEndpoints.map(({ metadata: endpoint, query }) => [endpoint, query]),
    // A comment is the description of the action's field, so it is among the types, as is what the two files both say.
    actions: actions.actions.map(({ comment: _comment, definition: { type: _type, ...definition }, ...action }) => ({
      ...action,
      definition,
    })),
    customTypes: { ...actions.custom_types, enums: actions.custom_types.enums.map(({ name }) => name) },
    ...{ remoteSchemas, queryCollections, allowList, apiLimits, introspectionDisabledFor, services },
  };
}

describe('a single-file export of Hasura', () => {
  test('says the same as a directory', () => {
    const metadata = loadExport(EXPORT);
    expect(metadata.remoteSchemas.map(({ name }) => name)).toEqual(['shop']);
    expect(metadata.actions.actions.map(({ name, permissions }) => [name, permissions])).toEqual([
      ['login', [{ role: 'anonymous' }]],
      ['ping', []],
    ]);
    expect(metadata.actionTypes.queries).toEqual(new Set(['ping']));
    const types = metadata.actionTypes.document.definitions.map(print).join('\n');
    expect(types).toContain('login(arg: LoginInput!): LoginOutput!');
    expect(types).toContain('"Who \\"you\\" are"\n  username: String!');
    expect(types).toContain('kinds: [Kind!]');
    expect(types).toContain('enum Kind {\n  FULL\n  TRIAL\n}');
    expect(types).toContain('scalar Anything');
    expect(metadata.restEndpoints).toHaveLength(1);
    expect(metadata.allowList).toEqual([{ collection: 'saved', scope: { global: false, roles: ['user'] } }]);
    expect(metadata.introspectionDisabledFor).toEqual(new Set(['user']));
    expect(metadata.ignored).toEqual([]);
  });

  test('may be wrapped, with its resource version', () => {
    expect(content(loadExport({ resource_version: 12, metadata: EXPORT }))).toEqual(content(loadExport(EXPORT)));
  });

  test('may be indented with tabs, or be YAML', () => {
    const tabs = JSON.stringify({ resource_version: 1, metadata: EXPORT }, null, '\t');
    expect(content(loadExport(tabs))).toEqual(content(loadExport(EXPORT)));
    expect(
      loadExport('version: 3\nremote_schemas:\n  - name: a\n    definition: { url: http://a }\n').remoteSchemas,
    ).toHaveLength(1);
  });

  test('may leave everything but the version out', () => {
    expect(loadExport({ version: 3 }).actions.actions).toEqual([]);
    expect(loadExport({ version: 3, actions: null, remote_schemas: null, custom_types: null }).actions.actions).toEqual(
      [],
    );
  });

  test('has what is not acted on listed', () => {
    const sources = [{ name: 'default', kind: 'postgres' }];
    const { ignored } = loadExport(
      JSON.stringify(
        { metadata: { version: 3, sources, backend_configs: [{}, 1], network: {}, remote_schema: [] } },
        null,
        1,
      ),
    );
    expect(ignored).toEqual([
      {
        file: 'export.json',
        line: 4,
        path: 'metadata.sources',
        what: expect.stringContaining('databases, tables, event triggers: '),
      },
      expect.objectContaining({ path: 'metadata.backend_configs', what: expect.stringContaining('data connectors: ') }),
    ]);
  });

  test.each<[what: string, content: unknown, problem: object]>([
    [
      'a version that is not supported',
      { metadata: { version: 1 } },
      { line: 3, path: 'metadata.version', message: expect.stringContaining('found 1') },
    ],
    [
      'an unknown key',
      { version: 3, remote_schemas: [{ ...remote('a'), coment: '' }] },
      { line: 9, path: 'remote_schemas[0].coment', message: 'unknown key "coment": did you mean "comment"?' },
    ],
    [
      'actions that are no list',
      { version: 3, actions: { name: 'login' } },
      { line: 3, path: 'actions', message: 'expected array, received object: entries of a list begin with "- "' },
    ],
    [
      'an action that is nothing',
      { version: 3, actions: ['login'] },
      { path: 'actions[0]', message: 'expected object, received string' },
    ],
    [
      'an action without an output type',
      { version: 3, actions: [{ name: 'a', definition: { handler: 'http://a' } }] },
      { path: 'actions[0].definition.output_type', message: 'is missing: expected string' },
    ],
    [
      'a type that is none',
      { version: 3, actions: [{ name: 'a', definition: { handler: 'http://a', output_type: '[Int' } }] },
      { path: 'actions[0].definition.output_type', message: 'expected a GraphQL type such as [Int!]!' },
    ],
    [
      'an unknown key of a custom type',
      { version: 3, custom_types: { objects: [{ name: 'A', field: [] }] } },
      { path: 'custom_types.objects[0].field', message: 'unknown key "field": did you mean "fields"?' },
    ],
    [
      'an unknown kind of custom type',
      { version: 3, custom_types: { object: [] } },
      { path: 'custom_types.object', message: 'unknown key "object": did you mean "objects"?' },
    ],
  ])('is placed when it is wrong: %s', (_, written, problem) => {
    expect(problemsOf(() => loadExport(written))).toEqual([
      expect.objectContaining({ file: 'export.json', ...problem }),
    ]);
  });

  test.each(['', 'null', '[]', '"text"', '{"metadata": null}', '{"metadata": []}', '{'])(
    'is refused when it is %j',
    (text) => {
      expect(problemsOf(() => loadExport(text))).not.toHaveLength(0);
    },
  );

  test('may name an SDL file beside it', () => {
    const schemas = { version: 3, remote_schemas: [remote('a', { schema_file: 'sdl/a.graphql' })] };
    const [schema] = loadExport(schemas, { 'sdl/a.graphql': 'type Query { a: Int }' }).remoteSchemas;
    expect(schema).toMatchObject({ schemaSdl: 'type Query { a: Int }' });
  });
});

describe('metadata that is exported', () => {
  const again = (metadata: Metadata) => loadExport(exportMetadata(metadata));

  test('says the same when it is read again', () => {
    const metadata = load(HASURA_PROJECT);
    expect(content(again(metadata))).toEqual(content(metadata));
    expect(content(again(again(metadata)))).toEqual(content(metadata));
    expect(content(again(loadExport(EXPORT)))).toEqual(content(loadExport(EXPORT)));
  });

  test('still has what Portico does not act on within what it knows', () => {
    const exported = JSON.stringify(exportMetadata(load(HASURA_PROJECT)));
    expect(exported).toContain('"remote_relationships":[{');
    expect(exported).toContain('"relationships":[{');
    expect(again(load(HASURA_PROJECT)).ignored.map(({ what }) => what)).toEqual([
      expect.stringContaining('a relationship to a database: '),
      expect.stringContaining('a relationship to a database: '),
      expect.stringContaining('cron triggers: '),
    ]);
  });

  test('has its includes put in, and values of the environment as references', () => {
    const exported = exportMetadata(
      load({
        'remote_schemas.yaml': '- !include shop.yaml',
        'shop.yaml': {
          name: 'shop',
          definition: { url_from_env: 'SHOP_URL', headers: [{ name: 'x', value_from_env: 'KEY' }] },
        },
        'services.yaml': [{ name: 'files', path: '/files', url: '{{FILES_URL}}' }],
      }),
    );
    expect(exported).toMatchObject({
      version: 3,
      remote_schemas: [
        { name: 'shop', definition: { url_from_env: 'SHOP_URL', headers: [{ name: 'x', value_from_env: 'KEY' }] } },
      ],
      services: [{ name: 'files', path: '/files', url: '{{FILES_URL}}' }],
    });
  });

  test('is what Hasura exports: actions with their types written out', () => {
    expect(exportMetadata(load(HASURA_PROJECT))).toMatchObject({
      version: 3,
      sources: [],
      actions: [
        {
          name: 'login',
          definition: {
            type: 'mutation',
            arguments: [{ name: 'arg1', type: 'LoginInput!' }],
            output_type: 'LoginOutput',
          },
        },
        { name: 'ping', definition: { type: 'query', arguments: [], output_type: 'String' } },
      ],
      custom_types: {
        enums: [{ name: 'Kind', values: [{ value: 'FULL' }, { value: 'TRIAL' }] }],
        input_objects: [
          {
            name: 'LoginInput',
            fields: [
              { name: 'username', type: 'String!' },
              { name: 'password', type: 'String!' },
            ],
          },
        ],
        scalars: [{ name: 'uuid' }],
      },
      allowlist: [{ collection: 'allowed-queries' }],
    });
  });

  test('does not need actions, nor their types to be more than comments', () => {
    expect(exportMetadata(load({}))).toEqual({ version: 3, sources: [] });
    const empty = load({ 'actions.yaml': 'actions: []', 'actions.graphql': '# type Query {\n# }\n' });
    expect(exportMetadata(empty)).toMatchObject({ actions: [] });
  });
});
