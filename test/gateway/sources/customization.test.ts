import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import { bearer, graphqlUpstream, keeper, openGateway, type TestGateway, until } from '../harness/index.ts';
import { openShopWorld, schemaSeenBy } from './customized-gateway.ts';

const world = await openShopWorld();
afterAll(world.close);
const { issuer, token, shop, open, asked } = world;
beforeEach(() => {
  shop.forget();
  shop.instead = undefined;
});
const as = (role: string) => issuer.token({ role, roles: [role] });

const { keep, close } = keeper();
afterAll(close);

describe('types and fields with other names', () => {
  const RENAMED = {
    type_names: { prefix: 'Shop', suffix: '_v1', mapping: { Result: 'Hit', Status: 'OrderStatus', query_root: 'X' } },
    field_names: [
      { parent_type: 'query_root', prefix: 'shop_', mapping: { orders: 'purchases' } },
      { parent_type: 'mutation_root', suffix: 'Order' },
      { parent_type: 'Node', mapping: { tag: 'label' } },
      { parent_type: 'Order', mapping: { tag: 'label', total: 'sum' } },
      { parent_type: 'Page', mapping: { tag: 'label' } },
    ],
  };
  let gateway: TestGateway;
  const send = async (query: string, variables?: object) => (await gateway.graphql(query, { token, variables })).body;

  test('are those that the schema shows', async () => {
    gateway = await open(RENAMED);
    const seen = await schemaSeenBy(gateway, token);
    expect(seen).toContain(
      'type Query { purchases(filter: ShopFilter_v1, status: OrderStatus): [ShopOrder_v1!]! shop_node(id: ID!): ShopNode_v1 shop_search: [Hit!]!',
    );
    expect(seen).toContain(
      'type Mutation { placeOrder(input: ShopFilter_v1!): ShopOrder_v1! cancelOrder(id: ID!): OrderStatus }',
    );
    expect(seen).toContain('type ShopPage_v1 implements ShopNode_v1 { id: ID! label: String url: String }');
    expect(seen).toContain('union Hit = ShopOrder_v1 | ShopPage_v1');
    expect(seen).toContain('scalar ShopMoney_v1');
    expect(seen).toContain('input ShopFilter_v1 { status: OrderStatus tags: [String!] also: ShopFilter_v1 }');
    expect(seen).not.toMatch(/query_root|mutation_root|\b(Order|Page|Node|Filter|Money|Result|Status)\b/);
  });

  test('answer, and the service is asked in its own', async () => {
    expect(
      await send('{ purchases { id label sum status parent { label } } mine: shop_node(id: 2) { label } }'),
    ).toEqual({
      data: {
        purchases: [
          { id: '1', label: 'a', sum: { amount: 5, __typename: 'x' }, status: 'OPEN', parent: { label: 'a' } },
        ],
        mine: { label: 'b' },
      },
    });
    expect(asked()).toHaveLength(1);
    expect(asked()[0]).toMatch(/purchases:orders.*label:tag sum:total/);
  });

  test('are those of __typename, of fragments, of unions and interfaces', async () => {
    const query = `
      query ($with: Boolean = true) {
        __typename
        shop_search { kind: __typename __typename ...order @include(if: $with) ... on ShopPage_v1 { label address: url } }
        shop_node(id: 2) { __typename label ... on ShopPage_v1 { url } ... on ShopOrder_v1 { sum } }
      }
      fragment order on ShopOrder_v1 { label parent { __typename } }`;
    expect(await send(query)).toEqual({
      data: {
        __typename: 'Query',
        shop_search: [
          { kind: 'ShopOrder_v1', __typename: 'ShopOrder_v1', label: 'a', parent: { __typename: 'ShopOrder_v1' } },
          { kind: 'ShopPage_v1', __typename: 'ShopPage_v1', label: 'b', address: '/b' },
        ],
        shop_node: { __typename: 'ShopPage_v1', label: 'b', url: '/b' },
      },
    });
  });

  test('are those of variables and of literals', async () => {
    const echo = 'shop_echo(text: $text, filter: $filter)';
    const variables = { text: 'ShopFilter_v1', filter: { status: 'OPEN', also: { tags: ['x'] } } };
    const sent = await send(`query ($text: String, $filter: ShopFilter_v1) { ${echo} }`, variables);
    expect(JSON.parse(String(sent.data?.shop_echo))).toEqual(variables);
    const literal = await send('{ shop_echo(filter: { status: SHIPPED, also: { tags: ["x", "y"] } }) }');
    expect(JSON.parse(String(literal.data?.shop_echo))).toEqual({
      filter: { status: 'SHIPPED', also: { tags: ['x', 'y'] } },
    });
    const byDefault = await send('query ($s: OrderStatus = SHIPPED) { shop_echo(filter: { status: $s }) }');
    expect(JSON.parse(String(byDefault.data?.shop_echo))).toEqual({ filter: { status: 'SHIPPED' } });
  });

  test('are those of mutations', async () => {
    expect(await send('mutation { placeOrder(input: { status: OPEN }) { label } again: cancelOrder(id: 1) }')).toEqual({
      data: { placeOrder: { label: 'a' }, again: 'SHIPPED' },
    });
  });

  test('are those in the paths of errors', async () => {
    const { data, errors } = await send(
      '{ shop_broken { id } purchases { label mishap: failing parent { failing } } }',
    );
    expect(data).toEqual({ shop_broken: null, purchases: [{ label: 'a', mishap: null, parent: { failing: null } }] });
    const places = errors?.map(({ message, path, extensions: { code, service } }) => [
      message,
      code,
      service,
      path?.join('.'),
    ]);
    expect(places?.sort()).toEqual([
      ['it fails', 'FAILS', 'shop', 'purchases.0.mishap'],
      ['it fails', 'FAILS', 'shop', 'purchases.0.parent.failing'],
      ['it fails', 'FAILS', 'shop', 'shop_broken'],
    ]);
  });

  test('replace the old ones', async () => {
    for (const query of ['{ orders { id } }', '{ purchases { tag } }', '{ shop_search { ... on Order { id } } }'])
      expect((await send(query)).errors?.[0]?.extensions.code).toBe('validation-failed');
    expect(shop.operations()).toHaveLength(0);
  });

  test('are those of a role with a part of the schema, whatever the part calls its root', async () => {
    const schema = `
      type Query { orders(status: Status): [Order!]! node(id: ID!): Node }
      interface Node { id: ID! tag: String }
      type Order implements Node { id: ID! tag: String status: Status }
      enum Status { OPEN SHIPPED }`;
    const permissions = [
      { role: 'user', definition: { schema } },
      {
        role: 'clerk',
        definition: { schema: schema.replace('type Query', 'schema { query: query_root } type query_root') },
      },
      { role: 'bot', definition: { schema: 'type Mutation { cancel(id: ID!): Status } enum Status { OPEN SHIPPED }' } },
    ];
    const parted = await open(RENAMED, { permissions });
    const expected = 'type Query { purchases(status: OrderStatus): [ShopOrder_v1!]! shop_node(id: ID!): ShopNode_v1 }';
    expect(await schemaSeenBy(parted, as('user'))).toContain(expected);
    expect(await schemaSeenBy(parted, as('clerk'))).toContain(expected);
    expect(await schemaSeenBy(parted, as('bot'))).toContain('type Mutation { cancelOrder(id: ID!): OrderStatus }');
    const answers = await Promise.all(
      ['user', 'clerk'].map((role) =>
        parted.graphql('{ purchases(status: OPEN) { __typename label } }', {
          token: issuer.token({ role, roles: [role] }),
        }),
      ),
    );
    for (const { body } of answers)
      expect(body).toEqual({ data: { purchases: [{ __typename: 'ShopOrder_v1', label: 'a' }] } });
    const bot = { token: issuer.token({ role: 'bot', roles: ['bot'] }) };
    expect((await parted.graphql('mutation { cancelOrder(id: 1) }', bot)).body).toEqual({
      data: { cancelOrder: 'SHIPPED' },
    });
  });
});

describe("GraphQL's own scalars with other names", () => {
  const customization = {
    type_names: { prefix: 'Shop', mapping: { String: 'ShopText', Int: 'ShopNumber', Float: 'NotUsed' } },
  };
  const schema = `
    schema { query: query_root }
    type query_root { echo(number: Int): String orders: [Order!]! }
    type Order { tag: String }`;
  const permissions = [{ role: 'clerk', definition: { schema } }];

  test.each(['admin', 'clerk'])('are those that the schema shows to the role %s, and no others', async (role) => {
    const gateway = await open(customization, { permissions });
    const seen = await schemaSeenBy(gateway, as(role));
    expect(seen).toContain('scalar ShopText');
    expect(seen).toContain('scalar ShopNumber');
    expect(seen).toMatch(/echo\((text: ShopText, )?number: ShopNumber.*\): ShopText/);
    expect(seen).not.toMatch(/NotUsed|ShopID|ShopBoolean|: (String|Int)\b/);
    expect(seen).toMatch(/tag: ShopText/);
  });

  test('are those of variables, and the service gets its own', async () => {
    const gateway = await open(customization, { permissions });
    const query = 'query ($n: ShopNumber = 4) { echo(number: $n) }';
    for (const [role, variables, number] of [
      ['clerk', {}, 4],
      ['admin', { n: 5 }, 5],
    ] as const) {
      const { body } = await gateway.graphql(query, { token: as(role), variables });
      expect(JSON.parse(String(body.data?.echo))).toEqual({ number });
    }
    expect(asked().join()).toMatch(/\$n: ?Int ?= ?4/);
    expect(asked().join()).not.toContain('ShopNumber');
    const { body } = await gateway.graphql('query ($n: Int) { echo(number: $n) }', { token: as('admin') });
    expect(body.errors?.[0]?.message).toContain('type "Int" used in position expecting type "ShopNumber"');
  });

  test('keep their types in literals and in what is answered', async () => {
    const gateway = await open(customization, { permissions });
    const literal = await gateway.graphql('{ echo(number: 7, text: "x") }', { token: as('admin') });
    expect(JSON.parse(String(literal.body.data?.echo))).toEqual({ number: 7, text: 'x' });
    const wrong = await gateway.graphql('{ echo(number: "seven") }', { token: as('admin') });
    expect(wrong.body.data?.echo ?? null).toBeNull();
    expect(wrong.body.errors).toHaveLength(1);
  });
});

describe("a relationship to a field whose argument is of a renamed scalar of GraphQL's own", () => {
  test('is resolved, and the service gets its own scalar', async () => {
    const notes = await keep(
      graphqlUpstream('type Query { note: Note } type Note { order: Int }', { Query: { note: () => ({ order: 1 }) } }),
    );
    const definition = {
      to_remote_schema: {
        remote_schema: 'shop',
        lhs_fields: ['order'],
        remote_field: { node: { arguments: { id: '$order' } } },
      },
    };
    const remote = {
      name: 'notes',
      definition: { url: notes.graphqlUrl },
      remote_relationships: [{ type_name: 'Note', relationships: [{ name: 'node', definition }] }],
    };
    const gateway = await open({ type_names: { mapping: { ID: 'ShopKey', Int: 'ShopNumber' } } }, {}, [remote]);
    const { body } = await gateway.graphql('query ($n: ShopNumber) { note { node { id } } echo(number: $n) }', {
      token,
      variables: { n: 3 },
    });
    expect(body).toEqual({ data: { note: { node: { id: '1' } }, echo: '{"number":3}' } });
    expect(asked().join()).not.toMatch(/ShopKey|ShopNumber/);
  });
});

describe("fragments on a type by the service's own name, where it has another one in the graph", () => {
  const customization = { type_names: { prefix: 'Shop' } };
  const schema = `
    schema { query: query_root }
    type query_root { node(id: ID!): Node }
    interface Node { id: ID! }
    type Order implements Node { id: ID! }`;
  const saved = (name: string, type: string) => ({ name, query: `{ node(id: 1) { ... on ${type} { id } } }` });
  const endpoint = (name: string) => ({
    name,
    url: name,
    methods: ['GET'],
    definition: { query: { collection_name: 'saved', query_name: name } },
  });

  test.each(['admin', 'clerk'])('are refused for the role %s, and those by its new name are not', async (role) => {
    const gateway = await open(customization, { permissions: [{ role: 'clerk', definition: { schema } }] });
    const ask = async (query: string) => (await gateway.graphql(query, { token: as(role) })).body;
    for (const query of [
      '{ node(id: 1) { ... on Order { id } } }',
      '{ node(id: 1) { ...order } } fragment order on Order { id }',
    ]) {
      expect((await ask(query)).errors?.[0]).toMatchObject({
        message: 'Unknown type "Order".',
        extensions: { code: 'validation-failed' },
      });
      expect((await ask(query.replace('on Order', 'on ShopOrder'))).data).toEqual({ node: { id: '1' } });
    }
  });

  test('are refused in a saved operation that an endpoint runs', async () => {
    const remote = { name: 'shop', definition: { url: shop.graphqlUrl, customization } };
    const queries = [saved('new', 'ShopOrder'), saved('own', 'Order')];
    const metadata = {
      'remote_schemas.yaml': [remote],
      'query_collections.yaml': [{ name: 'saved', definition: { queries } }],
      'rest_endpoints.yaml': queries.map(({ name }) => endpoint(name)),
    };
    const gateway = await keep(openGateway({ issuer, metadata }));
    const get = (name: string) => gateway.send(`/api/rest/${name}`, { headers: bearer(token) });
    expect(await get('new')).toMatchObject({ status: 200, body: { node: { id: '1' } } });
    expect(await get('own')).toMatchObject({
      status: 400,
      body: { code: 'validation-failed', error: 'Unknown type "Order".' },
    });
  });
});

describe('names that cannot be', () => {
  test.each<[what: string, customization: object, reason: RegExp]>([
    [
      'two types of one name',
      { type_names: { mapping: { Order: 'Page' } } },
      /There can be only one type named "Page"/,
    ],
    [
      "a scalar of GraphQL's own and a type of one name",
      { type_names: { mapping: { String: 'Page' } } },
      /There can be only one type named "Page"/,
    ],
    [
      'two fields of one name',
      { field_names: [{ parent_type: 'Order', mapping: { tag: 'id' } }] },
      /Field "Order\.id" can only be defined once/,
    ],
    ['no name at all', { type_names: { prefix: '1' } }, /Names must start with \[_a-zA-Z\]/],
    [
      'a field of an interface that its types do not have',
      { field_names: [{ parent_type: 'Node', mapping: { tag: 'label' } }] },
      /Interface field Node\.label expected but Order does not provide it/,
    ],
  ])('keep the service out, and the log says why: %s', async (_, customization, reason) => {
    const remote = { name: 'shop', definition: { url: shop.graphqlUrl, customization } };
    const gateway = await keep(
      openGateway({ issuer, metadata: { 'remote_schemas.yaml': [remote] }, waitUntilReady: false }),
    );
    await until('it is told', () => reason.test(gateway.logs().replaceAll('\\"', '"')));
    const { body } = await gateway.graphql('{ orders { id } }', { token });
    expect(body.errors).toMatchObject([{ extensions: { code: 'source-unavailable' } }]);
  });
});
