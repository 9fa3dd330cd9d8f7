import { stitchingDirectives } from '@graphql-tools/stitching-directives';
import { afterAll, afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { apolloSubgraph } from '../composition/subgraphs.ts';
import { graphqlUpstream, keeper, openGateway, openIssuer, webhook } from '../harness/index.ts';
import { joins, OWNER, ordersService, toUsers, usersService } from './world.ts';

const { keep, close } = keeper();
afterAll(close);
const { keep: keepForTest, close: closeAfterTest } = keeper();
afterEach(closeAfterTest);
const issuer = await keep(openIssuer());
const orders = await keep(ordersService());
const users = await keep(usersService());
beforeEach(() => {
  orders.forget();
  users.forget();
});

async function gatewayOver(remotes: readonly object[], more: Record<string, unknown> = {}) {
  const metadata = { 'remote_schemas.yaml': remotes, ...more };
  const gateway = await keepForTest(openGateway({ issuer, metadata }));
  return async (query: string, role = 'user', claims: Record<string, string> = {}) =>
    (await gateway.graphql(query, { token: issuer.token({ role, roles: [role], ...claims }) })).body;
}

const remote = (name: string, { graphqlUrl: url }: { graphqlUrl: string }, definition: object = {}) => ({
  name,
  definition: { url, ...definition },
});
const joined = (...relationships: readonly object[]) => ({ remote_relationships: [joins('Order', ...relationships)] });

const OWNERS = '{ orders { id owner { name } } }';
const NAMES = ['user 7', null, 'user 7', null];
const ownersIn = (data: unknown) =>
  (data as { orders: { owner: { name: string } | null }[] }).orders.map(({ owner }) => owner?.name ?? null);

describe('a role has a relationship', () => {
  const forRole = (role: string, schema: string) => ({ role, definition: { schema } });
  const ORDER = 'type Query { orders: [Order!]! } type Order { id: ID! owner_id: Int }';
  const USER = 'type Query { user(id: ID!, locale: String): User } type User { id: ID! name: String! asked: String }';
  const open = () =>
    gatewayOver([
      {
        ...remote('orders', orders),
        ...joined(OWNER),
        permissions: [
          forRole('user', ORDER),
          forRole('clerk', ORDER),
          forRole('guest', ORDER.replace('owner_id: Int', '')),
          forRole('agent', ORDER),
          forRole('self', ORDER),
        ],
      },
      {
        ...remote('users', users),
        permissions: [
          forRole('user', USER),
          forRole('guest', USER),
          forRole('agent', USER.replace('locale: String', 'locale: String @preset(value: "x-hasura-user-id")')),
          forRole('self', USER.replace('id: ID!', 'id: ID! @preset(value: "x-hasura-user-id")')),
        ],
      },
    ]);
  const MISSING = [{ message: expect.stringMatching(/^Cannot query field "owner" on type "Order"\./) }];

  test('when it may see what is needed and what answers', async () => {
    const ask = await open();
    expect(ownersIn((await ask(OWNERS)).data)).toEqual(NAMES);
    expect((await ask('{ orders { owner { secret } } }')).errors).toMatchObject([
      { message: 'Cannot query field "secret" on type "User".' },
    ]);
    expect((await ask(OWNERS, 'clerk')).errors).toMatchObject(MISSING);
    expect((await ask(OWNERS, 'guest')).errors).toMatchObject(MISSING);
  });

  test('with what is preset for it put in', async () => {
    const ask = await open();
    const { data } = await ask('{ orders { owner { asked } } }', 'agent');
    expect(data).toMatchObject({ orders: [{ owner: { asked: '7' } }, {}, {}, {}] });
    expect((await ask('{ orders { owner(locale: "de") { asked } } }', 'agent')).errors).toMatchObject([
      { message: 'Unknown argument "locale" on field "Order.owner".' },
    ]);
  });

  test('unless the argument that would be given is preset for it', async () => {
    expect((await (await open())(OWNERS, 'self')).errors).toMatchObject(MISSING);
  });
});

describe('services may be plugged in in any way', () => {
  test('with other names, and in a namespace', async () => {
    const customization = {
      root_fields_namespace: 'crm',
      type_names: { prefix: 'Crm' },
      field_names: [
        { parent_type: 'Query', prefix: 'get_' },
        { parent_type: 'User', mapping: { name: 'title' } },
      ],
    };
    const renamed = {
      type_names: { mapping: { Order: 'Purchase' } },
      field_names: [{ parent_type: 'Order', mapping: { owner_id: 'ownerId' } }],
    };
    const ask = await gatewayOver([
      { ...remote('orders', orders, { customization: renamed }), ...joined(OWNER) },
      remote('users', users, { customization }),
    ]);
    const { data, errors } = await ask(
      '{ orders { ownerId owner { __typename title } } order(id: 3) { ...P } } fragment P on Purchase { __typename owner { title } }',
    );
    expect(errors).toMatchObject([{ message: 'she has left', path: ['orders', 1, 'owner'] }]);
    expect(data).toEqual({
      orders: [
        { ownerId: 7, owner: { __typename: 'CrmUser', title: 'user 7' } },
        { ownerId: 8, owner: null },
        { ownerId: 7, owner: { __typename: 'CrmUser', title: 'user 7' } },
        { ownerId: null, owner: null },
      ],
      order: { __typename: 'Purchase', owner: { title: 'user 7' } },
    });
    expect(users.operations()).toHaveLength(1);
  });

  test('as subgraphs of a federation, which joins its own types as well', async () => {
    const stock = await keepForTest(
      apolloSubgraph('type Query { orders: [Order!]! } type Order @key(fields: "id") { id: ID! item: String! }', {
        Query: { orders: () => [{ id: '1' }, { id: '2' }] },
        Order: { item: ({ id }: { id: string }) => `item ${id}` },
      }),
    );
    const sales = await keepForTest(
      apolloSubgraph('type Order @key(fields: "id") { id: ID! owner_id: Int }', {
        Order: { __resolveReference: ({ id }: { id: string }) => ({ id, owner_id: Number(id) + 10 }) },
      }),
    );
    const ask = await gatewayOver([
      remote('stock', stock, { composition: 'federation' }),
      { ...remote('sales', sales, { composition: 'federation' }), ...joined(OWNER) },
      remote('users', users),
    ]);
    const { data, errors } = await ask('{ orders { item owner { name } } }');
    expect(errors).toBeUndefined();
    expect(data).toEqual({
      orders: [
        { item: 'item 1', owner: { name: 'user 11' } },
        { item: 'item 2', owner: { name: 'user 12' } },
      ],
    });
    expect(sales.asked()).toHaveLength(1);
    expect(users.operations()).toHaveLength(1);
  });

  test('as a federation that is joined to', async () => {
    const people = await keepForTest(
      apolloSubgraph('type Query { user(id: ID!): User } type User @key(fields: "id") { id: ID! }', {
        Query: { user: (_: unknown, { id }: { id: string }) => ({ id }) },
      }),
    );
    const faces = await keepForTest(
      apolloSubgraph('type User @key(fields: "id") { id: ID! name: String! }', {
        User: { __resolveReference: ({ id }: { id: string }) => ({ id, name: `face of ${id}` }) },
      }),
    );
    const ask = await gatewayOver([
      { ...remote('orders', orders), ...joined(OWNER) },
      remote('users', people, { composition: 'federation' }),
      remote('faces', faces, { composition: 'federation' }),
    ]);
    expect(ownersIn((await ask(OWNERS)).data)).toEqual(['face of 7', 'face of 8', 'face of 7', null]);
    expect([people.asked().length, faces.asked().length]).toEqual([1, 1]);
  });

  test('as services that say themselves how they are stitched', async () => {
    const { allStitchingDirectivesTypeDefs: directives } = stitchingDirectives();
    const sdl = (types: string) => `${directives} ${types}`;
    const peopleSdl = sdl(
      'type Query { user(id: ID!): User @merge(keyField: "id") _sdl: String! } type User @key(selectionSet: "{ id }") { id: ID! }',
    );
    const facesSdl = sdl(
      'type Query { _users(ids: [ID!]!): [User]! @merge(keyField: "id") _sdl: String! } type User @key(selectionSet: "{ id }") { id: ID! name: String! }',
    );
    const people = await keepForTest(
      graphqlUpstream(peopleSdl, { Query: { _sdl: () => peopleSdl, user: (_, { id }) => ({ id }) } }),
    );
    const faces = await keepForTest(
      graphqlUpstream(facesSdl, {
        Query: {
          _sdl: () => facesSdl,
          _users: (_, { ids }) => ids.map((id: string) => ({ id, name: `face of ${id}` })),
        },
      }),
    );
    const ask = await gatewayOver([
      { ...remote('orders', orders), ...joined(OWNER) },
      remote('users', people, { composition: 'stitching' }),
      remote('faces', faces, { composition: 'stitching' }),
    ]);
    people.forget();
    faces.forget();
    const { data, errors } = await ask(OWNERS);
    expect(errors).toBeUndefined();
    expect(ownersIn(data)).toEqual(['face of 7', 'face of 8', 'face of 7', null]);
    expect([people.operations().length, faces.operations().length]).toEqual([1, 1]);
  });
});

describe('what an action answers', () => {
  const types =
    'type Query { basket: Basket baskets: [Basket!]! } type Basket { id: ID! owner_id: Int lines: [Line!]! } type Line { user: String }';
  const open = async (answer: object) => {
    const baskets = await keepForTest(webhook(() => answer));
    const action = (name: string) => ({
      name,
      definition: { kind: '', handler: baskets.url },
      permissions: [{ role: 'user' }],
    });
    return gatewayOver([remote('users', users)], {
      'actions.graphql': types,
      'actions.yaml': {
        actions: [action('basket'), action('baskets')],
        custom_types: {
          objects: [
            { name: 'Basket', relationships: [OWNER] },
            { name: 'Line', relationships: [toUsers('by', ['user'], { user: { arguments: { id: '$user' } } })] },
          ],
        },
      },
    });
  };

  test('is joined to remote schemas, in one request', async () => {
    const basket = { id: 1, owner_id: 7, lines: [{ user: 'a' }, { user: 'b' }, { user: null }, { user: 'a' }] };
    const ask = await open([basket, { ...basket, owner_id: null, lines: [] }]);
    const { data, errors } = await ask('{ baskets { id owner { name } lines { by { name } } } }');
    expect(errors).toBeUndefined();
    const lines = [{ by: { name: 'user a' } }, { by: { name: 'user b' } }, { by: null }, { by: { name: 'user a' } }];
    expect(data).toEqual({
      baskets: [
        { id: 1, owner: { name: 'user 7' }, lines },
        { id: 1, owner: null, lines: [] },
      ],
    });
    expect(users.operations()).toHaveLength(1);
    expect(users.operations()[0]?.body.query.match(/user\(/g)).toHaveLength(3);
  });

  test('is passed on unchecked where nothing is joined', async () => {
    const ask = await open({ id: 1, owner_id: null, lines: [{ user: 5 }] });
    expect((await ask('{ basket { lines { user } } }')).data).toEqual({ basket: { lines: [{ user: 5 }] } });
    expect(users.operations()).toHaveLength(0);
  });
});
