import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import { buildClientSchema, getIntrospectionQuery, type IntrospectionQuery, printSchema } from 'graphql';
import { graphqlUpstream, keeper, openGateway, openIssuer, ordersUpstream, until } from './harness/index.ts';

const FOR_CLERKS = /* GraphQL */ `
  type Query {
    orders(first: Int): [Order!]!
    order(id: ID!): Order
  }
  type Order {
    id: ID!
    item: String!
    status: OrderStatus!
  }
  enum OrderStatus {
    OPEN
    SHIPPED
  }
`;

const { keep, close } = keeper();
afterAll(close);
const issuer = await keep(openIssuer());
const orders = await keep(ordersUpstream());
const open = await keep(ordersUpstream());
const gateway = await keep(
  openGateway({
    issuer,
    metadata: {
      'remote_schemas.yaml': [
        {
          name: 'orders',
          definition: { url: orders.graphqlUrl },
          permissions: [{ role: 'clerk', definition: { schema: FOR_CLERKS } }],
        },
      ],
    },
  }),
);
beforeEach(() => orders.forget());

const as = (role: string) => ({ token: issuer.token({ role, roles: [role] }) });

describe('a role sees what it is permitted', () => {
  test('and gets it', async () => {
    const { body } = await gateway.graphql('{ orders(first: 1) { id item } }', as('clerk'));
    expect(body).toMatchObject({ data: { orders: [{ id: '1', item: 'bolt' }, {}] } });
  });

  test('and nothing else when it asks for the schema', async () => {
    const { body } = await gateway.graphql(getIntrospectionQuery(), as('clerk'));
    const seen = printSchema(buildClientSchema(body.data as unknown as IntrospectionQuery));
    expect(seen.replace(/\s+/g, ' ')).toContain('type Order { id: ID! item: String! status: OrderStatus! }');
    for (const hidden of ['margin', 'tenant', 'quantity', 'search', 'OrderFilter', 'headers', 'Mutation', 'placeOrder'])
      expect(seen).not.toContain(hidden);
    expect(orders.operations()).toHaveLength(0);
  });

  test.each([
    ['a field of a type', '{ orders { margin } }', 'Cannot query field "margin" on type "Order".'],
    ['a root field', '{ search(filter: {}) { id } }', 'Cannot query field "search" on type "Query".'],
    ['an argument', '{ orders(status: OPEN) { id } }', 'Unknown argument "status" on field "Query.orders".'],
    ['a type', '{ orders { ... on Header { name } } }', 'Unknown type "Header".'],
    ['all mutations', 'mutation { placeOrder(item: "a", quantity: 1) { id } }', 'no mutations exist'],
  ])('so %s that it is not permitted does not exist', async (_, query, message) => {
    const { body } = await gateway.graphql(query, as('clerk'));
    expect(body.errors).toMatchObject([
      { message: expect.stringContaining(message), extensions: { code: 'validation-failed' } },
    ]);
    expect(body).not.toHaveProperty('data');
    expect(orders.operations()).toHaveLength(0);
  });

  test('nor do subscriptions, where it has none', async () => {
    const { text } = await gateway.graphql('subscription { orderPlaced { id } }', {
      ...as('clerk'),
      headers: { accept: 'text/event-stream' },
    });
    expect(text).toContain('"no subscriptions exist"');
    expect(text).toContain('"code":"validation-failed"');
  });

  test('and a misspelt name suggests nothing that it cannot see', async () => {
    const { text } = await gateway.graphql('{ orders { margi quantit } heders { name } }', as('clerk'));
    expect(text).not.toMatch(/margin|quantity|headers/);
  });

  test.each(['user', 'clerks', 'Clerk', '__proto__', 'constructor'])(
    'so a role that is not named has no part in it: %s',
    async (role) => {
      const { status, body } = await gateway.graphql('{ orders { id } }', as(role));
      expect([status, body.errors?.[0]?.message]).toEqual([200, 'Cannot query field "orders" on type "Query".']);
      expect(orders.operations()).toHaveLength(0);
    },
  );

  test('but the admin sees everything', async () => {
    const { body } = await gateway.graphql('{ orders(status: OPEN) { margin } }', as('admin'));
    expect(body).toEqual({ data: { orders: [{ margin: 0.5 }] } });
  });

  test('and a role without any part of anything has a schema of its own kind', async () => {
    const { body } = await gateway.graphql('{ __schema { queryType { fields { name } } } }', as('nobody'));
    expect(body.data).toEqual({ __schema: { queryType: { fields: [{ name: 'no_queries_available' }] } } });
  });

  test('also when an object of the service turns out to have more', async () => {
    const { body } = await gateway.graphql('{ order(id: 1) { __typename id } }', as('clerk'));
    expect(body).toEqual({ data: { order: { __typename: 'Order', id: '1' } } });
  });
});

describe('a service without permissions', () => {
  const { keep: keepHere, close: closeHere } = keeper();
  afterAll(closeHere);

  test('is open to every role of authenticated callers, and to no others', async () => {
    const metadata = { 'remote_schemas.yaml': [{ name: 'open', definition: { url: open.graphqlUrl } }] };
    const openToAll = await keepHere(openGateway({ issuer, metadata }));
    for (const role of ['user', 'anything'])
      expect((await openToAll.graphql('{ order(id: 1) { margin } }', as(role))).status).toBe(200);
    expect((await openToAll.graphql('{ order(id: 1) { margin } }')).status).toBe(401);
    const anonymous = await openToAll.graphql('{ order(id: 1) { margin } }', as('anonymous'));
    expect(anonymous.body.errors?.[0]?.message).toBe('Cannot query field "order" on type "Query".');
    expect(open.operations()).toHaveLength(2);
  });
});

describe('an object of a type that a role is not permitted', () => {
  const { keep: keepHere, close: closeHere } = keeper();
  afterAll(closeHere);

  test('does not tell the role the name of the type', async () => {
    const types =
      'type Query { thing: Thing } union Thing = Page | Ledger type Page { url: String } type Ledger { sum: Int }';
    const resolvers = { Query: { thing: () => ({ __typename: 'Ledger', sum: 5 }) } };
    const upstream = await keepHere(graphqlUpstream(types, resolvers));
    const schema = 'type Query { thing: Thing } union Thing = Page type Page { url: String }';
    const permissions = [{ role: 'clerk', definition: { schema } }];
    const metadata = {
      'remote_schemas.yaml': [{ name: 'things', definition: { url: upstream.graphqlUrl }, permissions }],
    };
    const things = await keepHere(openGateway({ issuer, metadata }));
    const { body, text } = await things.graphql('{ thing { __typename ... on Page { url } } }', as('clerk'));
    expect(body).toMatchObject({ data: { thing: null } });
    expect(text).not.toContain('Ledger');
  });
});

describe('an input object that takes exactly one field', () => {
  const { keep: keepHere, close: closeHere } = keeper();
  afterAll(closeHere);

  test('is one for a role whose permission does not repeat @oneOf', async () => {
    const types = 'type Query { find(by: By): String } input By @oneOf { id: ID name: String }';
    const upstream = await keepHere(graphqlUpstream(types));
    const permissions = [{ role: 'clerk', definition: { schema: types.replace(' @oneOf', '') } }];
    const metadata = {
      'remote_schemas.yaml': [{ name: 'found', definition: { url: upstream.graphqlUrl }, permissions }],
    };
    const { graphql } = await keepHere(openGateway({ issuer, metadata }));
    const seen = await graphql('{ __type(name: "By") { isOneOf } }', as('clerk'));
    expect(seen.body).toEqual({ data: { __type: { isOneOf: true } } });
    const messages = async (query: string, variables?: object) =>
      (await graphql(query, { ...as('clerk'), variables })).body.errors?.map(({ message }) => message);
    const query = 'query ($by: By) { find(by: $by) }';
    expect(await messages('{ find(by: { id: 1, name: "a" }) }')).toEqual([
      'OneOf Input Object "By" must specify exactly one key.',
    ]);
    expect(await messages('{ find(by: { id: null }) }')).toEqual(['Field "By.id" must be non-null.']);
    expect(await messages(query, { by: {} })).toEqual([
      'Variable "$by" got an invalid value: Exactly one key must be specified for OneOf type "By".',
    ]);
    expect(await messages(query, { by: { id: null } })).toEqual([
      'Variable "$by" got an invalid value at "id": Field "id" must be non-null.',
    ]);
    expect(upstream.operations()).toEqual([]);
  });
});

describe('a permission that does not fit the service', () => {
  const { keep: keepHere, close: closeHere } = keeper();
  afterAll(closeHere);

  test('keeps the service out for all roles, and the log names the contradiction', async () => {
    const schema = 'type Query { orders: [Order!]! } type Order { id: ID! price: Float }';
    const metadata = {
      'remote_schemas.yaml': [
        {
          name: 'orders',
          definition: { url: orders.graphqlUrl },
          permissions: [{ role: 'clerk', definition: { schema } }],
        },
      ],
    };
    const broken = await keepHere(openGateway({ issuer, metadata, waitUntilReady: false }));
    await until('it is logged', () => broken.logs().includes('remote_schema.unavailable'));
    expect(broken.logs()).toContain(
      'permission of role \\"clerk\\": field \\"Order.price\\" does not exist in the remote schema',
    );
    expect((await broken.send('/readyz')).status).toBe(503);
    const { body } = await broken.graphql('{ orders { id } }', as('admin'));
    expect(body.errors?.[0]?.extensions.code).toBe('source-unavailable');
  });
});
