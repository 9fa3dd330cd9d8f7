import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import { buildClientSchema, getIntrospectionQuery, type IntrospectionQuery, printSchema } from 'graphql';
import { graphqlUpstream, keeper, openGateway, openIssuer, type TestGateway, until } from '../harness/index.ts';
import { shopUpstream } from './shop-upstream.ts';

const { keep, close } = keeper();
afterAll(close);
const issuer = await keep(openIssuer());
const shop = await keep(shopUpstream());
beforeEach(() => {
  shop.forget();
  shop.instead = undefined;
});
const token = issuer.token();

function open(customization: object, more: object = {}, others: readonly object[] = []): Promise<TestGateway> {
  const remote = { name: 'shop', definition: { url: shop.graphqlUrl, customization }, ...more };
  return keep(openGateway({ issuer, metadata: { 'remote_schemas.yaml': [remote, ...others] } }));
}

async function schemaSeenBy(gateway: TestGateway, role = 'user'): Promise<string> {
  const seen = await gateway.graphql(getIntrospectionQuery(), { token: issuer.token({ role, roles: [role] }) });
  return printSchema(buildClientSchema(seen.body.data as unknown as IntrospectionQuery)).replace(/\s+/g, ' ');
}

/** What the service was asked, in one line each. */
const asked = () => shop.operations().map(({ body }) => body.query.replace(/\s+/g, ' '));

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
    const seen = await schemaSeenBy(gateway);
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
    expect(asked()[0]).toMatch(/purchases: orders .*label: tag sum: total/);
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

  test('take the place of the old ones', async () => {
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
    expect(await schemaSeenBy(parted, 'user')).toContain(expected);
    expect(await schemaSeenBy(parted, 'clerk')).toContain(expected);
    expect(await schemaSeenBy(parted, 'bot')).toContain('type Mutation { cancelOrder(id: ID!): OrderStatus }');
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

describe('root fields in a namespace', () => {
  let gateway: TestGateway;
  const send = async (query: string, variables?: object) => (await gateway.graphql(query, { token, variables })).body;

  test('stand in one field of the root', async () => {
    const mail = await keep(
      graphqlUpstream('type Query { count: Int node(id: ID!): String }', { Query: { count: () => 3 } }),
    );
    gateway = await open({ root_fields_namespace: 'shop' }, {}, [
      { name: 'mail', definition: { url: mail.graphqlUrl, customization: { root_fields_namespace: 'mail' } } },
    ]);
    const seen = await schemaSeenBy(gateway);
    expect(seen).toContain('type Query { shop: shop_query mail: mail_query }');
    expect(seen).toContain('type Mutation { shop: shop_mutation }');
    expect(seen).toContain('type mail_query { count: Int node(id: ID!): String }');
    expect(await send('{ shop { orders { id } } mail { count } }')).toEqual({
      data: { shop: { orders: [{ id: '1' }] }, mail: { count: 3 } },
    });
    expect(asked()).toEqual([expect.not.stringContaining('shop {')]);
  });

  test('may be asked for several times, by several names', async () => {
    const query =
      '{ one: shop { a: node(id: 1) { id } } two: shop { a: node(id: 2) { id } b: node(id: 1) { id } } one: shop { orders { id } } }';
    expect(await send(query)).toEqual({
      data: { one: { a: { id: '1' }, orders: [{ id: '1' }] }, two: { a: { id: '2' }, b: { id: '1' } } },
    });
  });

  test('obey conditions and fragments, on both sides of it', async () => {
    const query = `
      query ($no: Boolean = false, $yes: Boolean!) {
        ...root
        hidden: shop @include(if: $no) { orders { id } }
        empty: shop @include(if: $yes) { orders @include(if: $no) { id } }
        inline: shop { ... on shop_query @skip(if: $no) { ... { broken @skip(if: $yes) { id } node(id: 2) { ...it } } } }
      }
      fragment root on Query { shop { ...shop @include(if: $yes) ...none @include(if: $no) } }
      fragment shop on shop_query { __typename search { ...it } }
      fragment none on shop_query { broken { id } }
      fragment it on Node { id }`;
    expect(await send(query, { yes: true })).toEqual({
      data: {
        shop: { __typename: 'shop_query', search: [{ id: '1' }, { id: '2' }] },
        empty: {},
        inline: { node: { id: '2' } },
      },
    });
  });

  test('are there even where nothing but their type is asked for', async () => {
    expect(await send('{ shop { kind: __typename __typename } }')).toEqual({
      data: { shop: { kind: 'shop_query', __typename: 'shop_query' } },
    });
  });

  test('take variables', async () => {
    const filter = { tags: ['x'], also: { status: 'OPEN' } };
    const { data } = await send('query ($f: Filter) { shop { echo(filter: $f, number: 3) } }', { f: filter });
    expect(data).toEqual({ shop: { echo: JSON.stringify({ number: 3, filter }) } });
  });

  test('are run in their order when they are mutations', async () => {
    expect(await send('mutation { a: shop { place(input: {}) { id } } b: shop { cancel(id: 1) } }')).toEqual({
      data: { a: { place: { id: '1' } }, b: { cancel: 'SHIPPED' } },
    });
    const fields = asked().join(' ');
    expect(fields.indexOf('place')).toBeLessThan(fields.indexOf('cancel'));
  });

  test('have their errors where the client asked for them', async () => {
    const { data, errors } = await send('{ mine: shop { oops: broken { id } orders { failing } } }');
    expect(data).toEqual({ mine: { oops: null, orders: [{ failing: null }] } });
    expect(errors?.map(({ path }) => path)).toEqual([
      ['mine', 'oops'],
      ['mine', 'orders', 0, 'failing'],
    ]);
  });

  test('do not take the data of others with them when they fail', async () => {
    shop.instead = (_, response) => response.destroy();
    const { data, errors } = await send('{ mail { count } shop { orders { id } } }');
    expect(data).toEqual({ mail: { count: 3 }, shop: null });
    expect(errors).toMatchObject([{ path: ['shop'], extensions: { service: 'shop' } }]);
  });

  test('are of renamed types when there are other names too', async () => {
    const customized = await open({
      root_fields_namespace: 'shop',
      type_names: { prefix: 'S_', mapping: { mutation_root: 'Orders' } },
      field_names: [{ parent_type: 'query_root', mapping: { orders: 'all' } }],
    });
    expect(await schemaSeenBy(customized)).toContain('type Query { shop: S_query_root }');
    expect(await schemaSeenBy(customized)).toContain('type Mutation { shop: Orders }');
    const query =
      'fragment q on S_query_root { __typename all { __typename } node(id: 1) { __typename } } { shop { ...q } }';
    expect((await customized.graphql(query, { token })).body).toEqual({
      data: { shop: { __typename: 'S_query_root', all: [{ __typename: 'S_Order' }], node: { __typename: 'S_Order' } } },
    });
  });

  test('are a part of them for a role with a part of the schema', async () => {
    const permissions = [
      {
        role: 'user',
        definition: { schema: 'type Mutation { cancel(id: ID!): Status } enum Status { OPEN SHIPPED }' },
      },
      {
        role: 'clerk',
        definition: { schema: 'type Query { echo(text: String @preset(value: "x-hasura-user-id")): String }' },
      },
    ];
    const parted = await open({ root_fields_namespace: 'shop' }, { permissions });
    expect(await schemaSeenBy(parted, 'user')).toContain(
      'type Mutation { shop: shop_mutation } type shop_mutation { cancel(id: ID!): Status }',
    );
    expect((await parted.graphql('mutation { shop { cancel(id: 1) } }', { token })).body).toEqual({
      data: { shop: { cancel: 'SHIPPED' } },
    });
    const clerk = { token: issuer.token({ role: 'clerk', roles: ['clerk'] }) };
    expect((await parted.graphql('{ shop { echo } }', clerk)).body).toEqual({
      data: { shop: { echo: '{"text":"7"}' } },
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
    expect(body.errors).toMatchObject([{ extensions: { code: 'validation-failed' } }]);
  });
});
