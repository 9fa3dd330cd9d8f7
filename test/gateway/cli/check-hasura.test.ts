import { afterAll, describe, expect, test } from '@jest/globals';
import { buildSchema, graphqlSync } from 'graphql';
import { type Handler, keeper, openGateway, openIssuer, reply, serve } from '../harness/index.ts';
import { type MetadataDirectory, metadataDirectory } from '../harness/metadata-directory.ts';
import { reportOf, textOf } from './run-check.ts';
import { environmentOf, FILES, FOR_CLERKS, openShop } from './shop-metadata.ts';

const { keep, close } = keeper();
afterAll(close);

const SECRET = 'correct-horse-battery-staple';
const shop = await keep(openShop());
const environment = environmentOf(shop);
const { path: location } = await keep<MetadataDirectory>(metadataDirectory(FILES));

/** A server that answers introspections as Hasura does: the schema of the role that the admin secret is used for. */
async function hasura(schemas: Readonly<Record<string, string>>) {
  return keep(
    serve((received, response) => {
      const { 'x-hasura-admin-secret': secret, 'x-hasura-role': role = 'admin' } = received.headers;
      if (secret !== SECRET)
        return reply(response, 200, { errors: [{ message: 'invalid "x-hasura-admin-secret"/"x-hasura-access-key"' }] });
      const sdl =
        schemas[String(role)] ?? 'schema { query: query_root } type query_root { no_queries_available: String! }';
      const { query } = received.body as { query: string };
      return reply(response, 200, graphqlSync({ schema: buildSchema(sdl, { assumeValidSDL: true }), source: query }));
    }),
  );
}

const compare = (url: string, more: object = { adminSecret: SECRET }) =>
  reportOf({ location, environment, hasura: url, ...more });

/** What Hasura makes of two tables, beside what its remote schema and its action have. */
const TABLES = `
  type users { id: uuid!  name: String  orders: [Order!]!  notes(where: notes_bool_exp, limit: Int): [notes!]! }
  type notes { id: Int!  text: String }
  input users_bool_exp { _and: [users_bool_exp!]  id: uuid_comparison_exp }
  input notes_bool_exp { id: Int_comparison_exp }
  input uuid_comparison_exp { _eq: uuid }
  input Int_comparison_exp { _eq: Int }
  scalar uuid
  type users_aggregate { aggregate: users_aggregate_fields  nodes: [users!]! }
  type users_aggregate_fields { count: Int! }
  type users_mutation_response { affected_rows: Int!  returning: [users!]! }
  input users_insert_input { name: String }
  directive @cached(ttl: Int! = 60, refresh: Boolean! = false) on QUERY
`;
const ADMIN = `
  schema { query: query_root  mutation: mutation_root  subscription: subscription_root }
  type query_root {
    order(id: ID!): Order
    orders(tenant: Int!): [Order]
    users(where: users_bool_exp): [users!]!
    users_by_pk(id: uuid!): users
    users_aggregate(where: users_bool_exp): users_aggregate!
  }
  type mutation_root { cancel(id: ID!): Order  ping: String  insert_users(objects: [users_insert_input!]!): users_mutation_response }
  type subscription_root { users_stream(limit: Int): [users!]! }
  type Order { id: ID!  item: String  margin: Float  buyer: users }
  ${TABLES}
`;

describe('a comparison with a Hasura', () => {
  test('whose schemas are the same but for its database says so, and names the tables once', async () => {
    const clerk = `schema { query: query_root } type query_root { order(id: ID!): Order  orders: [Order] } type Order { id: ID!  item: String }`;
    const { url } = await hasura({
      admin: ADMIN,
      clerk,
      anonymous:
        'schema { query: query_root mutation: mutation_root } type query_root { no_queries_available: String! } type mutation_root { ping: String }',
    });
    const { code, report } = await compare(url);
    expect([code, report.problems, report.hasura?.differences]).toEqual([0, [], []]);
    expect(report.hasura).toEqual({
      endpoint: `${url}/v1/graphql`,
      roles: [
        { role: 'admin', differences: 0, tables: ['users'], tableFields: 6 },
        { role: 'anonymous', differences: 0, tables: [], tableFields: 0 },
        { role: 'clerk', differences: 0, tables: [], tableFields: 0 },
        { role: 'archivist', differences: 0, tables: [], tableFields: 0 },
      ],
      differences: [],
    });
    const { text } = await textOf({ location, environment, hasura: url, adminSecret: SECRET });
    expect(text).toContain('hasura role admin: no differences; not compared: 6 fields of 1 database tables (users)');
    expect(text).toContain('differences: 0, 0 of them breaking');
  });

  test('names handlers of saved operations, which Hasura does not have', async () => {
    const { url } = await hasura({ admin: ADMIN });
    const handler = { operation: 'order', collection: 'saved', variables: '{ "id": "1" }', role: 'clerk' };
    const definition = { handler };
    const own = await keep<MetadataDirectory>(
      metadataDirectory({
        ...FILES,
        'actions.yaml': { actions: [{ name: 'ping', definition, permissions: [{ role: 'anonymous' }] }] },
      }),
    );
    const asked = { location: own.path, environment, hasura: url, adminSecret: SECRET };
    const extension =
      'actions.yaml:2 actions[0]: the handler of "ping" runs saved operations, which Hasura does not support';
    expect((await reportOf(asked)).report.hasura?.extensions).toEqual([extension]);
    expect((await textOf(asked)).text).toContain(`extension: ${extension}`);

    // Clerks do not see the margin.
    const margins = { ...handler, operation: 'margins' };
    const broken = { actions: [{ name: 'ping', definition: { handler: margins }, permissions: [{ role: 'clerk' }] }] };
    own.write({ 'actions.yaml': broken });
    const { code, report } = await reportOf({ location: own.path, environment });
    expect([code, report.problems]).toEqual([
      1,
      [
        expect.objectContaining({
          file: 'actions.yaml',
          message:
            'the role "clerk" cannot run "saved/margins" for "ping": Cannot query field "margin" on type "Order".',
        }),
      ],
    ]);
  });

  test('says what differs, for which roles, and fails where that breaks clients', async () => {
    const other = ADMIN.replace('item: String  margin', 'item: String!  size(unit: Unit = CM): Int  margin')
      .replace('orders(tenant: Int!)', 'orders(tenant: Int!, first: Int)')
      .concat(' enum Unit { CM INCH }');
    const clerk = `schema { query: query_root } type query_root { order(id: ID): Order } type Order { id: ID!  item: String! }`;
    const { url } = await hasura({ admin: other, clerk });
    const { code, report } = await compare(`${url}/v1/graphql`);
    expect(code).toBe(1);
    expect(report.valid).toBe(true);
    const told = report.hasura?.differences.map(({ breaking, message, roles }) => [
      breaking,
      message,
      roles?.join(' '),
    ]);
    expect(told).toEqual(
      expect.arrayContaining([
        [true, "Field 'size' was removed from object type 'Order'", 'admin'],
        [true, "Field 'Order.item' changed type from 'String!' to 'String'", 'admin clerk'],
        [true, "Argument 'first: Int' was removed from field 'Query.orders'", 'admin'],
        [true, "Type 'Unit' was removed", 'admin'],
        [true, "Type for argument 'id' on field 'Query.order' changed from 'ID' to 'ID!'", 'clerk'],
        [false, "Field 'orders' was added to object type 'Query'", 'clerk'],
      ]),
    );
    // Nothing of the database, and of the names of root types, is among them.
    expect(JSON.stringify(told)).not.toMatch(/users|notes|uuid|_root|cached|bool_exp/);
  });

  test('names what the metadata has and Hasura does not, with file and line', async () => {
    const own = await keep<MetadataDirectory>(
      metadataDirectory({
        'actions.yaml': {
          actions: [
            { name: 'ping', definition: { handler: 'http://127.0.0.1:1' } },
            { name: 'news', definition: { kind: 'subscription', handler: 'http://127.0.0.1:1' } },
          ],
        },
        'actions.graphql': 'type Query { ping: String } type Subscription { news: String }',
      }),
    );
    const { url } = await hasura({ admin: 'schema { query: query_root } type query_root { ping: String }' });
    const { text } = await textOf({ location: own.path, environment: {}, hasura: url, adminSecret: SECRET });
    expect(text).toContain(
      'extension: actions.yaml:7 actions[1].definition.kind: action "news": is a subscription, which Hasura does not have',
    );
  });

  test('works with another gateway of ours, whose roles see something else', async () => {
    const issuer = await keep(openIssuer());
    const remote = FILES['remote_schemas.yaml'].map((one) => ({
      ...one,
      permissions: [
        { role: 'clerk', definition: { schema: FOR_CLERKS.replace('item: String', 'item: String margin: Float') } },
      ],
    }));
    const other = await keep(
      openGateway({
        issuer,
        metadata: { ...FILES, 'remote_schemas.yaml': remote },
        environment: { ...environment, HASURA_GRAPHQL_ADMIN_SECRET: SECRET },
      }),
    );
    const withVariable = { ...environment, HASURA_GRAPHQL_ADMIN_SECRET: SECRET };
    const { code, report } = await compare(other.url, { environment: withVariable });
    expect([code, report.hasura?.differences]).toEqual([
      1,
      [{ breaking: true, message: "Field 'margin' was removed from object type 'Order'", roles: ['clerk'] }],
    ]);
  });
});

test('a comparison lists what types of actions have beyond Hasura’s format', async () => {
  const { url } = await hasura({ admin: ADMIN });
  const sdl = 'type Mutation { ping: Pong }\nunion Pong = Ball\ntype Ball { size: Int }';
  const { path } = await keep<MetadataDirectory>(metadataDirectory({ ...FILES, 'actions.graphql': sdl }));
  const options = { location: path, environment, hasura: url, adminSecret: SECRET };
  const { report } = await reportOf(options);
  expect(report.hasura?.extensions).toEqual(['actions.graphql:2: the union Pong, which Hasura does not have']);
  expect((await textOf(options)).text).toContain('extension: actions.graphql:2: the union Pong');
});

describe('a Hasura that cannot be compared with is a problem', () => {
  const problemsWith = async (url: string, more?: object) => {
    const { code, report } = await compare(url, more);
    expect([code, report.valid]).toEqual([1, false]);
    expect(JSON.stringify(report)).not.toContain(SECRET);
    return report.problems.map(({ message }) => message);
  };
  const answering = async (handler: Handler) => (await keep(serve(handler))).url;

  test('where the secret is wrong, or there is none', async () => {
    const { url } = await hasura({ admin: ADMIN });
    for (const more of [{ adminSecret: 'wrong' }, {}])
      expect((await problemsWith(url, more))[0]).toBe(
        'the role "admin" cannot be compared: status 200, and the response has no schema: invalid "x-hasura-admin-secret"/"x-hasura-access-key"',
      );
  });

  test.each<readonly [string, Handler, RegExp]>([
    [
      'answers with HTML',
      (_, response) => response.writeHead(502).end('<html>'),
      /status 502, and the response is not JSON$/,
    ],
    ['answers with null', (_, response) => reply(response, 200, null), /status 200, and the response has no schema$/],
    [
      'forbids introspection',
      (_, response) => reply(response, 200, { errors: [{ message: 'introspection is disabled for role: "admin"' }] }),
      /introspection is disabled/,
    ],
    [
      'answers with half a schema',
      (_, response) => reply(response, 200, { data: { __schema: { types: [{ kind: 'OBJECT' }] } } }),
      /the response is not a schema$/,
    ],
    [
      'answers with types that are none',
      (_, response) => reply(response, 200, { data: { __schema: { queryType: { name: 'Q' }, types: 5 } } }),
      /the response is not a schema$/,
    ],
    [
      'repeats the secret, and writes over the terminal',
      (received, response) =>
        reply(response, 401, { error: `no ${received.headers['x-hasura-admin-secret']} \u001b[2J` }),
      /no schema: no \[secret\] {2}\[2J$/,
    ],
    ['hangs up', (_, response) => response.destroy(), /no response \(/],
  ])('that %s', async (_, handler, message) => {
    expect((await problemsWith(await answering(handler)))[0]).toMatch(message);
  });

  test('that sends the secret on to another server', async () => {
    const other = await keep(serve((_, response) => reply(response, 200, {})));
    const url = await answering((_, response) => response.writeHead(307, { location: other.url }).end());
    expect((await problemsWith(url))[0]).toMatch(/status 307, and the response is not JSON/);
    expect(other.requests).toHaveLength(0);
  });

  test.each(['nothing', 'ftp://127.0.0.1', 'http://admin:secret@127.0.0.1:1', ''])('at the URL %j', async (url) => {
    expect(await problemsWith(url)).toEqual(['is not an http or https URL of a Hasura without credentials']);
  });
});
