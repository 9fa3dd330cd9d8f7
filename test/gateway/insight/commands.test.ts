import { afterAll, afterEach, describe, expect, test } from '@jest/globals';
import { buildSchema, graphqlSync } from 'graphql';
import { apolloSubgraph, productsSubgraph, reviewsSubgraph } from '../composition/subgraphs.ts';
import { federated } from '../composition/world.ts';
import { type EditedGateway, openEditedGateway } from '../harness/edited-gateway.ts';
import { bearer, graphqlUpstream, keeper, openIssuer, reply, serve, until } from '../harness/index.ts';
import { metadataDirectory } from '../harness/metadata-directory.ts';

interface Page<T> {
  readonly total: number;
  readonly items: readonly T[];
  readonly next_offset: number | null;
}

const { keep, close } = keeper();
afterAll(close);
const { keep: keepForTest, close: closeAfterTest } = keeper();
afterEach(closeAfterTest);
const removed: (() => void)[] = [];
afterAll(() => {
  for (const remove of removed) remove();
});
const issuer = await keep(openIssuer());
const products = await keep(productsSubgraph());
const reviews = await keep(reviewsSubgraph());
const shop = await keep(
  graphqlUpstream(
    '"""<img src=x onerror=alert(1)>""" type Item { id: ID! price: Int owner: String } type Query { item: Item secret_item: Item items(first: Int): [Item] }',
    { Query: { item: () => ({ id: '1', price: 3 }) } },
  ),
);
const SHOP_OF_USERS = 'type Item { id: ID! } type Query { item: Item items: [Item] }';
const remotes = (shopPart = SHOP_OF_USERS) => [
  federated('products', products),
  federated('reviews', reviews),
  {
    name: 'shop',
    definition: {
      url: `{{SHOP_URL}}?key=in-the-address`,
      headers: [
        { name: 'x-key', value: 'key-of-the-shop' },
        { name: 'x-other', value_from_env: 'SHOP_KEY' },
      ],
    },
    permissions: [{ role: 'user', definition: { schema: shopPart } }],
    remote_relationships: [
      {
        type_name: 'Item',
        relationships: [
          {
            name: 'product',
            definition: {
              to_remote_schema: {
                remote_schema: 'products',
                lhs_fields: ['id'],
                remote_field: { product: { arguments: { upc: '$id' } } },
              },
            },
          },
        ],
      },
    ],
  },
];
const environment = { SHOP_URL: shop.graphqlUrl, SHOP_KEY: 'key-of-the-environment' };
const gateway = await keep(openEditedGateway({ 'remote_schemas.yaml': remotes() }, { issuer, environment }));
const edited = () => keepForTest(openEditedGateway({ 'remote_schemas.yaml': remotes() }, { issuer, environment }));

type Source = Readonly<Record<string, unknown>> & { readonly name: string };
type Sources = Page<Source> & {
  readonly workers: number;
  readonly problems: { items: object[] };
  readonly inconsistencies: { items: object[] };
};

async function sourcesOf(of: EditedGateway): Promise<Sources> {
  return (await of.command<Sources>('portico_get_sources')).body;
}

async function source(of: EditedGateway, name: string): Promise<Source | undefined> {
  return (await sourcesOf(of)).items.find((one) => one.name === name);
}

test.each([
  'portico_get_sources',
  'portico_get_roles',
  'portico_get_graph',
  'portico_get_metadata_files',
  'portico_get_report',
  'portico_preview_metadata',
])('%s is for admins only', async (type) => {
  for (const headers of [{}, bearer(issuer.token()), bearer('x'), { 'x-hasura-admin-secret': 'wrong' }]) {
    const { status, text } = await gateway.post('/v1/metadata', { type, args: {} }, headers);
    expect([401, 403]).toContain(status);
    expect(text).not.toMatch(/shop|products|remote_schemas/);
  }
  expect((await gateway.command(type)).status).toBe(200);
});

test.each([
  ['portico_get_sources', { limit: 0 }, '$.args.limit'],
  ['portico_get_sources', { limit: 10_000 }, '$.args.limit'],
  ['portico_get_graph', { offset: -1 }, '$.args.offset'],
  ['portico_get_graph', { role: 5 }, '$.args.role'],
  ['portico_get_graph', { search: 'x'.repeat(501) }, '$.args.search'],
  ['portico_compare_roles', { first: 'user' }, '$.args.second'],
  ['portico_get_metadata_file', {}, '$.args.name'],
  ['portico_preview_metadata', { location: '/etc' }, '$.args'],
])('%s refuses %j', async (type, args, path) => {
  expect(await gateway.command(type, args)).toMatchObject({ status: 400, body: { code: 'parse-failed', path } });
});

test.each(['portico_', 'portico_get_everything', 'portico_constructor', 'portico_get_sources '])(
  'a command of no such name is refused: %s',
  async (type) => {
    expect(await gateway.command(type)).toMatchObject({ status: 400, body: { code: 'not-supported' } });
  },
);

test('a bulk has none of these commands, whose answers may be long', async () => {
  const bulk = [{ type: 'export_metadata' }, { type: 'portico_get_graph' }];
  expect(await gateway.command('bulk', bulk)).toMatchObject({
    status: 400,
    body: { code: 'not-supported', path: '$.args[1].type' },
  });
});

describe('sources', () => {
  test('are listed with their state and how their calls went', async () => {
    const of = await edited();
    const token = issuer.token();
    await of.graphql('{ item { id } }', { token });
    shop.instead = (_, response) => response.writeHead(500).end('no');
    await of.graphql('{ item { id } }', { token });
    shop.instead = undefined;
    const { items, workers, total } = await sourcesOf(of);
    expect([workers, total, items.map(({ name, kind, composed_into }) => [name, kind, composed_into])]).toEqual([
      1,
      3,
      [
        ['products', 'subgraph', 'federation'],
        ['reviews', 'subgraph', 'federation'],
        ['shop', 'remote_schema', null],
      ],
    ]);
    expect(items[2]).toMatchObject({
      schema: 'open',
      reason: null,
      circuit: 'closed',
      in_flight: 0,
      waiting: 0,
      calls: 2,
      outcomes: { success: 1, 'server-error': 1 },
      error_rate: 0.5,
      last_schema_change: null,
    });
    const { latency } = items[2] as unknown as { latency: { p50_ms: number; buckets: [number | null, number][] } };
    expect(latency.buckets.reduce((sum, [, calls]) => sum + calls, 0)).toBe(2);
    expect(latency.p50_ms).toBeGreaterThan(0);
    expect(items[0]).toMatchObject({ calls: 0, error_rate: null, latency: null });
  });

  test('show how many calls are under way', async () => {
    const of = await edited();
    // The other gateway asks now and then whether the schema has changed.
    const held: (() => void)[] = [];
    shop.instead = (_, response) => {
      held.push(() => response.writeHead(500).end());
    };
    const asked = of.graphql('{ item { id } }', { token: issuer.token() });
    await until('it is under way', async () => (await source(of, 'shop'))?.in_flight === 1);
    shop.instead = undefined;
    for (const answer of held) answer();
    await asked;
    await until('it is over', async () => (await source(of, 'shop'))?.in_flight === 0);
  });

  test('that do not answer are missing, with the place where they are described', async () => {
    const of = await edited();
    await of.edit({
      'remote_schemas.yaml': [...remotes(), { name: 'gone', definition: { url: 'http://127.0.0.1:1/' } }],
    });
    const { items, problems, inconsistencies } = await sourcesOf(of);
    expect(items.at(-1)).toMatchObject({ name: 'gone', schema: 'missing', reason: expect.any(String) });
    expect(inconsistencies.items).toEqual([{ name: 'gone', kind: 'source', reason: expect.any(String) }]);
    expect(problems.items).toEqual([
      expect.objectContaining({
        file: 'remote_schemas.yaml',
        line: expect.any(Number),
        message: expect.stringContaining('"gone"'),
      }),
    ]);
  });

  test('tell what changed in their schema last', async () => {
    const songs = await keepForTest(apolloSubgraph('type Query { song: String tune: String }'));
    const of = await keepForTest(openEditedGateway({ 'remote_schemas.yaml': [federated('songs', songs)] }, { issuer }));
    expect((await source(of, 'songs'))?.last_schema_change).toBeNull();
    songs.become('type Query { song: String album: String }');
    await of.command('reload_remote_schema', { name: 'songs' });
    await until('the change is known', async () => (await source(of, 'songs'))?.last_schema_change !== null);
    expect((await source(of, 'songs'))?.last_schema_change).toEqual({
      at: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
      total: 2,
      breaking: 1,
      changes: [
        { breaking: true, message: expect.stringContaining('tune') },
        { breaking: false, message: expect.stringContaining('album') },
      ],
    });
    await of.command('reload_metadata');
    expect((await source(of, 'songs'))?.last_schema_change).toMatchObject({ total: 2 });
  });

  test('hold no credential and no address', async () => {
    const { text } = await gateway.command('portico_get_sources');
    expect(text).not.toMatch(/key-of-the|in-the-address|127\.0\.0\.1/);
  });

  test('are paged', async () => {
    const { body } = await gateway.command<Sources>('portico_get_sources', { limit: 2 });
    expect([body.items.length, body.total, body.next_offset]).toEqual([2, 3, 2]);
    const { body: rest } = await gateway.command<Sources>('portico_get_sources', { limit: 2, offset: 2 });
    expect([rest.items.map(({ name }) => name), rest.next_offset]).toEqual([['shop'], null]);
  });
});

interface Type {
  readonly name: string;
  readonly kind: string;
  readonly description: string | null;
  readonly sources: readonly string[];
  readonly joins: readonly { source: string; key: string }[];
  readonly fields: { items: readonly { name: string; sources: readonly string[]; relationship: unknown }[] };
}

async function typeOf(name: string, args: object = {}): Promise<Type | undefined> {
  const { body } = await gateway.command<Page<Type>>('portico_get_graph', { limit: 500, ...args });
  return body.items.find((type) => type.name === name);
}

describe('the graph', () => {
  const fieldsOf = (type: Type | undefined) =>
    Object.fromEntries((type?.fields.items ?? []).map(({ name, sources }) => [name, sources]));

  test('says which source answers which field, and how types are joined', async () => {
    expect(fieldsOf(await typeOf('Query'))).toMatchObject({
      products: ['products'],
      item: ['shop'],
      secret_item: ['shop'],
    });
    const product = await typeOf('Product');
    expect(fieldsOf(product)).toMatchObject({ name: ['products'], reviews: ['reviews'] });
    expect(product?.joins).toContainEqual({ source: 'products', key: '{ upc }' });
    expect(product?.joins).toContainEqual({ source: 'reviews', key: '{ upc }' });
  });

  test('says which fields are relationships', async () => {
    const item = await typeOf('Item');
    expect(item?.fields.items.find(({ name }) => name === 'product')).toMatchObject({
      sources: ['products'],
      relationship: { target: 'products', fields: ['id'] },
    });
  });

  test('is that of a role', async () => {
    expect(Object.keys(fieldsOf(await typeOf('Item', { role: 'user' })))).not.toContain('price');
    expect(Object.keys(fieldsOf(await typeOf('Item')))).toContain('price');
  });

  test('is searched, and filtered by source', async () => {
    const names = async (args: object) =>
      (await gateway.command<Page<Type>>('portico_get_graph', args)).body.items.map(({ name }) => name);
    expect(await names({ search: 'SECRET_item' })).toEqual(['Query']);
    expect(await names({ source: 'reviews' })).toEqual(expect.arrayContaining(['Product', 'Query', 'Review']));
    expect(await names({ source: 'reviews' })).not.toContain('Item');
    expect(await names({ search: 'nothing-has-this' })).toEqual([]);
  });

  test('gives markup of descriptions as text', async () => {
    const { headers } = await gateway.command('portico_get_graph');
    expect(headers['content-type']).toMatch(/^application\/json/);
    expect(headers['x-content-type-options']).toBe('nosniff');
    expect((await typeOf('Item'))?.description).toBe('<img src=x onerror=alert(1)>');
  });

  test('is the same for all roles that the metadata does not name', async () => {
    for (let number = 0; number < 20; number++)
      expect((await gateway.command('portico_get_graph', { role: `made-up-${number}`, limit: 1 })).status).toBe(200);
    const { body } = await gateway.command<Page<string>>('portico_get_roles');
    expect(body.items).toEqual(['admin', 'anonymous', 'user', '*']);
  });

  test('of two roles is compared', async () => {
    const { body } = await gateway.command<Page<object>>('portico_compare_roles', { first: 'admin', second: 'user' });
    expect(body.items).toEqual(
      expect.arrayContaining([
        { coordinate: 'Item.price', first: 'Int', second: null },
        { coordinate: 'Query.secret_item', first: 'Item', second: null },
        { coordinate: 'Query.items(first:)', first: 'Int', second: null },
      ]),
    );
    expect(body.items).not.toContainEqual(expect.objectContaining({ coordinate: 'Item.id' }));
    const same = await gateway.command<Page<object>>('portico_compare_roles', { first: 'user', second: 'user' });
    expect(same.body.total).toBe(0);
  });
});

interface Preview {
  readonly pending: boolean;
  readonly valid: boolean;
  readonly breaking: number;
  readonly problems: { items: { file: string; line?: number; message: string }[] };
  readonly changes: { items: { breaking: boolean; message: string; roles?: string[]; usage?: object }[] };
}

describe('a change on disk', () => {
  const preview = async (of: EditedGateway) => (await of.command<Preview>('portico_preview_metadata')).body;

  test('that there is none is said', async () => {
    expect(await preview(gateway)).toMatchObject({ pending: false, valid: true, breaking: 0, changes: { items: [] } });
  });

  test('shows what it would break for which role, before it is activated', async () => {
    const of = await edited();
    const token = issuer.token();
    of.metadata.write({ 'remote_schemas.yaml': remotes('type Item { id: ID! } type Query { item: Item }') });
    expect(await preview(of)).toMatchObject({
      pending: true,
      valid: true,
      breaking: 1,
      changes: { items: [{ breaking: true, message: expect.stringContaining('items'), roles: ['user'] }] },
    });
    expect((await of.graphql('{ items { id } }', { token })).body.errors).toBeUndefined();
    await of.command('reload_metadata');
    expect((await of.graphql('{ items { id } }', { token })).body.errors).toHaveLength(1);
    expect(await preview(of)).toMatchObject({ pending: false, breaking: 0 });
  });

  test('that is not valid is shown with its places', async () => {
    const of = await edited();
    of.metadata.write({ 'remote_schemas.yaml': '- name: shop\n  definition:\n    url: 5\n' });
    expect(await preview(of)).toMatchObject({
      pending: true,
      valid: false,
      problems: { items: [{ file: 'remote_schemas.yaml', line: 3 }] },
    });
    of.metadata.write({ 'remote_schemas.yaml': remotes('type Query { nonsense: Int }') });
    expect(await preview(of)).toMatchObject({ valid: false, problems: { items: [{ file: 'remote_schemas.yaml' }] } });
    expect(of.logged('metadata.reload_failed')).toEqual([]);
  });

  test('asks services that are new for their schema, and leaves the others alone', async () => {
    const of = await edited();
    const songs = await keepForTest(graphqlUpstream('type Query { song: String }'));
    of.metadata.write({
      'remote_schemas.yaml': [...remotes(), { name: 'songs', definition: { url: songs.graphqlUrl } }],
    });
    shop.forget();
    expect(await preview(of)).toMatchObject({
      valid: true,
      breaking: 0,
      changes: { items: expect.arrayContaining([]) },
    });
    expect(songs.requests.length).toBeGreaterThan(0);
    expect(shop.requests).toEqual([]);
    expect((await of.graphql('{ song }', { token: issuer.token() })).body.errors).toHaveLength(1);
  });

  test('is looked at once at a time, however many ask', async () => {
    const of = await edited();
    const schema = buildSchema('type Query { song: String }');
    let atOnce = 0;
    let most = 0;
    const songs = await keepForTest(
      serve(async ({ body }, response) => {
        atOnce++;
        most = Math.max(most, atOnce);
        // Those that overlap have time to show it.
        for (let turn = 0; turn < 50; turn++) await new Promise(setImmediate);
        atOnce--;
        reply(response, 200, graphqlSync({ schema, source: (body as { query: string }).query }));
      }),
    );
    of.metadata.write({ 'remote_schemas.yaml': [...remotes(), { name: 'songs', definition: { url: songs.url } }] });
    expect((await preview(of)).valid).toBe(true);
    const ofOne = most;
    const answers = await Promise.all(Array.from({ length: 40 }, () => preview(of)));
    expect(answers.every(({ valid, pending }) => valid && pending)).toBe(true);
    expect(most).toBe(ofOne);
  });

  test('is weighed by the usage that is recorded', async () => {
    const of = await keepForTest(
      openEditedGateway(
        { 'remote_schemas.yaml': remotes() },
        { issuer, environment: { ...environment, PORTICO_USAGE_DIR: usageDirectory() } },
      ),
    );
    of.metadata.write({ 'remote_schemas.yaml': remotes('type Item { id: ID! } type Query { item: Item }') });
    const { changes } = await preview(of);
    expect(changes.items[0]?.usage).toMatchObject({
      verdict: 'used',
      count: 7,
      by: [expect.objectContaining({ client: 'till', operation: 'All', role: 'user' })],
    });
  });
});

function usageDirectory(): string {
  const at = new Date(Date.now() - 60_000).toISOString();
  const lines = [
    { kind: 'usage', version: 1, instance: 'test', from: at, to: at },
    { kind: 'operation', id: '1', type: 'query', name: 'All', coordinates: ['Query.items', 'Item.id', 'Item'] },
    { kind: 'uses', operation: '1', client: 'till', role: 'user', count: 7, errors: 0, first: at, last: at },
  ];
  const { path, write, close: remove } = metadataDirectory();
  removed.push(remove);
  write({ 'usage-2026-01-01-0123456789ab-1.jsonl': lines.map((line) => `${JSON.stringify(line)}\n`).join('') });
  return path;
}

describe('the report', () => {
  test('is that of portico check, on the active metadata', async () => {
    const { body } =
      await gateway.command<Record<string, { items: { role?: string; fields?: { items: string[] } }[] }>>(
        'portico_get_report',
      );
    expect(body).toMatchObject({ valid: true, problems: { items: [], omitted: 0 }, reload_problems: { items: [] } });
    expect(body.roles?.items.find(({ role }) => role === 'user')?.fields?.items).toEqual(
      expect.arrayContaining(['query item', 'query items']),
    );
  });

  test('says why the metadata on disk is not active', async () => {
    const of = await edited();
    await of.edit({ 'remote_schemas.yaml': '[' });
    const { body } = await of.command<Record<string, { items: object[] }>>('portico_get_report');
    expect(body.reload_problems?.items).toEqual([expect.objectContaining({ file: 'remote_schemas.yaml' })]);
    expect(body.valid).toBe(true);
  });
});

describe('metadata files', () => {
  test('are those that are read, and no others', async () => {
    const of = await edited();
    of.metadata.write({ '.env': 'SECRET=1', 'databases/databases.yaml': [{ name: 'default' }], 'notes.txt': 'x' });
    const { body } = await of.command<{ watched: boolean; files: { name: string; bytes: number }[] }>(
      'portico_get_metadata_files',
    );
    expect(body.watched).toBe(false);
    expect(body.files.map(({ name }) => name)).toEqual(['remote_schemas.yaml', 'version.yaml']);
  });

  test('are shown without credentials', async () => {
    const { body } = await gateway.command<{ text: string }>('portico_get_metadata_file', {
      name: 'remote_schemas.yaml',
    });
    expect(body.text).not.toMatch(/key-of-the|in-the-address/);
    expect(body.text).toContain('x-key');
    expect(body.text).toContain('SHOP_KEY');
    expect(body.text).toContain('{{SHOP_URL}}');
  });

  test.each([
    '../remote_schemas.yaml',
    './remote_schemas.yaml',
    '/etc/passwd',
    '../../../../etc/passwd',
    'databases/databases.yaml',
    '.env',
    'remote_schemas.yaml\u0000.txt',
    'REMOTE_SCHEMAS.YAML',
    '__proto__',
  ])('are nothing else that there may be: %j', async (name) => {
    expect(await gateway.command('portico_get_metadata_file', { name })).toMatchObject({
      status: 400,
      body: { code: 'not-found', path: '$.args.name' },
    });
  });

  test('that are no YAML are not shown, since their secrets cannot be recognized', async () => {
    const of = await edited();
    of.metadata.write({ 'remote_schemas.yaml': 'a: [key-of-the-shop\nb: }' });
    const { body, text } = await of.command('portico_get_metadata_file', { name: 'remote_schemas.yaml' });
    expect(body).toMatchObject({ text: null });
    expect(text).not.toContain('key-of-the-shop');
  });
});

describe('a huge graph', () => {
  const WIDE = 700;
  const TYPES = 600;
  const sdl = [
    `type Query { ${Array.from({ length: WIDE }, (_, at) => `field${at}: T${at % TYPES}`).join(' ')} }`,
    ...Array.from({ length: TYPES }, (_, at) => `type T${at} { ${'abcdefghijklmnopqrst'.replace(/./g, '$&: Int ')} }`),
  ].join('\n');

  test('is answered in pages of bounded size', async () => {
    const huge = await keepForTest(graphqlUpstream(sdl));
    const of = await keepForTest(
      openEditedGateway(
        { 'remote_schemas.yaml': [{ name: 'huge', definition: { url: huge.graphqlUrl } }] },
        { issuer },
      ),
    );
    const { body } = await of.command<Page<Type & { fields: { omitted: number } }>>('portico_get_graph', {
      limit: 500,
    });
    expect([body.total, body.items.length, body.next_offset]).toEqual([TYPES + 1, 500, 500]);
    const query = body.items.find(({ name }) => name === 'Query');
    expect([query?.fields.items.length, query?.fields.omitted]).toEqual([500, 200]);
    expect(body.items.reduce((sum, { fields }) => sum + fields.items.length, 0)).toBe(5_000);
    expect(body.items.every(({ fields }) => fields.items.length + fields.omitted >= 20)).toBe(true);
    const compared = await of.command<Page<object>>('portico_compare_roles', { first: 'admin', second: 'anonymous' });
    expect([compared.body.items.length, compared.body.next_offset]).toEqual([100, 100]);
    const report = await of.command<{
      roles: { items: { role: string; fields: { items: string[]; omitted: number } }[] };
    }>('portico_get_report');
    const admin = report.body.roles.items.find(({ role }) => role === 'admin');
    expect([admin?.fields.items.length, admin?.fields.omitted]).toEqual([200, WIDE - 200]);
  });

  test('is compared with what a role would see of it', async () => {
    const huge = await keepForTest(graphqlUpstream(sdl));
    const described = (schema: string) => [
      {
        name: 'huge',
        definition: { url: huge.graphqlUrl },
        permissions: [{ role: 'user', definition: { schema } }],
      },
    ];
    const of = await keepForTest(openEditedGateway({ 'remote_schemas.yaml': described(sdl) }, { issuer }));
    const less = sdl.replace('field0: T0 ', '').replace('type T5 { a: Int ', 'type T5 { ');
    of.metadata.write({ 'remote_schemas.yaml': described(less) });
    const { body } = await of.command<Preview>('portico_preview_metadata');
    expect(body).toMatchObject({ pending: true, valid: true, breaking: 2 });
    expect(body.changes.items.map(({ message, roles }) => [/'\w+'.*'\w+'/.test(message), roles])).toEqual([
      [true, ['user']],
      [true, ['user']],
    ]);
  });
});

test('a change that takes a service away which does not answer says so', async () => {
  const of = await edited();
  of.metadata.write({
    'remote_schemas.yaml': [...remotes(), { name: 'gone', definition: { url: 'http://127.0.0.1:1/' } }],
  });
  const { body } = await of.command<{ missing: object }>('portico_preview_metadata');
  expect(body.missing).toEqual({ items: [{ name: 'gone', reason: expect.any(String) }], omitted: 0 });
});
