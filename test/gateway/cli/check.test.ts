import { existsSync, readFileSync } from 'node:fs';
import { afterAll, afterEach, describe, expect, test } from '@jest/globals';
import { keeper } from '../harness/index.ts';
import { type MetadataDirectory, metadataDirectory } from '../harness/metadata-directory.ts';
import { reportOf, textOf } from './run-check.ts';
import { environmentOf, FILES, openShop } from './shop-metadata.ts';

const { keep, close } = keeper();
afterAll(close);
const { keep: keepForTest, close: closeAfterTest } = keeper();
afterEach(closeAfterTest);

const environment = environmentOf(await keep(openShop()));

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
      warnings: [],
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
      conditionalFields: {},
      conditionalEndpoints: [],
      authenticationFields: [],
      operations: { 'saved/order': ['admin', 'clerk'], 'saved/orders': ['clerk'], 'saved/margins': ['admin'] },
      persistedDocuments: {},
      hints: [],
      ignored: [{ file: 'cron_triggers.yaml', what: expect.stringContaining('cron triggers: ') }],
    });
  });

  test('warns of documents of clients that no role can run', async () => {
    const { path: location } = await open({
      ...FILES,
      'persisted_documents.yaml': [{ file: 'web.json' }, { file: 'clerks.json', roles: ['clerk', 'nobody'] }],
      'web.json': JSON.stringify({ good: '{ orders { id } }', bad: '{ nothing }' }),
      'clerks.json': JSON.stringify({ good: '{ orders { id } }', wrong: 'mutation { cancel(id: 1) { id } }' }),
    });
    const { code, report } = await reportOf({ location, environment });
    expect([code, report.valid, report.persistedDocuments]).toEqual([0, true, { 'web.json': 2, 'clerks.json': 2 }]);
    expect(report.warnings).toEqual([
      {
        file: 'web.json',
        message: expect.stringMatching(/^the document "bad" is not valid for any role: Cannot query/),
      },
      {
        file: 'clerks.json',
        message: expect.stringMatching(/^the document "wrong" is not valid for any of the roles clerk, nobody: /),
      },
    ]);
    expect((await textOf({ location, environment })).text).toContain('persisted documents of web.json: 2');
  });

  test('says it in words', async () => {
    const { path: location } = await open();
    const { code, text } = await textOf({ location, environment });
    expect(code).toBe(0);
    expect(text.split('\n')).toEqual([
      expect.stringMatching(/^ignored: cron_triggers.yaml: cron triggers: /),
      'sources: actions (actions), shop (remote-schema)',
      'role admin: query order, query orders, mutation ping, mutation cancel',
      'role anonymous: mutation ping',
      'role clerk: query order, query orders',
      'role archivist: nothing',
      'role * (any other role in a token): nothing',
      'authentication fields: none',
      'operation saved/order: admin, clerk',
      'operation saved/orders: clerk',
      'operation saved/margins: admin',
      'the metadata is valid',
    ]);
  });
});

describe('a check of metadata that is wrong', () => {
  test('reports every problem in the files, each with its place', async () => {
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

  test('reports all variables that are not set', async () => {
    const { path: location } = await open();
    const { code, report } = await reportOf({ location });
    expect(code).toBe(1);
    expect(report.problems.map(({ file, message }) => [file, message.replace(/^.*: /, '')])).toEqual([
      ['remote_schemas.yaml', 'SHOP_URL'],
      ['actions.yaml', 'PING_URL'],
      ['services.yaml', 'FILES_URL'],
    ]);
  });

  test('reports a variable that is not set once, with all places that refer to it', async () => {
    const action = (name: string) => ({
      name,
      definition: { handler: `{{PING_URL}}/${name}`, headers: [{ name: 'x-key', value: '{{PING_URL}} {{PING_KEY}}' }] },
      permissions: [{ role: 'anonymous' }],
    });
    const { path: location } = await open({
      ...FILES,
      'actions.yaml': { actions: [action('ping'), action('pong')] },
      'actions.graphql': 'type Mutation { ping: String pong: String }',
    });
    const { report } = await reportOf({ location, environment: { ...environment, PING_URL: undefined } });
    const inActions = (line: number, path: string) => ({ file: 'actions.yaml', line, path: `actions${path}` });
    expect(report.problems).toEqual([
      {
        ...inActions(4, '[0].definition.handler'),
        message: 'Value for environment variables not found: PING_URL',
        alsoAt: [
          inActions(7, '[0].definition.headers[0].value'),
          inActions(12, '[1].definition.handler'),
          inActions(15, '[1].definition.headers[0].value'),
        ],
      },
      {
        ...inActions(7, '[0].definition.headers[0].value'),
        message: 'Value for environment variables not found: PING_KEY',
        alsoAt: [inActions(15, '[1].definition.headers[0].value')],
      },
    ]);
    const { text } = await textOf({ location, environment: { ...environment, PING_URL: undefined } });
    expect(text).toContain(
      'error: actions.yaml:4 actions[0].definition.handler: Value for environment variables not found: PING_URL (to be set where this process is started); also at actions.yaml:7,12,15\n',
    );
  });

  test('reports what a database for jobs would find, where there is none', async () => {
    const { path: location } = await open({
      ...FILES,
      'cron_triggers.yaml': [{ name: 'nightly', webhook: '{{NIGHTLY_URL}}', schedule: '0 0 * * *' }],
    });
    const { code, report } = await reportOf({ location, environment });
    expect(code).toBe(1);
    expect(report.problems).toMatchObject([
      { file: 'cron_triggers.yaml', message: 'Value for environment variables not found: NIGHTLY_URL' },
    ]);
    const shared = { types: ['*'], all_tenants: true };
    const deliveries = {
      producers: [{ name: 'shop', sources: ['*'], secret_from_env: 'SHOP_KEY', ...shared }],
      subscriptions: [{ name: 'mails', webhook: '{{MAIL_URL}}', secret_from_env: 'MAIL_KEY', ...shared }],
    };
    const other = await open({ ...FILES, 'deliveries.yaml': deliveries });
    const { text } = await textOf({ location: other.path, environment });
    expect(text).toContain('deliveries: a database for jobs is required');
    for (const name of ['SHOP_KEY', 'MAIL_KEY', 'MAIL_URL']) expect(text).toContain(`not found: ${name}`);
  });

  test('reports services that do not answer, and what it knows without them', async () => {
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

  test('reports permissions that do not fit and conflicts, together', async () => {
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

  test('reports saved operations that no role can run', async () => {
    const queries = [
      { name: 'gone', query: '{ nothing order(id: 1) { price } }' },
      { name: 'bare', query: '{ ping }' },
    ];
    const { path: location } = await open({
      ...FILES,
      'rest_endpoints.yaml': [],
      'allow_list.yaml': [{ collection: 'saved' }],
      'query_collections.yaml': [{ name: 'saved', definition: { queries } }],
    });
    const harmless = await reportOf({ location, environment });
    const enforced = { ...environment, HASURA_GRAPHQL_ENABLE_ALLOWLIST: 'true' };
    const { code, report } = await reportOf({ location, environment: enforced });
    expect([harmless.code, harmless.report.problems, code]).toEqual([0, [], 1]);
    expect(harmless.report.warnings).toEqual(report.problems);
    const note = { file: 'allow_list.yaml', what: 'the allow list: HASURA_GRAPHQL_ENABLE_ALLOWLIST is not true' };
    expect(harmless.report.ignored).toContainEqual(note);
    expect(report.ignored).not.toContainEqual(note);
    expect(report.operations).toEqual({ 'saved/gone': [], 'saved/bare': [] });
    expect(report.problems).toMatchObject([
      {
        file: 'query_collections.yaml',
        line: 4,
        path: '[0].definition.queries[0]',
        message:
          '"gone" is not valid for any role: Cannot query field "nothing" on type "Query".; Cannot query field "price" on type "Order".',
      },
      { line: 6, message: expect.stringContaining('"bare" is not valid for any role') },
    ]);
  });

  test('reports saved operations over ignored databases once', async () => {
    const queries = Array.from({ length: 7 }, (_, index) => ({
      name: `q${index}`,
      query: `{ table_${index} { id } }`,
    }));
    const [first] = queries;
    const { path: location } = await open({
      ...FILES,
      'databases/databases.yaml': [{ name: 'default', kind: 'postgres', tables: [] }],
      'query_collections.yaml': [{ name: 'saved', definition: { queries } }],
      'rest_endpoints.yaml': [],
    });
    const { code, report } = await reportOf({ location, environment });
    expect([code, report.problems]).toEqual([0, []]);
    expect(report.warnings.map(({ message }) => message)).toEqual([
      '7 saved operations request fields that no service has, such as fields of databases, and are ignored: "q0", "q1", "q2", "q3", "q4", and 2 more',
    ]);
    const { text } = await textOf({ location, environment });
    expect(text).toMatch(/^warning: query_collections\.yaml:\d+ /m);

    const { path: needed } = await open({
      ...FILES,
      'query_collections.yaml': [{ name: 'saved', definition: { queries: [first] } }],
      'rest_endpoints.yaml': [
        {
          name: 'q',
          url: 'q',
          methods: ['GET'],
          definition: { query: { collection_name: 'saved', query_name: 'q0' } },
        },
      ],
    });
    const refused = await reportOf({ location: needed, environment });
    expect([refused.code, refused.report.problems.length, refused.report.warnings]).toEqual([1, 1, []]);
  });

  test('reports settings that are wrong, but not those that are not set', async () => {
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

  test('reports that there is no metadata', async () => {
    const { code, text } = await textOf({ location: '/no/such/metadata' });
    expect([code, text]).toEqual([1, expect.stringContaining('error: /no/such/metadata: does not exist')]);
  });
});

test('an environment variable that is missing is reported at the line that names it', async () => {
  const { path: location } = await open({
    'remote_schemas.yaml': `
- name: one
  definition:
    timeout_seconds: 5
    url: '{{ONE_URL}}/graphql'
    headers:
      - { name: x-a, value: fixed }
      - name: x-b
        value_from_env: ONE_KEY
- name: two
  definition:
    url: http://127.0.0.1:1
    subscriptions:
      protocol: sse
      url_from_env: TWO_URL
- name: three
  definition:
    composition: federation
    supergraph_url: http://127.0.0.1:1
    subgraphs:
      a:
        timeout_seconds: 3
        url: '{{A_URL}}'
`,
    'services.yaml': `
- name: files
  path: /api/files
  url: http://127.0.0.1:1
  headers:
    - name: x-key
      value: '{{FILES_KEY}}'
`,
    'opentelemetry.yaml': `
status: enabled
data_types: [traces, metrics]
exporter_otlp:
  otlp_traces_endpoint: '{{TRACES_URL}}'
  otlp_metrics_endpoint: http://127.0.0.1:1
  headers:
    - name: x-key
      value_from_env: TRACES_KEY
`,
    'actions.graphql': 'type Mutation { ship: String }',
    'actions.yaml': `
actions:
  - name: ship
    definition:
      kind: synchronous
      handler: http://127.0.0.1:1
      webhook_signature:
        secret_from_env: SHIP_SECRET
`,
  });
  const { report } = await reportOf({ location, environment: {} });
  const found = report.problems.map(({ file, line, message }) => [
    `${file}:${line}`,
    message.replace(/^.*not found: /, ''),
  ]);
  expect(found).toEqual([
    ['remote_schemas.yaml:5', 'ONE_URL'],
    ['remote_schemas.yaml:9', 'ONE_KEY'],
    ['remote_schemas.yaml:15', 'TWO_URL'],
    ['remote_schemas.yaml:23', 'A_URL'],
    ['actions.yaml:8', 'SHIP_SECRET'],
    ['services.yaml:7', 'FILES_KEY'],
    ['opentelemetry.yaml:5', 'TRACES_URL'],
    ['opentelemetry.yaml:9', 'TRACES_KEY'],
  ]);
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

  test('are reported when they are missing or invalid', async () => {
    const { path: location, write } = await open();
    const missing = await reportOf({ location, environment, schemas: `${location}/none` });
    expect(missing.report.problems).toEqual([
      { file: `${location}/none/shop.graphql`, message: 'the recorded schema of "shop" cannot be read (ENOENT)' },
    ]);
    write({ 'recorded/shop.graphql': 'type Query {' });
    const wrong = await reportOf({ location, environment, schemas: `${location}/recorded` });
    expect([wrong.code, wrong.report.problems[0]?.message]).toEqual([1, expect.stringContaining('Syntax Error')]);
  });

  test('are written where the path goes through a directory that is missing', async () => {
    const { path: location } = await open();
    await textOf({ location, environment, record: `${location}/fresh/../recorded` });
    expect([existsSync(`${location}/fresh`), existsSync(`${location}/recorded/shop.graphql`)]).toEqual([false, true]);
  });

  test('leave no directories behind where they cannot be written', async () => {
    const { path: location } = await open();
    // The directory can be made, and the path of a file in it would be longer than paths may be.
    let record = `${location}/recorded`;
    while (record.length < 4_080) record += `/${'x'.repeat(Math.min(200, 4_081 - record.length))}`;
    await expect(textOf({ location, environment, record })).rejects.toThrow(/^--record: .* \(ENAMETOOLONG\)$/);
    expect(existsSync(`${location}/recorded`)).toBe(false);
  });

  test('cannot be written where a file is', async () => {
    const { path: location } = await open();
    await expect(textOf({ location, environment, record: `${location}/version.yaml` })).rejects.toThrow(
      /^--record: .*version\.yaml is a file, or is within one$/,
    );
  });

  test('are not written where the metadata is wrong', async () => {
    const { path: location } = await open({ 'remote_schemas.yaml': '[' });
    await textOf({ location, record: `${location}/recorded` });
    expect(existsSync(`${location}/recorded`)).toBe(false);
  });
});

describe('a check knows which session variables callers have where a claims_map says it', () => {
  const claims_map = {
    'x-hasura-allowed-roles': { path: '$.roles' },
    'x-hasura-default-role': { path: '$.role' },
    'x-hasura-store-id': { path: '$.store' },
  };
  const secret = { type: 'HS256', key: 'k'.repeat(32), claims_map };
  const sdl = (name: string) =>
    `type Query { orders(first: Int @preset(value: "x-hasura-${name}")): [Order!]! } type Order { id: ID! }`;
  const presetOf = (name: string) => ({
    'remote_schemas.yaml': [
      {
        name: 'shop',
        definition: { url: '{{SHOP_URL}}' },
        permissions: [{ role: 'clerk', definition: { schema: sdl(name) } }],
      },
    ],
  });

  test.each([
    ['stor-id', ['no claims_map has the session variable "x-hasura-stor-id": did you mean "x-hasura-store-id"?']],
    ['user-id', ['no claims_map has the session variable "x-hasura-user-id"']],
    ['store-id', []],
    ['role', []],
  ])('%s', async (name, expected) => {
    const { path: location } = await open(presetOf(name));
    const settings = { ...environment, HASURA_GRAPHQL_JWT_SECRET: JSON.stringify(secret) };
    const { report } = await reportOf({ location, environment: settings });
    expect(report.warnings.map(({ message }) => message)).toEqual(expected);
    const hooked = { ...environment, HASURA_GRAPHQL_AUTH_HOOK: 'http://127.0.0.1:1/' };
    expect((await reportOf({ location, environment: hooked })).report.warnings).toEqual([]);
  });
});
