import { afterAll, afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { productsSubgraph, reviewsSubgraph } from '../composition/subgraphs.ts';
import { federated } from '../composition/world.ts';
import { type EditedGateway, openEditedGateway } from '../harness/edited-gateway.ts';
import {
  accountsUpstream,
  endpoint,
  GOOD_LOGIN,
  type GraphqlUpstream,
  graphqlUpstream,
  keeper,
  LOGIN,
  openIssuer,
  until,
} from '../harness/index.ts';
import { wsClient } from '../subscriptions/clients.ts';

const { keep, close } = keeper();
afterAll(close);
const { keep: keepForTest, close: closeAfterTest } = keeper();
afterEach(closeAfterTest);

const issuer = await keep(openIssuer());
const token = issuer.token();

const LOGIN_PERMISSION = /* GraphQL */ `
  type Mutation { auth_user_login(data: AuthUserLoginInput!): AuthUserLoginResult! }
  input AuthUserLoginInput { username: String password: String tenant_id: Int }
  type AuthUserLoginResult { success: Boolean! error_message: String data: AuthTokens }
  type AuthTokens { access_token: String! expires_in: Int! refresh_token: String! }
`;
const ORDERS =
  'type Query { orders: [Order!]! } type Mutation { place: Order! } type Order { id: ID! item: String! owner: Int }';
const ORDER_ROWS = { Query: { orders: () => [{ id: '1', item: 'bolt', owner: 7 }] } };

let accounts: GraphqlUpstream;
let orders: GraphqlUpstream;
let shop: GraphqlUpstream;
let gateway: EditedGateway;

/** Accounts and orders are down when the gateway starts; the shop is up. */
beforeEach(async () => {
  accounts = await keepForTest(accountsUpstream());
  orders = await keepForTest(graphqlUpstream(ORDERS, ORDER_ROWS));
  shop = await keepForTest(
    graphqlUpstream('type Query { item: Item } type Item { id: ID! order: Int }', {
      Query: { item: () => ({ id: 'i', order: 1 }) },
    }),
  );
  await accounts.stop();
  await orders.stop();
  gateway = await keepForTest(
    openEditedGateway(
      {
        'remote_schemas.yaml': [
          {
            name: 'accounts',
            definition: { url: accounts.graphqlUrl, authentication_fields: ['auth_user_login'] },
            permissions: [{ role: 'anonymous', definition: { schema: LOGIN_PERMISSION } }],
          },
          { name: 'orders', definition: { url: orders.graphqlUrl } },
          {
            name: 'shop',
            definition: { url: shop.graphqlUrl },
            remote_relationships: [
              {
                type_name: 'Item',
                relationships: [
                  {
                    name: 'of_order',
                    definition: {
                      to_remote_schema: {
                        remote_schema: 'orders',
                        lhs_fields: ['order'],
                        remote_field: { orders: { arguments: {} } },
                      },
                    },
                  },
                ],
              },
            ],
          },
        ],
        'query_collections.yaml': [
          {
            name: 'saved',
            definition: {
              queries: [
                { name: 'login', query: LOGIN },
                { name: 'orders', query: '{ orders { id } }' },
                { name: 'item', query: '{ item { id } }' },
                { name: 'wrong', query: '{ item { id(of: 1) } }' },
              ],
            },
          },
        ],
        'rest_endpoints.yaml': [
          endpoint('login', 'login', ['POST']),
          endpoint('orders', 'orders', ['GET']),
          endpoint('item', 'item', ['GET']),
          endpoint('wrong', 'wrong', ['GET']),
        ],
      },
      { issuer, waitUntilReady: false },
    ),
  );
  await until('the shop is there', async () => {
    const { body } = await gateway.send<{ missing_sources: string[] }>('/readyz');
    return body.missing_sources.join() === 'accounts,orders';
  });
});

const ask = (query: string, as = token) => gateway.graphql(query, { token: as });
const get = (path: string) => gateway.send<{ code: string }>(path, { headers: { authorization: `Bearer ${token}` } });
const unavailable = {
  errors: [
    {
      message: 'a service that the operation may require is not available',
      extensions: { path: '$', code: 'source-unavailable', retry_after: 5 },
    },
  ],
};

describe('while the schema of a service has never been seen', () => {
  test('its fields are not called unknown, in no operation that asks for them', async () => {
    const operations = [
      '{ orders { id } }',
      '{ item { id } orders { id } }',
      '{ ...all } fragment all on Query { orders { id } }',
      'mutation { place { id } }',
      'query($order: NewOrder) { item { id } }',
      '{ item { id of_order { id } } }',
    ];
    for (const operation of operations) {
      const { status, headers, body, text } = await ask(operation);
      expect({ operation, status, body }).toEqual({ operation, status: 503, body: unavailable });
      expect(headers['retry-after']).toBe('5');
      expect(text).not.toMatch(/accounts|shop|127\.0\.0\.1/);
    }
  });

  test('an operation that cannot belong to it is rejected as usual', async () => {
    expect((await ask('{ item { id } }')).body).toEqual({ data: { item: { id: 'i', order: undefined } } });
    for (const operation of [
      '{ item { colour } }',
      '{ item { id(of: 1) } }',
      '{ item }',
      'query($x: Int) { item { id } }',
    ]) {
      const { status, body } = await ask(operation);
      expect({ operation, status, code: body.errors?.[0]?.extensions.code }).toEqual({
        operation,
        status: 200,
        code: 'validation-failed',
      });
    }
  });

  test('in a batch, the others are answered', async () => {
    const { status, body } = await gateway.post(
      '/v1/graphql',
      [{ query: '{ item { id } }' }, { query: '{ orders { id } }' }],
      {
        authorization: `Bearer ${token}`,
      },
    );
    expect({ status, body }).toEqual({ status: 200, body: [{ data: { item: { id: 'i' } } }, unavailable] });
  });

  test('a REST endpoint that needs it answers 503 with Retry-After, another one answers', async () => {
    expect(await get('/api/rest/orders')).toMatchObject({
      status: 503,
      headers: { 'retry-after': '5' },
      body: { code: 'source-unavailable', path: '$' },
    });
    expect(await get('/api/rest/item')).toMatchObject({ status: 200, body: { item: { id: 'i' } } });
    expect(await get('/api/rest/wrong')).toMatchObject({ status: 400, body: { code: 'validation-failed' } });
    expect(await get('/api/rest/nothing')).toMatchObject({ status: 404 });
  });

  test('a login answers 503 with Retry-After over REST and GraphQL, with and without a token', async () => {
    for (const headers of [{}, { authorization: 'Bearer nonsense' }]) {
      expect(await gateway.post('/api/rest/login', GOOD_LOGIN, headers)).toMatchObject({
        status: 503,
        headers: { 'retry-after': '5' },
        body: { code: 'source-unavailable' },
      });
      expect(await gateway.graphql(LOGIN, { variables: GOOD_LOGIN, headers })).toMatchObject({
        status: 503,
        headers: { 'retry-after': '5' },
        body: unavailable,
      });
    }
    // What is wrong with the request itself stays so.
    expect(await gateway.post('/api/rest/login', [])).toMatchObject({ status: 400, body: { code: 'parse-failed' } });
  });

  test('a role without access to the source gets no hint that it exists', async () => {
    // The public role is given nothing of orders, and of accounts the login only.
    for (const operation of ['{ orders { id } }', '{ account_count }', 'mutation { account_close }'])
      expect(await gateway.graphql(operation)).toMatchObject({
        status: 401,
        body: { errors: [{ extensions: { code: 'invalid-headers' } }] },
      });
    expect((await get('/api/rest/login')).status).toBe(405);
  });

  test('a subscription over a WebSocket ends with an error of its own', async () => {
    const client = await keepForTest(wsClient(gateway.url, { headers: { authorization: `Bearer ${token}` } }));
    expect(await client.subscribe('subscription { orderPlaced { id } }').ended()).toEqual(unavailable.errors);
    const answered = client.subscribe('{ item { id } }');
    expect(await answered.next()).toEqual({ data: { item: { id: 'i' } } });
  });

  test('one over server-sent events, too, before there are any', async () => {
    const answer = await gateway.send('/v1/graphql', {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'text/event-stream', authorization: `Bearer ${token}` },
      body: JSON.stringify({ query: 'subscription { orderPlaced { id } }' }),
    });
    expect(answer).toMatchObject({ status: 503, headers: { 'retry-after': '5' }, body: unavailable });
  });

  test('it is listed, and all is well when it comes', async () => {
    expect(await gateway.send('/readyz')).toMatchObject({
      status: 503,
      body: { ready: false, missing_sources: ['accounts', 'orders'] },
    });
    expect(await gateway.health()).toBe('WARN: inconsistent objects in schema');
    await accounts.start();
    await orders.start();
    await gateway.ready();
    expect((await ask('{ orders { id } item { id of_order { item } } }')).body).toEqual({
      data: { orders: [{ id: '1' }], item: { id: 'i', of_order: [{ item: 'bolt' }] } },
    });
    expect((await gateway.post('/api/rest/login', GOOD_LOGIN)).status).toBe(200);
    expect((await ask('{ colour }')).body.errors?.[0]?.message).toBe('Cannot query field "colour" on type "Query".');
  });
});

test('a field of a subgraph is not called unknown while another subgraph that it needs is missing', async () => {
  const products = await keepForTest(productsSubgraph());
  const reviews = await keepForTest(reviewsSubgraph());
  await products.stop();
  // Of the products, exactly the fields are known that the role gets.
  const permissions = { user: 'type Query { products: [Product!]! } type Product { upc: String! }' };
  const whole = { user: 'type Query { reviews: [Review] } type Review { id: ID! text: String }' };
  const federation = await keepForTest(
    openEditedGateway(
      {
        'remote_schemas.yaml': [
          federated('products', products, {}, permissions),
          federated('reviews', reviews, {}, whole),
        ],
      },
      { issuer, waitUntilReady: false, environment: { PORTICO_READY_GRACE_SECONDS: '0' } },
    ),
  );
  await federation.ready();
  expect((await federation.send('/readyz')).body).toMatchObject({ missing_sources: ['products', 'reviews'] });
  for (const query of ['{ products { upc } }', '{ reviews { text } }'])
    expect(await federation.graphql(query, { token })).toMatchObject({ status: 503, body: unavailable });
  expect((await federation.graphql('{ colours }', { token })).body.errors).toMatchObject([
    { message: 'Cannot query field "colours" on type "Query".' },
  ]);
  await products.start();
  await until('the graph is whole', async () => (await federation.health()) === 'OK');
  expect((await federation.graphql('{ reviews { text } }', { token })).body).toEqual({
    data: { reviews: [{ text: 'holds' }, { text: 'rusts' }] },
  });
});
