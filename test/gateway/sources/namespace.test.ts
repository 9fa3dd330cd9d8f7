import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import { graphqlUpstream, keeper, type TestGateway } from '../harness/index.ts';
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
    const seen = await schemaSeenBy(gateway, token);
    expect(seen).toContain('type Query { shop: shop_query mail: mail_query }');
    expect(seen).toContain('type Mutation { shop: shop_mutation }');
    expect(seen).toContain('type mail_query { count: Int node(id: ID!): String }');
    expect(await send('{ shop { orders { id } } mail { count } }')).toEqual({
      data: { shop: { orders: [{ id: '1' }] }, mail: { count: 3 } },
    });
    expect(asked()).toEqual([expect.not.stringContaining('shop {')]);
  });

  test('leave values of custom scalars as they are, also what looks like the name of a type', async () => {
    const value = { __typename: 'Page', pages: [{ __typename: 'Page' }] };
    const wiki = await keep(
      graphqlUpstream('scalar Json type Page { of: Json } type Query { page: Page }', {
        Query: { page: () => ({ of: value }) },
      }),
    );
    const customization = { root_fields_namespace: 'wiki', type_names: { prefix: 'Wiki' } };
    const both = await open({ root_fields_namespace: 'shop' }, {}, [
      { name: 'wiki', definition: { url: wiki.graphqlUrl, customization } },
    ]);
    const { body } = await both.graphql('{ wiki { page { __typename of } } }', { token });
    expect(body).toEqual({ data: { wiki: { page: { __typename: 'WikiPage', of: value } } } });
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

  test('keep the result of a mutation when a later one fails', async () => {
    const query =
      'mutation { a: shop { place(input: {}) { id } } b: shop { place(input: { status: SHIPPED }) { id } } c: shop { cancel(id: 1) } }';
    const { data, errors } = await send(query);
    expect(data).toEqual({ a: { place: { id: '1' } }, b: null, c: { cancel: 'SHIPPED' } });
    expect(errors).toMatchObject([{ path: ['b', 'place'] }]);
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
    expect(await schemaSeenBy(customized, token)).toContain('type Query { shop: S_query_root }');
    expect(await schemaSeenBy(customized, token)).toContain('type Mutation { shop: Orders }');
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
    expect(await schemaSeenBy(parted, as('user'))).toContain(
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

describe('a namespace together with all other customization', () => {
  const customization = {
    root_fields_namespace: 'market',
    type_names: { prefix: 'My', suffix: '_x', mapping: { Order: 'Purchase', Int: 'Count', query_root: 'MarketQuery' } },
    field_names: [
      { parent_type: 'query_root', prefix: 'get_' },
      ...['Node', 'Order', 'Page'].map((parent_type) => ({ parent_type, prefix: 'the_', mapping: { id: 'key' } })),
    ],
  };
  const schema = `
    schema { query: query_root }
    type query_root { node(id: ID!): Node search: [Result!]! echo(number: Int): String }
    interface Node { id: ID! tag: String }
    type Order implements Node { id: ID! tag: String }
    type Page implements Node { id: ID! tag: String url: String }
    union Result = Order | Page`;
  const roles = ['admin', 'clerk'];

  test.each(roles)('answers in the new names, for the role %s', async (role) => {
    const gateway = await open(customization, { permissions: [{ role: 'clerk', definition: { schema } }] });
    const ask = async (query: string, variables?: object) =>
      (await gateway.graphql(query, { token: as(role), variables })).body;
    expect(
      await ask(`{
        a: market {
          __typename
          one: get_node(id: 1) { k: key ...node ... on Purchase { kind: __typename the_tag } }
          get_search { t: __typename ... on MyPage_x { key the_url } }
        }
      }
      fragment node on MyNode_x { the_tag __typename }`),
    ).toEqual({
      data: {
        a: {
          __typename: 'MarketQuery',
          one: { k: '1', the_tag: 'a', __typename: 'Purchase', kind: 'Purchase' },
          get_search: [{ t: 'Purchase' }, { t: 'MyPage_x', key: '2', the_url: '/b' }],
        },
      },
    });
    expect(await ask('query ($n: Count!) { market { get_echo(number: $n) } }', { n: 4 })).toEqual({
      data: { market: { get_echo: '{"number":4}' } },
    });
    expect((await ask('{ market { get_node(id: 1) { id } } }')).errors?.[0]?.message).toContain(
      'Cannot query field "id" on type "MyNode_x"',
    );
    expect((await ask('{ own: __type(name: "Order") { name } __type(name: "Purchase") { kind name } }')).data).toEqual({
      own: null,
      __type: { kind: 'OBJECT', name: 'Purchase' },
    });
  });

  test.each(roles)('answers a field that is asked for by the name of its type, for the role %s', async (role) => {
    const gateway = await open(customization, { permissions: [{ role: 'clerk', definition: { schema } }] });
    const query =
      '{ market { get_node(id: 1) { key: the_tag __typename: key ... on Purchase { kind: __typename } } } }';
    const { body } = await gateway.graphql(query, { token: as(role) });
    expect(body).toEqual({ data: { market: { get_node: { key: 'a', __typename: '1', kind: 'Purchase' } } } });
  });
});
