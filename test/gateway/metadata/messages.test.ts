import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, test } from '@jest/globals';
import { describeProblem, loadMetadata, metadataWarnings } from '../../../gateway/metadata/index.ts';
import { textOf } from '../cli/run-check.ts';
import { openEditedGateway } from '../harness/edited-gateway.ts';
import { graphqlUpstream, keeper, openIssuer } from '../harness/index.ts';
import { metadataDirectory } from '../harness/metadata-directory.ts';
import { load, loadExport, problemsIn, problemsOf } from './load.ts';

const { keep, close } = keeper();
afterAll(close);
const { keep: keepForTest, close: closeAfterTest } = keeper();
afterEach(closeAfterTest);

const textsIn = (files: Record<string, unknown>) => problemsIn(files).map(describeProblem);
const linesOf = async (files: Record<string, unknown>) => {
  const { path: location } = await keepForTest(metadataDirectory(files));
  return (await textOf({ location })).text.split('\n');
};

describe('a file that is no YAML', () => {
  test.each([
    [
      '3:1',
      '- name: shop\n  definition:\n\turl: http://127.0.0.1:1/\n    headers: []\n  permissions:\n    - role: user\n',
    ],
    ['2:2', '- name: shop\n\tdefinition: {}\n'],
    ['2:3', '- name: shop\n  \t definition: {}\n'],
  ])('because of a tab is reported once, with line and column: %s', (place, text) => {
    expect(textsIn({ 'remote_schemas.yaml': text })).toEqual([
      `remote_schemas.yaml:${place}: this line is indented with a tab: use spaces in YAML`,
    ]);
  });

  test.each(['a: [1, 2\nb: 3\nc: ]', 'a: "open\nb: {', '- a\nb: c\n- d'])('is reported once: %j', (text) => {
    expect(textsIn({ 'remote_schemas.yaml': text })).toEqual([
      expect.stringMatching(/^remote_schemas\.yaml:\d+:\d+: /),
    ]);
  });

  test.each([
    [
      'keys too far to the right',
      '- name: a\n   definition: b\n',
      '1:9',
      'the keys of a mapping must begin in the same column',
    ],
    [
      'keys too far to the left',
      '- name: a\n definition: b\n',
      '2:1',
      'the keys of an entry must begin in the same column',
    ],
    ['a colon within a text', '- name: a: b\n', '1:9', 'a text with a colon requires quotes'],
    ['a key without a colon', '- name: a\n  definition\n    url: b\n', '2:3', 'a key requires a colon after it'],
    ['a key that is there twice', '- name: a\n  name: b\n', '2:3', 'Map keys must be unique: name already exists'],
    ['a reserved character', '- name: @a\n', '1:9', 'the value requires quotes'],
    ['an empty list after entries', '- name: a\n  b: c\n[]\n', '3:1', 'declares an empty list; remove it'],
    ['an empty list before entries', '[]\n- name: a\n', '2:1', 'declares an empty list; remove it'],
    [
      'a text after a list',
      '- name: a\nb: c\n',
      '2:1',
      'it is indented incorrectly, or the whole text requires quotes',
    ],
    ['an alias of nothing', '- name: a\n  comment: *b\n', '2:12', 'a text that begins with * requires quotes'],
    ['an asterisk', '- name: a\n  comment: *\n', '2:12', 'a text that begins with * requires quotes'],
  ])('because of %s names place and remedy', (_, text, place, remedy) => {
    expect(textsIn({ 'remote_schemas.yaml': text })).toEqual([
      expect.stringMatching(new RegExp(`^remote_schemas\\.yaml:${place}: .*${remedy.replaceAll('*', '\\*')}`)),
    ]);
  });

  test('an alias of an anchor before it is no mistake', () => {
    const text = 'depth_limit: { global: &deep 5, per_role: { user: *deep } }\n';
    expect(load({ 'api_limits.yaml': text }).apiLimits.depth_limit).toMatchObject({ per_role: { user: 5 } });
  });

  test('does not hide what is wrong with another file', () => {
    const problems = textsIn({ 'remote_schemas.yaml': 'a: [', 'allow_list.yaml': '\tb: c', 'services.yaml': '{}' });
    expect(problems.map((line) => line.split(':')[0])).toEqual([
      'remote_schemas.yaml',
      'allow_list.yaml',
      'services.yaml',
    ]);
  });
});

describe('a template without quotes is reported as such', () => {
  test.each([
    ['alone', '- name: shop\n  definition:\n    url: {{SHOP_URL}}\n', '3:10', '{{SHOP_URL}}'],
    [
      'with more after it',
      '- name: shop\n  definition:\n    url: {{SHOP_URL}}/graphql\n',
      '3:10',
      '{{SHOP_URL}}/graphql',
    ],
    ['in a list', '- {{ ONE }}\n', '1:3', '{{ ONE }}'],
    ['in braces', '- { name: shop, definition: { url: {{SHOP_URL}} } }\n', '1:36', '{{SHOP_URL}}'],
  ])('%s', (_, text, place, template) => {
    expect(textsIn({ 'remote_schemas.yaml': text })).toEqual([
      `remote_schemas.yaml:${place}: a template requires quotes in YAML: "${template}"`,
    ]);
  });

  test('each of several, and none that has quotes or is a comment', () => {
    const text =
      '- name: shop # {{A}}\n  definition:\n    url: {{A}}\n    headers:\n      - { name: x, value: "{{B}}" }\n      - name: y\n        value: {{C}}/x\n';
    expect(textsIn({ 'remote_schemas.yaml': text })).toEqual([
      'remote_schemas.yaml:3:10: a template requires quotes in YAML: "{{A}}"',
      'remote_schemas.yaml:7:16: a template requires quotes in YAML: "{{C}}/x"',
    ]);
  });

  test('and other mappings in braces are what they are', () => {
    const metadata = load({ 'api_limits.yaml': 'depth_limit: {per_role: {user: 3}}\n' });
    expect(metadata.apiLimits.depth_limit?.per_role).toEqual({ user: 3 });
  });
});

test.each([
  ['UTF-16', Buffer.from('\ufeff[]\n', 'utf16le')],
  ['Latin-1', Buffer.from('- name: Aufträge\n', 'latin1')],
])('a file in %s is refused: names would be read wrongly', async (_, bytes) => {
  const { path } = await keepForTest(metadataDirectory({}));
  writeFileSync(join(path, 'remote_schemas.yaml'), bytes);
  expect(problemsOf(() => loadMetadata(path)).map(describeProblem)).toEqual([
    'remote_schemas.yaml: is not UTF-8: save it in UTF-8',
  ]);
});

test('a text in place of a list says how a list is written', () => {
  const endpoint = {
    name: 'a',
    url: 'a',
    methods: 'GET',
    definition: { query: { collection_name: 'b', query_name: 'c' } },
  };
  expect(textsIn({ 'rest_endpoints.yaml': [endpoint] }).join()).toContain(
    '[0].methods: expected array, received string: a list of one is written in brackets, or as a line that begins with "- "',
  );
});

test('two services with one path are refused: the second would never be called', () => {
  const services = [
    { name: 'orders', path: '/api/orders', url: 'http://127.0.0.1:1' },
    { name: 'archive', path: '/api/orders', url: 'http://127.0.0.1:1' },
    { name: 'old', path: '/api/orders/old', url: 'http://127.0.0.1:1' },
  ];
  expect(textsIn({ 'services.yaml': services })).toEqual([
    expect.stringMatching(
      /^services\.yaml:\d+ \[1\]\.path: the service "orders" has this path already: requests would never reach "archive"$/,
    ),
  ]);
});

test('a mapping that is not indented below its key says so', () => {
  expect(textsIn({ 'remote_schemas.yaml': '- name: a\n  definition:\n  url: http://127.0.0.1:1/\n' })).toContain(
    'remote_schemas.yaml:2 [0].definition: expected object, received null: nothing is indented below it',
  );
});

test('a text in place of a mapping says how the mapping is written', () => {
  const permissions = '- name: a\n  url: http://127.0.0.1:1/\n  path: /a\n  permissions: [user]\n';
  expect(textsIn({ 'services.yaml': permissions })).toEqual([
    'services.yaml:4 [0].permissions[0]: expected object, received string: write { role: user }',
  ]);
});

describe('a file that is empty', () => {
  test.each(['', '\n\n', '# to be written\n', '---\n', '~\n'])('is said to be: %j', (text) => {
    const metadata = load({ 'remote_schemas.yaml': text });
    expect(metadata.remoteSchemas).toEqual([]);
    expect(metadataWarnings(metadata).map(describeProblem)).toEqual([
      'remote_schemas.yaml: the file is empty, so it configures nothing; write [] or {} if that is intended',
    ]);
  });

  test.each(['[]', 'actions: []\n'])('is not one that says that there is nothing: %j', (text) => {
    const file = text === '[]' ? 'remote_schemas.yaml' : 'actions.yaml';
    expect(metadataWarnings(load({ [file]: text }))).toEqual([]);
  });

  test('is version.yaml: the version is asked for', () => {
    expect(textsIn({ 'version.yaml': '' })).toEqual([
      'version.yaml: expected "version: 3", or 2 for metadata of Hasura v1: there is none',
    ]);
    expect(textsIn({ 'version.yaml': 'version: 4\n' })).toEqual([
      'version.yaml:1 version: expected "version: 3", or 2 for metadata of Hasura v1: found 4',
    ]);
  });
});

const SHOP =
  'type Query { orders(first: Int): [Order] } type Order { id: ID! total: Int kind: Kind } enum Kind { OLD NEW }';
const shop = (schema: string) => `- name: shop
  definition:
    url: http://127.0.0.1:1/graphql
    schema_file: shop.graphql
  permissions:
    - role: user
      definition:
        schema: ${schema}
`;
const block = (sdl: string) =>
  `|-\n${sdl
    .split('\n')
    .map((line) => (line ? `          ${line}` : ''))
    .join('\n')}`;

describe('an invalid permission is reported with the line of its SDL', () => {
  const SDL = 'schema { query: Query }\n\ntype Query {\n  orders: [Order]\n}\n\ntype Order {\n  id: ID!\n}';
  test.each([
    ['a field', SDL.replace('  id: ID!', '  id: ID!\n  tatol: Int'), 17, '"Order.tatol" does not exist'],
    ['a field’s type', SDL.replace('id: ID!', 'id: Int'), 16, '"Order.id" has the type Int'],
    ['an argument', SDL.replace('orders', 'orders(\n    last: Int\n  )'), 13, '"Query.orders" has no "last"'],
    ['a type', `${SDL}\n\ntype Page {\n  id: ID\n}`, 19, 'type "Page" does not exist'],
    [
      'an enum value',
      `${SDL.replace('id: ID!', 'kind: Kind')}\nenum Kind {\n  OLD\n  ANCIENT\n}`,
      20,
      '"Kind.ANCIENT" does not exist',
    ],
    ['a type that the SDL lacks', SDL.replace('id: ID!', 'id: ID!\n  kind: Kind'), 17, 'Unknown type "Kind"'],
    [
      'a preset',
      SDL.replace('orders', 'orders(\n    first: Int @preset(value: "many")\n  )'),
      13,
      '@preset of "Query.orders.first"',
    ],
    ['the syntax', SDL.replace('[Order]', '[Order'), 13, 'Expected "]"'],
  ])('%s', async (_, sdl, line, message) => {
    const problems = (await linesOf({ 'remote_schemas.yaml': shop(block(sdl)), 'shop.graphql': SHOP })).filter((one) =>
      one.startsWith('error'),
    );
    expect(problems).toEqual([expect.stringContaining(message)]);
    expect(problems[0]).toMatch(new RegExp(`^error: remote_schemas\\.yaml:${line} `));
  });

  test('which is named where the SDL stands in one line of the file', async () => {
    const quoted = JSON.stringify(SDL.replace('  id: ID!', '  id: ID!\n  tatol: Int'));
    expect(await linesOf({ 'remote_schemas.yaml': shop(quoted), 'shop.graphql': SHOP })).toContainEqual(
      expect.stringMatching(
        /^error: remote_schemas\.yaml:8 .*"Order\.tatol" does not exist in the remote schema \(line 9 of the SDL\)$/,
      ),
    );
  });
});

describe('the check', () => {
  const operations = (...queries: string[]) => ({
    'query_collections.yaml': [
      { name: 'saved', definition: { queries: queries.map((query, index) => ({ name: `q${index}`, query })) } },
    ],
    'rest_endpoints.yaml': queries.map((_, index) => ({
      name: `q${index}`,
      url: `q${index}`,
      methods: ['GET'],
      definition: { query: { collection_name: 'saved', query_name: `q${index}` } },
    })),
  });

  test('reports the problems of a source once, not again for each saved operation', async () => {
    const lines = await linesOf({
      'remote_schemas.yaml': shop(block('type Query { nothing: Int }')),
      'shop.graphql': SHOP,
      ...operations('{ orders { id } }', '{ orders { total } }', '{ orders { kind } }'),
    });
    expect(lines.filter((line) => /^(error|warning)/.test(line))).toEqual([
      expect.stringContaining('field "Query.nothing" does not exist in the remote schema'),
      'warning: query_collections.yaml:1 [0]: 3 saved operations that no role can run are not looked at while "shop" is not part of the graph: "q0", "q1", "q2"',
    ]);
    expect(lines.at(-1)).toBe('the metadata is not valid: 1 problem');
  });

  test('reports each operation that is broken itself', async () => {
    const lines = await linesOf({
      'remote_schemas.yaml': shop(block('type Query { orders: [Order] } type Order { id: ID! }')),
      'shop.graphql': SHOP,
      ...operations('{ orders { id } }', '{ orders { nothing } }'),
    });
    expect(lines.filter((line) => line.startsWith('error'))).toEqual([
      expect.stringContaining('"q1" is not valid for any role'),
    ]);
  });

  test('says what the role * is', async () => {
    expect(await linesOf({})).toContain('role * (any other role in a token): nothing');
  });
});

test('metadata of version 2 is read, its tables are listed as ignored', () => {
  const { remoteSchemas, ignored } = load({
    'version.yaml': 'version: 2\n',
    'tables.yaml': '- table: { name: users, schema: public }\n',
    'functions.yaml': '[]\n',
    'remote_schemas.yaml': '- name: shop\n  definition: { url: "http://127.0.0.1:1/", timeout_seconds: 60 }\n',
  });
  expect(remoteSchemas.map(({ name }) => name)).toEqual(['shop']);
  expect(ignored).toEqual([
    { file: 'tables.yaml', what: expect.stringContaining('databases, tables, event triggers: ') },
  ]);
  const exported = loadExport({ version: 2, tables: [{ table: 'users' }], functions: [], remote_schemas: [] });
  expect(exported.ignored.map(({ what }) => what)).toEqual([
    expect.stringContaining('databases, tables, event triggers: '),
  ]);
  expect(problemsOf(() => loadExport({ version: 1, tables: [] })).map(({ message }) => message)).toEqual([
    'expected "version: 3", or 2 for metadata of Hasura v1: found 1',
  ]);
});

test('a reload that fails says why, and does not say that a source is not part of the graph', async () => {
  const issuer = await keep(openIssuer());
  const upstream = await keep(graphqlUpstream(SHOP, { Query: { orders: () => [] } }));
  const remote = { name: 'shop', definition: { url: upstream.graphqlUrl } };
  const gateway = await keep(openEditedGateway({ 'remote_schemas.yaml': [remote] }, { issuer }));
  const permissions = [{ role: 'user', definition: { schema: 'type Query { nothing: Int }' } }];
  const { status } = await gateway.edit({ 'remote_schemas.yaml': [{ ...remote, permissions }] });
  expect(status).toBe(400);
  expect(gateway.logged('metadata.reload_failed')).toHaveLength(1);
  expect(gateway.logged('remote_schema.unavailable')).toEqual([]);
  expect((await gateway.graphql('{ orders { id } }', { token: issuer.token() })).body).toEqual({
    data: { orders: [] },
  });

  // What comes into force is told, once it is.
  const other = { name: 'late', definition: { url: 'http://127.0.0.1:1/graphql' } };
  expect((await gateway.edit({ 'remote_schemas.yaml': [remote, other] })).status).toBe(200);
  expect(gateway.logged('remote_schema.unavailable')).toMatchObject([{ source: 'late' }]);
});
