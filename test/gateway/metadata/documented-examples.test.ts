import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, describe, expect, test } from '@jest/globals';
import { GraphQLError } from 'graphql';
import { pageBlocks, sectionBlocks } from '../../readme-blocks.ts';
import {
  bearer,
  freePort,
  graphqlUpstream,
  keeper,
  openGateway,
  openIssuer,
  until,
  webhook,
} from '../harness/index.ts';
import { openActionWorld } from '../sources/action-world.ts';
import { wsClient } from '../subscriptions/clients.ts';

const { keep, close } = keeper();
afterAll(close);

describe('the actions of docs/actions.md', () => {
  const [types = ''] = pageBlocks('docs/actions.md', 'graphql');
  const [first = '', second = ''] = pageBlocks('docs/actions.md', 'yaml').filter(
    (block) => !block.includes('kind: subscription'),
  );
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

test('the richer types of docs/actions.md work as the page says', async () => {
  const section = (language: string) => sectionBlocks('docs/actions.md', "## Types beyond Hasura's", language);
  const [types = ''] = section('graphql');
  const [actions = ''] = section('yaml');
  const [request = '', response = ''] = section('json');
  const world = await keep(openActionWorld({ types, actions: actions.replace('{{SHOP_URL}}', '{{HOOK_URL}}') }));
  world.answerWith(200, JSON.parse(response));
  const query =
    '{ search(by: { text: "tea" }) { __typename sku ... on Book { cover(width: 400) } ... on Voucher { value } } }';
  expect((await world.call(query)).body).toEqual({
    data: {
      search: [
        { __typename: 'Book', sku: 'TEA-1', cover: 'https://shop.test/tea-1-400.jpg' },
        { __typename: 'Voucher', sku: 'VOU-7', value: 25 },
      ],
    },
  });
  const { action, input, field_arguments } = JSON.parse(request);
  expect(world.received()?.body).toMatchObject({ action, input, field_arguments, request_query: query });
});

describe('the subscription of docs/actions.md', () => {
  const section = (language: string) => sectionBlocks('docs/actions.md', '## Subscriptions', language);

  test('has the events of the handler of the page, also when the handler is killed between them', async () => {
    const [types = ''] = section('graphql');
    const [action = ''] = section('yaml');
    const [handler = ''] = section('js');
    const port = await freePort();
    const start = () => {
      const child = spawn(process.execPath, ['--input-type=module', '-e', handler.replace('4030', String(port))]);
      return { kill: () => child.kill('SIGKILL'), ended: once(child, 'exit') };
    };
    const isUp = () => until('the handler listens', () => connects(port));
    const world = await keep(
      openActionWorld({
        types,
        actions: `actions:\n${action.replace('timeout: 10', 'timeout: 10\n    resilience: { retries: { limit: 10, backoff_milliseconds: 200 } }').replace(/^/gm, '  ')}`,
        environment: { PARCELS_URL: `http://127.0.0.1:${port}` },
      }),
    );
    const client = await keep(Promise.resolve(wsClient(world.gateway.url, { headers: bearer(world.token) })));
    const results = ['warehouse', 'road', 'doorstep'].map((place) => ({ data: { parcel: { id: 'p1', place } } }));
    let running = start();
    try {
      await isUp();
      const subscribed = client.subscribe('subscription { parcel(id: "p1") { id place } }');
      expect(await subscribed.ended()).toBe('complete');
      expect(subscribed.results).toEqual(results);

      const other = client.subscribe('subscription { parcel(id: "p1") { id place } }');
      await other.next();
      running.kill();
      await running.ended;
      running = start();
      expect(await other.ended()).toBe('complete');
      expect(other.results).toEqual(results);
    } finally {
      running.kill();
    }
  });
});

/** Whether something accepts connections on a port. */
function connects(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(true);
    });
    socket.on('error', () => resolve(false));
  });
}

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
    const [permissions = '', , , , limits = '', introspection = '', allowList = ''] = pageBlocks(
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

  test('has the session conditions of docs/permissions.md, and the list of docs/actions.md', async () => {
    const [, permissions = '', actions = '', endpoints = ''] = pageBlocks('docs/permissions.md', 'yaml');
    const transform = pageBlocks('docs/actions.md', 'yaml').find((block) => block.includes('toList'));
    const [refusal = ''] = pageBlocks('docs/permissions.md', 'json');
    const conditional = await keep(
      graphqlUpstream(
        'type Query { orders: [Order!]! report: Report } type Order { id: ID! margin: Int } type Report { total: Int }',
        { Query: { orders: () => [{ id: '1', margin: 5 }], report: () => ({ total: 9 }) } },
      ),
    );
    const hook = await keep(webhook(({ body }) => body));
    const handler = "definition: { handler: '{{SHOP_URL}}/export' }";
    expect(actions).toContain(handler);
    const withTransform = `definition:\n    handler: '${hook.url}'\n    request_transform:\n      version: 2\n${transform?.replace(/^/gm, '      ')}`;
    const gateway = await keep(
      openGateway({
        issuer: await keep(issuer),
        environment: { SHOP_URL: conditional.url },
        metadata: {
          'remote_schemas.yaml': permissions,
          'actions.yaml': `actions:\n${actions.replace(handler, withTransform).replace(/^/gm, '  ')}`,
          'actions.graphql': 'type Mutation { exportOrders: Export } type Export { teams: [String!] first: String }',
          'query_collections.yaml': [
            { name: 'shop', definition: { queries: [{ name: 'report', query: '{ report { total } }' }] } },
          ],
          'rest_endpoints.yaml': endpoints,
        },
      }),
    );
    const tokenOf = async (hasura: object) => (await issuer).token({ hasura: { ...hasura } });
    const free = await tokenOf({ 'x-hasura-plan': 'free', 'x-hasura-seats': '5', 'x-hasura-teams': ['a', 'b'] });
    const pro = await tokenOf({ 'x-hasura-plan': 'pro', 'x-hasura-seats': '5', 'x-hasura-teams': ['a', 'b'] });
    const ask = async (query: string, token: string) => (await gateway.graphql(query, { token })).body;
    expect(await ask('{ orders { margin } }', free)).toEqual(JSON.parse(refusal));
    expect(await ask('{ orders { margin } report { total } }', pro)).toEqual({
      data: { orders: [{ margin: 5 }], report: { total: 9 } },
    });
    const exportOrders = 'mutation { exportOrders { teams first } }';
    expect((await ask(exportOrders, free)).errors).toMatchObject([
      { extensions: { code: 'session-condition-failed' } },
    ]);
    expect((await ask(exportOrders, pro)).data).toEqual({ exportOrders: { teams: ['a', 'b'], first: 'a' } });
    const statusOf = async (token: string) =>
      (await gateway.send('/api/rest/report', { headers: bearer(token) })).status;
    expect([await statusOf(free), await statusOf(pro)]).toEqual([403, 200]);
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
