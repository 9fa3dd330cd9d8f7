import { afterAll, describe, expect, test } from '@jest/globals';
import { GraphQLError } from 'graphql';
import { pageBlocks } from '../../readme-blocks.ts';
import { bearer, graphqlUpstream, keeper, openGateway, openIssuer } from '../harness/index.ts';
import { openActionWorld } from '../sources/action-world.ts';

const { keep, close } = keeper();
afterAll(close);

describe('the actions of docs/actions.md', () => {
  const [types = ''] = pageBlocks('docs/actions.md', 'graphql');
  const [first = '', second = ''] = pageBlocks('docs/actions.md', 'yaml');
  const actions = first.replace('custom_types: {}\n', second.replace(/^/gm, '  '));

  test('call the webhook as the page says, as it is and by a transform', async () => {
    const world = await keep(
      openActionWorld({
        types: `${types} type Query { exchangeRate(from: String!, to: String!): Rate } type Rate { rate: Float }`,
        actions: actions.replace(/\{\{(SHOP|RATES)_URL\}\}/g, '{{HOOK_URL}}'),
      }),
    );
    world.answerWith(200, { id: '17', total: 4200, more: true });
    const checkout = 'mutation { checkout(basket: "b1", coupon: "SPRING") { id total } }';
    expect((await world.call(checkout)).body).toEqual({ data: { checkout: { id: '17', total: 4200 } } });
    expect(world.received()).toMatchObject({
      url: '/checkout',
      body: { action: { name: 'checkout' }, input: { basket: 'b1', coupon: 'SPRING' }, request_query: checkout },
    });

    world.answerWith(404, { message: 'there is no such basket', code: 'basket-missing' });
    expect((await world.call(checkout)).body.errors).toMatchObject([
      { message: 'there is no such basket', extensions: { code: 'basket-missing' } },
    ]);

    world.answerWith(200, { rates: [{ value: 1.5 }] });
    const { body } = await world.call('{ exchangeRate(from: "EUR", to: "USD") { rate } }');
    expect(body).toEqual({ data: { exchangeRate: { rate: 1.5 } } });
    expect(world.received()).toMatchObject({ method: 'GET', url: '/v1/EUR?symbols=USD', headers: { 'x-caller': '7' } });
  });
});

describe('the saved operations of docs/actions.md', () => {
  const graphqlBlocks = pageBlocks('docs/actions.md', 'graphql');
  const yamlBlocks = pageBlocks('docs/actions.md', 'yaml');
  const blockWith = (blocks: readonly string[], text: string) => blocks.find((one) => one.includes(text)) ?? '';

  test('handle actions without a webhook, and undo a reservation that is not paid', async () => {
    const done: string[] = [];
    const issuer = await keep(openIssuer());
    const shop = await keep(
      graphqlUpstream(
        `type Query { item(id: ID!): Item } type Item { id: ID! price: Int }
        type Mutation { reserve(item: ID!): Reservation release(id: ID!): Boolean charge(amount: Int!, key: String): Charge }
        type Reservation { id: ID! } type Charge { amount: Int }`,
        {
          Query: { item: (_: unknown, { id }: { id: string }) => (id === 'none' ? null : { id, price: Number(id) }) },
          Mutation: {
            reserve: () => {
              done.push('reserve');
              return { id: '17' };
            },
            release: (_: unknown, { id }: { id: string }) => {
              done.push(`release ${id}`);
              return true;
            },
            charge: (_: unknown, { amount }: { amount: number }) => {
              if (amount === 13) throw new GraphQLError('no money', { extensions: { code: 'no-money' } });
              done.push('charge');
              return { amount };
            },
          },
        },
      ),
    );
    const item = 'type Query { item(id: ID!): Item } type Item { id: ID! price: Int }';
    const clerk = `${item} type Mutation { reserve(item: ID!): Reservation release(id: ID!): Boolean charge(amount: Int!, key: String): Charge }
      type Reservation { id: ID! } type Charge { amount: Int }`;
    const gateway = await keep(
      openGateway({
        issuer,
        environment: { SHOP_URL: shop.graphqlUrl },
        metadata: {
          'remote_schemas.yaml': [
            {
              name: 'shop',
              definition: { url: '{{SHOP_URL}}' },
              permissions: [
                { role: 'user', definition: { schema: item } },
                { role: 'clerk', definition: { schema: clerk } },
              ],
            },
          ],
          'actions.graphql': blockWith(graphqlBlocks, 'placeOrder'),
          'actions.yaml': blockWith(yamlBlocks, 'name: placeOrder'),
          'query_collections.yaml': blockWith(yamlBlocks, '{ name: Release,'),
        },
      }),
    );
    const call = async (query: string) => (await gateway.graphql(query, { token: issuer.token() })).body;
    expect(await call('{ stockOf(item: "12") { id price } }')).toEqual({ data: { stockOf: { id: '12', price: 12 } } });
    const order = (id: string) => call(`mutation { placeOrder(item: "${id}") { id paid } }`);
    expect(await order('12')).toEqual({ data: { placeOrder: { id: '17', paid: 12 } } });
    expect(await order('0')).toEqual({ data: { placeOrder: { id: '17', paid: null } } });
    expect((await order('none')).errors).toMatchObject([{ extensions: { code: 'no-item' } }]);
    expect((await order('13')).errors?.[0]?.extensions).toEqual({ path: '$', code: 'no-money', compensation: 'done' });
    expect(done).toEqual(['reserve', 'charge', 'reserve', 'reserve', 'release 17']);
  });
});

describe('a service', () => {
  const issuer = openIssuer();
  const shop = graphqlUpstream(
    `scalar Date type Query { orders(tenant: Int!, since: Date): [Order!]! orderCount: Int! order(id: ID!): Order }
    type Order { id: ID! item: String! placed: Date! price: Int lines: [Line!] } type Line { sku: String }
    type Mutation { placeOrder(item: String!, quantity: Int!): Order }`,
    {
      Query: {
        orders: (_: unknown, { tenant }: { tenant: number }) => [{ id: tenant, item: 'x', placed: '2026-01-01' }],
        orderCount: () => 3,
        order: (_: unknown, { id }: { id: string }) => ({ id, item: 'x', placed: 'x', lines: [{ sku: 's' }] }),
      },
      Mutation: { placeOrder: () => ({ id: '9', item: 'x', placed: 'x' }) },
    },
  );

  test('is plugged in by the first lines of docs/plugging-in-services.md', async () => {
    const [plain = ''] = pageBlocks('docs/plugging-in-services.md', 'yaml');
    const gateway = await keep(
      openGateway({
        issuer: await keep(issuer),
        environment: { SHOP_URL: (await keep(shop)).graphqlUrl },
        metadata: { 'remote_schemas.yaml': plain },
      }),
    );
    const ask = async (query: string) => (await gateway.graphql(query, { token: (await issuer).token() })).body;
    expect(await ask('{ order(id: "7") { id item } }')).toEqual({ data: { order: { id: '7', item: 'x' } } });
    expect((await ask('{ orderCount }')).errors?.[0]?.message).toContain('Cannot query field "orderCount" on type');
  });

  test('has the permissions, limits and allow list of docs/permissions.md', async () => {
    const [permissions = '', limits = '', introspection = '', allowList = ''] = pageBlocks(
      'docs/permissions.md',
      'yaml',
    );
    const saved = (name: string, ...queries: string[]) => ({
      name,
      definition: { queries: queries.map((query, index) => ({ name: `${name}${index}`, query })) },
    });
    const gateway = await keep(
      openGateway({
        issuer: await keep(issuer),
        environment: { SHOP_URL: (await keep(shop)).url, HASURA_GRAPHQL_ENABLE_ALLOWLIST: 'true' },
        metadata: {
          'remote_schemas.yaml': permissions,
          'api_limits.yaml': limits,
          'graphql_schema_introspection.yaml': introspection,
          'allow_list.yaml': allowList,
          'query_collections.yaml': [
            saved('web-app', '{ orders { id } }', '{ orderCount }'),
            saved('partners', '{ orders { item } }'),
          ],
        },
      }),
    );
    const token = (await issuer).token();
    const ask = async (query: string) => (await gateway.graphql(query, { token })).body;
    expect(await ask('{ orders { id } }')).toEqual({ data: { orders: [{ id: '1' }] } });
    expect((await ask('{ orderCount }')).errors?.[0]?.message).toContain('Cannot query field "orderCount" on type');
    expect((await ask('{ orders { item } }')).errors?.[0]?.message).toBe('query is not allowed');
  });

  test('has the REST endpoints of docs/metadata.md', async () => {
    const [collections = '', endpoints = ''] = pageBlocks('docs/metadata.md', 'yaml');
    const gateway = await keep(
      openGateway({
        issuer: await keep(issuer),
        metadata: {
          'remote_schemas.yaml': [{ name: 'shop', definition: { url: (await keep(shop)).graphqlUrl } }],
          'query_collections.yaml': collections,
          'rest_endpoints.yaml': endpoints,
        },
      }),
    );
    const headers = bearer((await issuer).token());
    const order = await gateway.send('/api/rest/orders/7?lines=true', { headers });
    expect(order.body).toEqual({ order: { id: '7', item: 'x', lines: [{ sku: 's' }] } });
    const placed = await gateway.post('/api/rest/orders', { item: 'x', quantity: 2 }, headers);
    expect(placed.body).toEqual({ placeOrder: { id: '9' } });
  });
});
