import { describe, expect, test } from '@jest/globals';
import { openEditedGateway } from '../harness/edited-gateway.ts';
import { until } from '../harness/index.ts';
import { editedShop, permission, remote } from './edited-shop.ts';

const { issuer, keepForTest, MAIL, open, SHOP, shop, token } = await editedShop();

describe('an edit that cannot work', () => {
  const broken: [what: string, files: Record<string, unknown>, ...expected: string[]][] = [
    ['is no YAML', { 'remote_schemas.yaml': '- name: [' }, 'remote_schemas.yaml:1'],
    [
      'has several mistakes',
      { 'remote_schemas.yaml': [{ name: 'a' }], 'services.yaml': [{ nam: 'x' }] },
      'remote_schemas.yaml:1 [0].definition: is missing',
      'services.yaml:1 [0].nam: unknown key "nam": did you mean "name"?',
    ],
    [
      'names variables that are not set, everywhere',
      {
        'remote_schemas.yaml': [
          SHOP,
          remote('a', '{{A_URL}}/graphql'),
          remote('b', 'http://b', {}, { headers: [{ name: 'x', value_from_env: 'B_KEY' }] }),
        ],
        'services.yaml': [{ name: 'files', path: '/files', url: '{{FILES_URL}}' }],
      },
      'remote schema "a": Value for environment variables not found: A_URL (to be set where this process is started)',
      'remote schema "b": Value for environment variables not found: B_KEY (to be set where this process is started)',
      'Value for environment variables not found: FILES_URL (to be set where this process is started)',
    ],
    [
      'sends what no header can have',
      {
        'remote_schemas.yaml': [
          SHOP,
          remote('a', 'http://a', {}, { headers: [{ name: 'x', value: 'canary\r\ny: 1' }] }),
          remote('b', 'http://b', {}, { headers: [{ name: 'x', value_from_env: 'MULTILINE_KEY' }] }),
        ],
      },
      'remote schema "a": the value of the header "x" contains a line break or another control character',
      'remote schema "b": the value of MULTILINE_KEY contains a line break or another control character',
    ],
    [
      'gives a role what the service does not have',
      { 'remote_schemas.yaml': [remote('shop', shop.graphqlUrl, permission('type Query { item: String cost: Int }'))] },
      'remote_schemas.yaml:8 [0].permissions[0].definition.schema: remote schema "shop": permission of role "user": field "Query.cost" does not exist in the remote schema',
    ],
    [
      'customizes into names that clash',
      {
        'remote_schemas.yaml': [
          remote(
            'shop',
            shop.graphqlUrl,
            {},
            { customization: { field_names: [{ parent_type: 'Query', mapping: { item: 'price' } }] } },
          ),
        ],
      },
      'remote_schemas.yaml:5 [0].definition.customization: remote schema "shop": Field "Query.price" can only be defined once.',
    ],
    [
      'plugs in a root field a second time',
      { 'remote_schemas.yaml': [SHOP, remote('copy', shop.graphqlUrl)] },
      'remote_schemas.yaml:5 [1]: remote schema "copy": the root field "item" is offered by "copy" and by "shop"',
    ],
    [
      'plugs in a type that is another one elsewhere',
      {
        'remote_schemas.yaml': [
          SHOP,
          remote('notes', 'http://127.0.0.1:1', {}, { schema_file: 'notes.graphql' }),
          remote('pages', 'http://127.0.0.1:1', {}, { schema_file: 'pages.graphql' }),
        ],
        'notes.graphql': 'type Query { note: Text } type Text { id: ID! body: String }',
        'pages.graphql': 'type Query { page: Text } type Text { id: ID body: String }',
      },
      'the type "Text" is not the same in "pages" and in "notes"',
    ],
    [
      'has an action of the name of a field',
      {
        'actions.yaml': { actions: [{ name: 'item', definition: { handler: 'http://a' } }] },
        'actions.graphql': 'type Query { item: String }',
      },
      'the root field "item" is offered by "shop" and by "actions"',
    ],
  ];

  test.each(broken)(
    'is rejected with all problems reported and without effect: one that %s',
    async (_, files, ...expected) => {
      const gateway = await open(undefined, { MULTILINE_KEY: 'canary\n' });
      const { status, body, text } = await gateway.edit(files);
      expect(text).not.toContain('canary');
      expect([status, body]).toEqual([
        400,
        expect.objectContaining({
          path: '$',
          error: 'the metadata is not valid; the previous metadata stays in use',
          code: 'invalid-configuration',
        }),
      ]);
      const [line] = gateway.logged('metadata.reload_failed');
      expect(line).toMatchObject({ level: 'error', reason: 'the metadata API' });
      const problems = (line?.problems ?? []) as string[];
      for (const problem of expected) {
        expect(problems.join('\n')).toContain(problem);
        expect(text.replaceAll('\\"', '"')).toContain(problem);
      }
      expect(await gateway.health()).toBe('WARN: inconsistent objects in schema');
      expect((await gateway.graphql('{ item }', { token })).body).toEqual({ data: { item: 'bolt' } });

      const repaired = {
        'remote_schemas.yaml': [SHOP],
        'services.yaml': undefined,
        'actions.yaml': undefined,
        'actions.graphql': undefined,
      };
      expect((await gateway.edit(repaired)).body).toEqual({ message: 'success', is_consistent: true });
      expect(await gateway.health()).toBe('OK');
    },
  );

  test('that takes the whole directory away changes nothing either', async () => {
    const gateway = await open();
    gateway.metadata.close();
    expect((await gateway.command('reload_metadata')).status).toBe(400);
    expect((await gateway.graphql('{ item }', { token })).body).toEqual({ data: { item: 'bolt' } });
  });

  test('is one with an operation that no role can run, where an enforced allow list has it', async () => {
    const leftover = {
      'query_collections.yaml': [{ name: 'saved', definition: { queries: [{ name: 'rows', query: '{ rows }' }] } }],
      'allow_list.yaml': [{ collection: 'saved' }],
    };
    const gateway = await open();
    expect((await gateway.edit(leftover)).status).toBe(200);
    expect(gateway.logged('saved_operations.unusable')).toMatchObject([
      { level: 'warn', operations: [expect.stringContaining('"rows" is not valid for any role')] },
    ]);
    const enforcing = await open(undefined, { HASURA_GRAPHQL_ENABLE_ALLOWLIST: 'true' });
    expect((await enforcing.edit(leftover)).status).toBe(400);
  });

  test('because of a mistake that was there before does not stop edits of something else', async () => {
    shop.become('type Query { item: String }', { Query: { item: () => 'bolt' } });
    const misfit = remote('shop', shop.graphqlUrl, permission('type Query { item: String gone: Int }'));
    const gateway = await keepForTest(
      openEditedGateway({ 'remote_schemas.yaml': [misfit] }, { issuer, waitUntilReady: false }),
    );
    await until('the misfit is logged', () => gateway.logs().includes('Query.gone'));
    expect((await gateway.edit({ 'remote_schemas.yaml': [misfit, MAIL] })).body).toEqual({
      message: 'success',
      is_consistent: false,
      inconsistent_objects: [expect.objectContaining({ type: 'remote_schema', name: 'shop' })],
    });
    expect((await gateway.graphql('{ letter }', { token })).body).toEqual({ data: { letter: 'hello' } });
  });
});
