import { afterAll, afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { changingUpstream } from '../harness/changing-upstream.ts';
import { openEditedGateway } from '../harness/edited-gateway.ts';
import { bearer, graphqlUpstream, keeper, openIssuer, reply, serve, until, webhook } from '../harness/index.ts';

const { keep, close } = keeper();
afterAll(close);
const { keep: keepForTest, close: closeAfterTest } = keeper();
afterEach(closeAfterTest);
const issuer = await keep(openIssuer());
const token = issuer.token();
const shop = await keep(changingUpstream('type Query { item: String price: Int }', { Query: { item: () => 'bolt' } }));
const mail = await keep(graphqlUpstream('type Query { letter: String }', { Query: { letter: () => 'hello' } }));
beforeEach(() => {
  shop.instead = undefined;
  shop.become('type Query { item: String price: Int }', { Query: { item: () => 'bolt' } });
});

const remote = (name: string, url: string, more: object = {}, definition: object = {}) => ({
  name,
  definition: { url, timeout_seconds: 5, ...definition },
  ...more,
});
const SHOP = remote('shop', shop.graphqlUrl);
const MAIL = remote('mail', mail.graphqlUrl);
const permission = (schema: string, role = 'user') => ({ permissions: [{ role, definition: { schema } }] });

const open = (files: Record<string, unknown> = { 'remote_schemas.yaml': [SHOP] }, environment = {}) =>
  keepForTest(openEditedGateway(files, { issuer, environment }));

describe('an edit of the metadata', () => {
  test('takes effect when the files have changed, without being asked to', async () => {
    const gateway = await open(undefined, { PORTICO_METADATA_WATCH: 'true' });
    expect((await gateway.graphql('{ letter }', { token })).body.errors).toHaveLength(1);
    gateway.metadata.write({
      'remote_schemas.yaml': '- !include shop.yaml\n- !include more/mail.yaml',
      'shop.yaml': SHOP,
      'more/mail.yaml': MAIL,
    });
    await until('the other service is there', async () => (await gateway.graphql('{ letter }', { token })).body.data);
    expect(gateway.logged('the metadata has been reloaded')).toMatchObject([{ reason: 'the files have changed' }]);

    gateway.metadata.write({ 'more/mail.yaml': 'name: mail' });
    await until('the mistake is seen', async () => (await gateway.health()) !== 'OK');
    gateway.metadata.write({ 'remote_schemas.yaml': [SHOP] });
    await until('it is gone again', async () => (await gateway.graphql('{ letter }', { token })).body.errors);
    expect(await gateway.health()).toBe('OK');
  });

  test('is of all that there is: services, actions, permissions, REST endpoints and passed-through paths', async () => {
    const files = await keepForTest(serve((received, response) => reply(response, 200, { url: received.url })));
    const other = await keepForTest(serve((_, response) => reply(response, 200, 'the other')));
    const ping = await keepForTest(webhook(() => 'pong'));
    const gateway = await open({
      'remote_schemas.yaml': [SHOP],
      'services.yaml': [{ name: 'files', path: '/files', url: `${files.url}/a` }],
    });
    const get = (path: string) => gateway.send(path, { headers: bearer(token) });
    expect((await get('/files/x')).body).toEqual({ url: '/a/x' });
    expect((await get('/api/rest/item')).status).toBe(404);

    await gateway.edit({
      'remote_schemas.yaml': [remote('shop', shop.graphqlUrl, permission('type Query { item: String }')), MAIL],
      'services.yaml': [
        { name: 'files', path: '/files', url: other.url },
        { name: 'more', path: '/more', url: `${files.url}/b` },
      ],
      'actions.yaml': {
        actions: [{ name: 'ping', definition: { handler: ping.url }, permissions: [{ role: 'user' }] }],
      },
      'actions.graphql': 'type Query { ping: String }',
      'query_collections.yaml': [{ name: 'saved', definition: { queries: [{ name: 'item', query: '{ item }' }] } }],
      'rest_endpoints.yaml': [
        {
          name: 'item',
          url: 'item',
          methods: ['GET'],
          definition: { query: { collection_name: 'saved', query_name: 'item' } },
        },
      ],
    });
    expect((await get('/files/x')).body).toBe('the other');
    expect((await get('/more/x')).body).toEqual({ url: '/b/x' });
    expect((await get('/api/rest/item')).body).toEqual({ item: 'bolt' });
    expect((await gateway.graphql('{ item letter ping }', { token })).body).toEqual({
      data: { item: 'bolt', letter: 'hello', ping: 'pong' },
    });
    expect((await gateway.graphql('{ price }', { token })).body.errors).toHaveLength(1);

    await gateway.edit({
      'services.yaml': undefined,
      'actions.yaml': undefined,
      'actions.graphql': undefined,
      'rest_endpoints.yaml': undefined,
    });
    expect((await get('/files/x')).status).toBe(404);
    expect((await get('/api/rest/item')).status).toBe(404);
    expect((await gateway.graphql('{ ping }', { token })).body.errors).toHaveLength(1);
  });

  test('may be of the SDL file of a service', async () => {
    const file = (types: string) => ({ 'shop.graphql': types });
    const gateway = await open({
      'remote_schemas.yaml': [remote('shop', shop.graphqlUrl, {}, { schema_file: 'shop.graphql' })],
      ...file('type Query { item: String }'),
    });
    expect((await gateway.graphql('{ price }', { token })).body.errors).toHaveLength(1);
    await gateway.edit(file('type Query { item: String price: Int }'), { reload_remote_schemas: false });
    expect((await gateway.graphql('{ item price }', { token })).body).toEqual({ data: { item: 'bolt', price: null } });
    expect((await gateway.edit(file('type Query {'))).status).toBe(400);
    expect((await gateway.graphql('{ item }', { token })).body).toEqual({ data: { item: 'bolt' } });
  });

  test('lets what is under way finish on what it began with', async () => {
    const gateway = await open();
    const held = new Promise<() => void>((resolve) => {
      shop.instead = (_, response) => resolve(() => reply(response, 200, { data: { item: 'late' } }));
    });
    const slow = gateway.graphql('{ item }', { token });
    const finish = await held;
    shop.instead = undefined;

    await gateway.edit({ 'remote_schemas.yaml': [MAIL] });
    expect((await gateway.graphql('{ letter }', { token })).body).toEqual({ data: { letter: 'hello' } });
    expect((await gateway.graphql('{ item }', { token })).body.errors).toHaveLength(1);
    finish();
    expect((await slow).body).toEqual({ data: { item: 'late' } });
  });

  test('does not ask services again whose description has not changed, unless it is told to', async () => {
    const gateway = await open({ 'remote_schemas.yaml': [SHOP, MAIL] });
    shop.requests.length = 0;
    await gateway.edit(
      { 'remote_schemas.yaml': [{ ...SHOP, comment: 'a new one' }, MAIL] },
      { reload_remote_schemas: false },
    );
    expect(shop.requests).toHaveLength(1);
    await gateway.edit(
      { 'remote_schemas.yaml': [{ ...SHOP, comment: 'a new one' }] },
      { reload_remote_schemas: false },
    );
    expect(shop.requests).toHaveLength(1);
    await gateway.command('reload_metadata');
    expect(shop.requests).toHaveLength(2);
  });
});

describe('an edit that cannot work', () => {
  const broken: [what: string, files: Record<string, unknown>, ...told: string[]][] = [
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
      'remote schema "a": Value for environment variables not found: A_URL',
      'remote schema "b": Value for environment variables not found: B_KEY',
      'Value for environment variables not found: FILES_URL',
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

  test.each(broken)('changes nothing, and everything that is wrong is told: one that %s', async (_, files, ...told) => {
    const gateway = await open();
    const { status, body, text } = await gateway.edit(files);
    expect([status, body]).toEqual([
      400,
      expect.objectContaining({
        path: '$',
        error: 'the metadata is not valid; what was in force stays',
        code: 'invalid-configuration',
      }),
    ]);
    const [line] = gateway.logged('the metadata is not valid');
    expect(line).toMatchObject({ level: 'error', reason: 'the metadata API' });
    const problems = (line?.problems ?? []) as string[];
    for (const problem of told) {
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
  });

  test('that takes the whole directory away changes nothing either', async () => {
    const gateway = await open();
    gateway.metadata.close();
    expect((await gateway.command('reload_metadata')).status).toBe(400);
    expect((await gateway.graphql('{ item }', { token })).body).toEqual({ data: { item: 'bolt' } });
  });

  test('because of a mistake that was there before does not stop edits of something else', async () => {
    shop.become('type Query { item: String }', { Query: { item: () => 'bolt' } });
    const misfit = remote('shop', shop.graphqlUrl, permission('type Query { item: String gone: Int }'));
    const gateway = await keepForTest(
      openEditedGateway({ 'remote_schemas.yaml': [misfit] }, { issuer, waitUntilReady: false }),
    );
    await until('the misfit is told', () => gateway.logs().includes('Query.gone'));
    expect((await gateway.edit({ 'remote_schemas.yaml': [misfit, MAIL] })).body).toEqual({
      message: 'success',
      is_consistent: false,
    });
    expect((await gateway.graphql('{ letter }', { token })).body).toEqual({ data: { letter: 'hello' } });
  });
});

describe('types of one name in several services', () => {
  test('are one type when they are the same, whatever their order and descriptions', async () => {
    const files = {
      'remote_schemas.yaml': [
        remote('a', 'http://127.0.0.1:1', {}, { schema_file: 'a.graphql' }),
        remote('b', 'http://127.0.0.1:1', {}, { schema_file: 'b.graphql' }),
      ],
      'a.graphql':
        'type Query { a(f: F, k: K): [T] u: U } type T { id: ID! "the name" name(x: Int = 1, y: Int): String } input F { a: Int b: Int = 2 } enum K { X Y } union U = T | O type O { a: Int } scalar S',
      'b.graphql':
        'type Query { b(f: F, k: K): T v: U } "A thing" type T { name(y: Int, "how much" x: Int = 1): String id: ID! } input F { b: Int = 2 a: Int } enum K { Y X } union U = O | T type O { a: Int } scalar S',
    };
    const gateway = await open(files);
    expect(await gateway.health()).toBe('OK');
  });

  test.each([
    ['a field', 'type T { id: ID }', 'type T { id: ID name: String }'],
    ['the type of a field', 'type T { id: ID }', 'type T { id: Int }'],
    ['an argument', 'type T { id: ID }', 'type T { id(a: Int): ID }'],
    ['a default', 'type T { id(a: Int = 1): ID }', 'type T { id(a: Int = 2): ID }'],
    ['the kind', 'type T { id: ID }', 'interface T { id: ID }'],
    ['the values of an enum', 'enum T { A B }', 'enum T { A }'],
    [
      'what it is oneOf',
      'input I { a: Int } type T { f(i: I): Int }',
      'input I @oneOf { a: Int } type T { f(i: I): Int }',
    ],
  ])('are a conflict when they differ in %s', async (_, one, two) => {
    const gateway = await keepForTest(
      openEditedGateway(
        {
          'remote_schemas.yaml': [
            remote('a', 'http://127.0.0.1:1', {}, { schema_file: 'a.graphql' }),
            remote('b', 'http://127.0.0.1:1', {}, { schema_file: 'b.graphql' }),
          ],
          'a.graphql': `type Query { a: T } ${one}`,
          'b.graphql': `type Query { b: T } ${two}`,
        },
        { issuer },
      ),
    );
    const { body } = await gateway.command('get_inconsistent_metadata');
    expect(body).toMatchObject({
      is_consistent: false,
      inconsistent_objects: [
        { type: 'remote_schema', name: 'b', reason: expect.stringContaining('is not the same in "b" and in "a"') },
      ],
    });
    const names = async (field: string) => (await gateway.graphql(`{ ${field} { __typename } }`, { token })).text;
    expect(await names('b')).toContain('Cannot query field \\"b\\"');
    expect(await names('a')).not.toContain('Cannot query field');
  });
});
