import { existsSync, readFileSync } from 'node:fs';
import { afterAll, afterEach, describe, expect, test } from '@jest/globals';
import { graphqlUpstream, keeper } from '../harness/index.ts';
import { type MetadataDirectory, metadataDirectory } from '../harness/metadata-directory.ts';
import { reportOf, textOf } from './run-check.ts';

const { keep, close } = keeper();
afterAll(close);
const { keep: keepForTest, close: closeAfterTest } = keeper();
afterEach(closeAfterTest);

const shop = await keep(
  graphqlUpstream(
    'type Query { order(id: ID!): Order orders(tenant: Int!): [Order] } type Mutation { cancel(id: ID!): Order } type Order { id: ID! item: String margin: Float }',
  ),
);
const FOR_CLERKS =
  'type Query { order(id: ID!): Order orders(tenant: Int! @preset(value: "x-hasura-tenant-id")): [Order] } type Order { id: ID! item: String }';
const environment = { SHOP_URL: shop.graphqlUrl, FILES_URL: 'http://127.0.0.1:1', PING_URL: 'http://127.0.0.1:1' };

const FILES = {
  'remote_schemas.yaml': [
    {
      name: 'shop',
      definition: { url_from_env: 'SHOP_URL' },
      permissions: [{ role: 'clerk', definition: { schema: FOR_CLERKS } }],
    },
  ],
  'actions.yaml': {
    actions: [{ name: 'ping', definition: { handler: '{{PING_URL}}' }, permissions: [{ role: 'anonymous' }] }],
  },
  'actions.graphql': 'type Mutation { ping: String }',
  'query_collections.yaml': [
    {
      name: 'saved',
      definition: {
        queries: [
          { name: 'order', query: 'query ($id: ID!) { order(id: $id) { item } }' },
          { name: 'orders', query: '{ orders { id } }' },
          { name: 'margins', query: 'query ($id: ID!) { order(id: $id) { margin } }' },
        ],
      },
    },
  ],
  'rest_endpoints.yaml': [
    {
      name: 'order',
      url: 'orders/:id',
      methods: ['GET'],
      definition: { query: { collection_name: 'saved', query_name: 'order' } },
    },
  ],
  'services.yaml': [{ name: 'files', path: '/files', url: '{{FILES_URL}}', permissions: [{ role: 'archivist' }] }],
  'cron_triggers.yaml': [{ name: 'nightly' }],
};

const open = (files: Record<string, unknown> = FILES): Promise<MetadataDirectory> =>
  keepForTest(metadataDirectory(files));

describe('a check of metadata that is right', () => {
  test('says what there is, for whom, and what is ignored', async () => {
    const { path: location } = await open();
    const { code, report } = await reportOf({ location, environment });
    expect(code).toBe(0);
    expect(report).toEqual({
      valid: true,
      problems: [],
      sources: [
        { name: 'actions', kind: 'actions' },
        { name: 'shop', kind: 'remote-schema' },
      ],
      roles: {
        admin: ['query order', 'query orders', 'mutation ping', 'mutation cancel'],
        anonymous: ['mutation ping'],
        clerk: ['query order', 'query orders'],
        archivist: [],
        '*': [],
      },
      operations: { 'saved/order': ['admin', 'clerk'], 'saved/orders': ['clerk'], 'saved/margins': ['admin'] },
      ignored: [{ file: 'cron_triggers.yaml', what: 'cron triggers' }],
    });
  });

  test('says it in words', async () => {
    const { path: location } = await open();
    const { code, text } = await textOf({ location, environment });
    expect(code).toBe(0);
    expect(text.split('\n')).toEqual([
      'ignored: cron_triggers.yaml: cron triggers',
      'sources: actions (actions), shop (remote-schema)',
      'role admin: query order, query orders, mutation ping, mutation cancel',
      'role anonymous: mutation ping',
      'role clerk: query order, query orders',
      'role archivist: nothing',
      'role *: nothing',
      'operation saved/order: admin, clerk',
      'operation saved/orders: clerk',
      'operation saved/margins: admin',
      'the metadata is valid',
    ]);
  });
});

describe('a check of metadata that is wrong', () => {
  test('tells everything that the files say, each with its place', async () => {
    const { path: location } = await open({
      ...FILES,
      'remote_schemas.yaml': [{ nam: 'shop', definition: {} }],
      'allow_list.yaml': [{ collection: 'none' }],
    });
    const { code, text } = await textOf({ location, environment });
    expect(code).toBe(1);
    expect(text).toContain('error: remote_schemas.yaml:1 [0].nam: unknown key "nam": did you mean "name"?');
    expect(text).toContain('error: allow_list.yaml:1 [0].collection: there is no collection "none"');
    expect(text).toMatch(/\nthe metadata is not valid: \d problems$/);
  });

  test('tells all variables that are not set', async () => {
    const { path: location } = await open();
    const { code, report } = await reportOf({ location });
    expect(code).toBe(1);
    expect(report.problems.map(({ file, message }) => [file, message.replace(/^.*: /, '')])).toEqual([
      ['remote_schemas.yaml', 'SHOP_URL'],
      ['actions.yaml', 'PING_URL'],
      ['services.yaml', 'FILES_URL'],
    ]);
  });

  test('tells services that do not answer, and what it knows without them', async () => {
    const { path: location } = await open();
    const { code, report } = await reportOf({
      location,
      environment: { ...environment, SHOP_URL: 'http://127.0.0.1:1' },
    });
    expect(code).toBe(1);
    expect(report.problems[0]).toMatchObject({
      file: 'remote_schemas.yaml',
      line: 1,
      path: '[0]',
      message: expect.stringMatching(/^remote schema "shop": connection/),
    });
    expect(report.roles.anonymous).toEqual(['mutation ping']);
  });

  test('tells permissions that do not fit and conflicts, at once', async () => {
    const [remote] = FILES['remote_schemas.yaml'];
    const misfit = {
      ...remote,
      name: 'misfit',
      permissions: [{ role: 'clerk', definition: { schema: 'type Query { price: Int cost: Int }' } }],
    };
    const { path: location } = await open({
      ...FILES,
      'remote_schemas.yaml': [remote, { ...remote, name: 'copy', permissions: [] }, misfit],
    });
    const { code, report } = await reportOf({ location, environment });
    expect(code).toBe(1);
    const messages = report.problems.map(({ path, message }) => `${path} ${message}`);
    expect(messages).toEqual([
      '[2].permissions[0].definition.schema remote schema "misfit": permission of role "clerk": field "Query.price" does not exist in the remote schema',
      '[2].permissions[0].definition.schema remote schema "misfit": permission of role "clerk": field "Query.cost" does not exist in the remote schema',
      expect.stringMatching(/^\[1\] remote schema "copy": the root field "order" is offered by "copy" and by "shop"/),
    ]);
  });

  test('tells saved operations that nobody could run', async () => {
    const queries = [
      { name: 'gone', query: '{ nothing order(id: 1) { price } }' },
      { name: 'bare', query: '{ ping }' },
    ];
    const { path: location } = await open({
      ...FILES,
      'rest_endpoints.yaml': [],
      'query_collections.yaml': [{ name: 'saved', definition: { queries } }],
    });
    const { code, report } = await reportOf({ location, environment });
    expect(code).toBe(1);
    expect(report.operations).toEqual({ 'saved/gone': [], 'saved/bare': [] });
    expect(report.problems).toMatchObject([
      {
        file: 'query_collections.yaml',
        line: 4,
        path: '[0].definition.queries[0]',
        message:
          '"gone" is valid for no role: Cannot query field "nothing" on type "Query".; Cannot query field "price" on type "Order".',
      },
      { line: 6, message: expect.stringContaining('"bare" is valid for no role') },
    ]);
  });

  test('tells settings that are wrong, but not those that are not set', async () => {
    const { path: location } = await open();
    const { code, report } = await reportOf({
      location,
      environment: {
        ...environment,
        HASURA_GRAPHQL_JWT_SECRET: '{"type":"HS256","key":"short"}',
        PORTICO_MAX_DEPTH: 'deep',
      },
    });
    expect(code).toBe(1);
    expect(report.problems.map(({ file, message }) => [file, message.split(':')[0]])).toEqual([
      ['environment', 'HASURA_GRAPHQL_JWT_SECRET'],
      ['environment', 'PORTICO_MAX_DEPTH'],
    ]);
    expect(JSON.stringify(report)).not.toMatch(/short|deep/);
  });

  test('tells that there is no metadata', async () => {
    const { code, text } = await textOf({ location: '/no/such/metadata' });
    expect([code, text]).toEqual([1, expect.stringContaining('error: /no/such/metadata: is no directory or file')]);
  });
});

describe('schemas that are recorded', () => {
  test('take the place of the services, whatever the names of these are', async () => {
    const name = '../shop & more';
    const [remote] = FILES['remote_schemas.yaml'];
    const { path: location } = await open({ ...FILES, 'remote_schemas.yaml': [{ ...remote, name }] });
    const record = `${location}/recorded/schemas`;
    expect((await reportOf({ location, environment, record })).code).toBe(0);
    const file = `${record}/..%2Fshop%20%26%20more.graphql`;
    expect(readFileSync(file, 'utf8')).toContain('cancel(id: ID!): Order');

    const elsewhere = { ...environment, SHOP_URL: 'http://127.0.0.1:1' };
    const { code, report } = await reportOf({ location, environment: elsewhere, schemas: record });
    expect(code).toBe(0);
    expect(report.roles.clerk).toEqual(['query order', 'query orders']);
  });

  test('are told when they are missing or wrong', async () => {
    const { path: location, write } = await open();
    const missing = await reportOf({ location, environment, schemas: `${location}/none` });
    expect(missing.report.problems).toEqual([
      { file: `${location}/none/shop.graphql`, message: 'the recorded schema of "shop" cannot be read (ENOENT)' },
    ]);
    write({ 'recorded/shop.graphql': 'type Query {' });
    const wrong = await reportOf({ location, environment, schemas: `${location}/recorded` });
    expect([wrong.code, wrong.report.problems[0]?.message]).toEqual([1, expect.stringContaining('Syntax Error')]);
  });

  test('cannot be written where a file is', async () => {
    const { path: location } = await open();
    await expect(textOf({ location, environment, record: `${location}/version.yaml` })).rejects.toThrow(
      /^schemas cannot be written to .* \(EEXIST\)$/,
    );
  });

  test('are not written where the metadata is wrong', async () => {
    const { path: location } = await open({ 'remote_schemas.yaml': '[' });
    await textOf({ location, record: `${location}/recorded` });
    expect(existsSync(`${location}/recorded`)).toBe(false);
  });
});

describe('a check against other metadata', () => {
  async function compare(changed: Record<string, unknown>) {
    const before = await open();
    const after = await open({ ...FILES, ...changed });
    const { code, report } = await reportOf({ location: after.path, against: before.path, environment });
    return {
      code,
      changes: report.changes?.map(({ breaking, message, roles }) => [breaking, message, ...(roles ?? [])]),
      report,
    };
  }
  const withPermissions = (permissions: unknown) => ({
    'remote_schemas.yaml': [{ ...FILES['remote_schemas.yaml'][0], permissions }],
  });

  test('finds nothing where nothing has changed', async () => {
    expect(await compare({})).toMatchObject({ code: 0, changes: [] });
  });

  test('allows what breaks nothing', async () => {
    const { code, changes } = await compare({
      ...withPermissions([
        { role: 'clerk', definition: { schema: FOR_CLERKS.replace('item: String', 'item: String margin: Float') } },
        { role: 'anonymous', definition: { schema: 'type Query { order(id: ID!): Order } type Order { id: ID! }' } },
      ]),
      'query_collections.yaml': [
        {
          name: 'saved',
          definition: { queries: [{ name: 'order', query: 'query ($number: ID!) { order(id: $number) { item } }' }] },
        },
      ],
      'rest_endpoints.yaml': [{ ...FILES['rest_endpoints.yaml'][0], url: 'orders/:number', methods: ['GET', 'POST'] }],
    });
    expect(code).toBe(0);
    expect(changes).toEqual(
      expect.arrayContaining([
        [false, 'POST /api/rest/orders/:number was added'],
        [false, "Field 'margin' was added to object type 'Order'", 'clerk'],
        [false, "Field 'order' was added to object type 'Query'", 'anonymous'],
      ]),
    );
    expect(changes?.filter(([breaking]) => breaking)).toEqual([]);
  });

  test('refuses what takes something away, and says from whom', async () => {
    const { code, changes } = await compare({
      ...withPermissions([
        { role: 'clerk', definition: { schema: 'type Query { order(id: ID!): Order } type Order { id: ID! }' } },
      ]),
      'actions.yaml': undefined,
      'actions.graphql': undefined,
      'rest_endpoints.yaml': undefined,
      'services.yaml': undefined,
    });
    expect(code).toBe(1);
    expect(changes).toEqual(
      expect.arrayContaining([
        [true, 'GET /api/rest/orders/:id was removed'],
        [true, '/files was removed'],
        [true, "Field 'item' was removed from object type 'Order'", 'clerk'],
        [true, "Field 'orders' was removed from object type 'Query'", 'clerk'],
        [true, "Field 'ping' was removed from object type 'Mutation'", 'admin'],
        [true, "Type 'Mutation' was removed", 'anonymous'],
      ]),
    );
  });

  test('refuses what takes a service away from roles that nobody has named', async () => {
    const [remote] = FILES['remote_schemas.yaml'];
    const before = await open({ 'remote_schemas.yaml': [{ ...remote, permissions: undefined }] });
    const after = await open({ 'remote_schemas.yaml': [remote] });
    const { code, report } = await reportOf({ location: after.path, against: before.path, environment });
    expect(code).toBe(1);
    expect(report.changes?.filter(({ breaking }) => breaking).flatMap(({ roles }) => roles)).toContain('*');
  });

  test('is not made with what cannot be compared', async () => {
    const after = await open();
    const missing = await reportOf({ location: after.path, against: 'no-such-thing', environment });
    expect([missing.code, missing.report.problems]).toEqual([
      1,
      [{ file: 'no-such-thing', message: 'is no metadata directory and no git reference that has one' }],
    ]);
    const broken = await open({ 'services.yaml': '[' });
    const { code, report } = await reportOf({ location: after.path, against: broken.path, environment });
    expect([code, report.problems[0]?.message]).toEqual([
      1,
      expect.stringMatching(/^cannot be compared with: services\.yaml:1/),
    ]);
  });

  test('does not take a service that is down for one that has been taken away', async () => {
    const before = await open();
    const after = await open();
    const down = { ...environment, SHOP_URL: 'http://127.0.0.1:1' };
    const { code, report } = await reportOf({ location: after.path, against: before.path, environment: down });
    expect(code).toBe(1);
    expect(report).not.toHaveProperty('changes');
  });
});
