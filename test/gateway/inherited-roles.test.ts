import { afterAll, describe, expect, test } from '@jest/globals';
import { apolloSubgraph, linked } from './composition/subgraphs.ts';
import { federated } from './composition/world.ts';
import { openEditedGateway } from './harness/edited-gateway.ts';
import {
  bearer,
  type GraphqlBody,
  graphqlUpstream,
  keeper,
  openIssuer,
  reply,
  serve,
  webhook,
} from './harness/index.ts';

const { keep, close } = keeper();
afterAll(close);
const issuer = await keep(openIssuer());
const shop = await keep(
  graphqlUpstream('type Query { orders(of: ID): [String] margin: Int total: Int } type Mutation { cancel: String }', {
    Query: { orders: (_: unknown, { of }: { of?: string }) => [`of ${of}`], margin: () => 9, total: () => 1 },
    Mutation: { cancel: () => 'cancelled' },
  }),
);
const stock = await keep(
  apolloSubgraph(linked('type Query { left: Int secret: Int }'), { Query: { left: () => 5, secret: () => 7 } }),
);
const bell = await keep(
  webhook(({ body }) => ({
    role: (body as { session_variables: Record<string, string> }).session_variables['x-hasura-role'],
  })),
);
const files = await keep(serve((_, response) => reply(response, 200, { file: true })));

const OWN_ORDERS = 'type Query { orders(of: ID @preset(value: "x-hasura-user-id")): [String] }';
const permissions = (given: Record<string, string>) =>
  Object.entries(given).map(([role, schema]) => ({ role, definition: { schema } }));
const INHERITED = [
  { role_name: 'manager', role_set: ['clerk', 'buyer'] },
  { role_name: 'head', role_set: ['manager', 'auditor'] },
  { role_name: 'deputy', role_set: ['clerk', 'buyer'] },
];
const FILES = {
  'remote_schemas.yaml': [
    {
      name: 'shop',
      definition: { url: shop.graphqlUrl },
      permissions: permissions({
        clerk: OWN_ORDERS,
        auditor: 'type Query { margin: Int }',
        deputy: 'type Query { total: Int }',
      }),
    },
    federated('stock', stock, {}, { buyer: 'type Query { left: Int }' }),
  ],
  'actions.yaml': {
    actions: [
      { name: 'ring', definition: { handler: bell.url }, permissions: [{ role: 'clerk' }] },
      { name: 'alarm', definition: { handler: bell.url }, permissions: [{ role: 'auditor' }] },
      { name: 'boss', definition: { handler: bell.url } },
    ],
  },
  'actions.graphql': 'type Query { ring: Rung alarm: Rung boss: Rung } type Rung { role: String }',
  'services.yaml': [{ name: 'files', path: '/files', url: files.url, permissions: [{ role: 'buyer' }] }],
  'query_collections.yaml': [
    { name: 'saved', definition: { queries: ['orders', 'margin'].map((name) => ({ name, query: `{ ${name} }` })) } },
  ],
  'rest_endpoints.yaml': ['orders', 'margin'].map((name) => ({
    name,
    url: name,
    methods: ['GET'],
    definition: { query: { collection_name: 'saved', query_name: name } },
  })),
  'inherited_roles.yaml': INHERITED,
};
const gateway = await keep(openEditedGateway(FILES, { issuer }));
await gateway.ready();
const tokenOf = (role: string) => issuer.token({ role, roles: [role], hasura: { 'x-hasura-user-id': '42' } });
const ask = async (role: string, query: string) => (await gateway.graphql(query, { token: tokenOf(role) })).body;
const fieldsOf = async (role: string) => {
  const { data } = await ask(
    role,
    '{ __schema { queryType { fields { name args { name } } } mutationType { name } } }',
  );
  const { queryType, mutationType } = (
    data as { __schema: { queryType: { fields: { name: string; args: object[] }[] }; mutationType: object } }
  ).__schema;
  expect(mutationType).toBeNull();
  return queryType.fields.map(({ name, args }) => `${name}${args.length > 0 ? '()' : ''}`).sort();
};
const errorsOf = ({ errors = [] }: GraphqlBody) => errors.map(({ extensions }) => extensions.code);

describe('an inherited role over the wire', () => {
  test.each([
    ['manager', ['left', 'orders', 'ring']],
    // What the manager and the auditor may ask of the shop is not the same: the head gets neither.
    ['head', ['alarm', 'left', 'ring']],
    // A permission of its own, and what it inherits elsewhere.
    ['deputy', ['left', 'ring', 'total']],
    ['clerk', ['orders', 'ring']],
  ])('%s is shown what its roles have, and nothing else', async (role, fields) => {
    expect(await fieldsOf(role)).toEqual(fields);
  });

  test('asks for what its roles may ask for, in one operation, as itself', async () => {
    expect(await ask('manager', '{ orders left ring { role } }')).toEqual({
      data: { orders: ['of 42'], left: 5, ring: { role: 'manager' } },
    });
  });

  test.each([
    ['manager', '{ margin }'],
    ['manager', '{ secret }'],
    ['manager', '{ boss { role } }'],
    ['manager', '{ alarm { role } }'],
    ['manager', '{ orders(of: 1) }'],
    ['manager', 'mutation { cancel }'],
    ['head', '{ orders }'],
    ['head', '{ margin }'],
    ['deputy', '{ orders }'],
    ['deputy', 'query { ... on Query { a: orders } }'],
  ])('%s cannot ask for what none of its roles has, or what they do not have alike: %s', async (role, query) => {
    shop.forget();
    expect(errorsOf(await ask(role, query))).toEqual(['validation-failed']);
    expect(shop.operations()).toEqual([]);
  });

  test('is bound by presets as the role that it has them from', async () => {
    const token = issuer.token({ role: 'manager', roles: ['manager'] });
    const headers = { 'x-hasura-user-id': '1' };
    const { body } = await gateway.graphql('{ orders }', { token, headers });
    expect(body.data?.orders).not.toEqual(['of 1']);
    expect((await ask('manager', '{ orders }')).data).toEqual({ orders: ['of 42'] });
  });

  test('does not let its caller take one of its roles', async () => {
    for (const role of ['clerk', 'buyer', 'head', 'admin']) {
      const { status } = await gateway.graphql('{ orders }', {
        token: tokenOf('manager'),
        headers: { 'x-hasura-role': role },
      });
      expect(status).toBe(403);
    }
  });

  test('reaches the REST endpoints and services that its roles reach', async () => {
    const status = async (role: string, path: string) =>
      (await gateway.send(path, { headers: bearer(tokenOf(role)) })).status;
    expect(await status('manager', '/api/rest/orders')).toBe(200);
    expect(await status('manager', '/api/rest/margin')).toBeGreaterThanOrEqual(400);
    expect(await status('head', '/api/rest/orders')).toBeGreaterThanOrEqual(400);
    expect(await status('manager', '/files/1')).toBe(200);
    expect(await status('clerk', '/files/1')).toBe(403);
  });

  test('loses what an edit takes away from its roles', async () => {
    expect(gateway.logs()).toContain('\\"head\\" sees nothing of the remote schema \\"shop\\"');
    await gateway.edit({
      'inherited_roles.yaml': [{ role_name: 'manager', role_set: ['buyer'] }, ...INHERITED.slice(1)],
    });
    expect(await fieldsOf('manager')).toEqual(['left']);
    await gateway.edit({ 'inherited_roles.yaml': undefined });
    expect(await fieldsOf('manager')).toEqual(['no_queries_available']);
  });
});
