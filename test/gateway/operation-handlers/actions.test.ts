import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import { GraphQLError } from 'graphql';
import { endpoint, keeper, openGateway, openIssuer, until } from '../harness/index.ts';
import { action, CHECKOUT, openShop, run, shopMetadata, step } from './shop.ts';

const SDL = /* GraphQL */ `
  type Query {
    found(id: String!): FoundItem
    both(id: ID!): Both
    who: FoundCaller
    clerk: FoundCaller
    secretLength: Length
    transformed(id: ID!): FoundItem
    misfit(id: ID!): Required
    unfit(count: String!): [FoundItem]
    big(count: Int!): Length
    nested(id: String!): FoundItem
  }
  type Mutation {
    checkout(item: ID!, pickup: Boolean! = false): Order
    partial(item: ID!): Order
    late(item: ID!): Order
    badResponse(item: ID!): Order
    badCompensation(item: ID!): Order
    one(item: ID!): Order
  }
  type FoundItem {
    id: ID!
    name: String
  }
  type Required {
    missing: String!
  }
  type Both {
    item: FoundItem
    caller: FoundCaller
  }
  type FoundCaller {
    role: String
    user: String
    tenant: String
  }
  type Length {
    text: String
    count: Int
  }
  type Order {
    id: ID
    paid: Int
    shipped: Boolean
    user: String
  }
`;

const ID = '{ "id": {{$body.input.id}} }';
const reserve = (more: object = {}) =>
  step('reserved', 'Reserve', {
    variables: '{ "item": {{$body.input.item}} }',
    compensate: run('Release', { variables: '{ "id": {{$steps.reserved.id}} }' }),
    ...more,
  });
const charge = (operation: string, more: object = {}) =>
  step('charged', operation, {
    variables: '{ "amount": 12 }',
    compensate: run('Refund', { variables: '{ "id": {{$steps.charged.id}} }' }),
    ...more,
  });
const chain = (...steps: readonly object[]) => ({ role: 'clerk', steps, response: '{ "id": {{$steps.reserved.id}} }' });

const ACTIONS = [
  action('found', run('Item', { variables: ID })),
  action('both', run('Both', { variables: ID })),
  action('who', run('Caller')),
  action('clerk', run('Caller', { role: 'clerk' })),
  action('secretLength', {
    role: 'clerk',
    steps: [step('secret', 'Secret')],
    response: '{ "count": {{size($steps.secret)}} }',
  }),
  action('transformed', run('Item', { variables: ID }), {
    response_transform: {
      version: 2,
      body: { action: 'transform', template: '{ "id": {{$body.id}}, "name": {{toUpper($body.name)}} }' },
    },
  }),
  action('misfit', run('Item', { variables: ID })),
  action('unfit', run('Items', { variables: '{ "count": {{$body.input.count}} }', role: 'clerk' })),
  action('big', {
    role: 'clerk',
    steps: [step('items', 'Items', { variables: '{ "count": {{$body.input.count}} }' })],
    response: '{ "count": {{size($steps.items)}} }',
  }),
  action('nested', run('CallItem', { variables: ID })),
  action('checkout', CHECKOUT),
  action('partial', chain(reserve(), charge('ChargeBroken'), step('shipped', 'Ship', { variables: '{ "id": "1" }' }))),
  action('late', chain(reserve(), charge('Charge')), { timeout: 2 }),
  action('badResponse', { ...chain(reserve()), response: '{ "id": {{$steps.reserved.nothing}} }' }),
  action(
    'badCompensation',
    chain(
      reserve({ compensate: run('Release', { variables: '{ "id": {{$steps.reserved.nothing}} }' }) }),
      charge('Charge'),
    ),
  ),
  action('one', run('Reserve', { variables: '{ "item": {{$body.input.item}} }', role: 'clerk' }), {
    resilience: { concurrency: { max_in_flight: 1, max_queue: 0 } },
  }),
];

const { keep, close } = keeper();
afterAll(close);
const issuer = await keep(openIssuer());
const shop = await keep(openShop());
const metadata = shopMetadata(SDL, ACTIONS);
const [saved] = metadata['query_collections.yaml'];
const CALL_ITEM = { name: 'CallItem', query: 'query ($id: String!) { found(id: $id) { id } }' };
const gateway = await keep(
  openGateway({
    issuer,
    environment: { SHOP_URL: shop.graphqlUrl },
    metadata: {
      ...metadata,
      'query_collections.yaml': [
        { ...saved, definition: { queries: [...(saved?.definition.queries ?? []), CALL_ITEM] } },
        {
          name: 'saved',
          definition: {
            queries: [{ name: 'checkout', query: 'mutation ($item: ID!) { checkout(item: $item) { id } }' }],
          },
        },
      ],
      'rest_endpoints.yaml': [endpoint('checkout', 'checkout', ['POST'])],
    },
  }),
);
const token = issuer.token();
const call = (query: string, options = {}) => gateway.graphql(query, { token, ...options });
beforeEach(() => {
  shop.done.length = 0;
  shop.before = undefined;
  shop.forget();
});

const COMPENSATED = { compensation: 'done' };

describe('an action whose handler is a saved operation', () => {
  test('returns the value of its single root field, or all of its data', async () => {
    const { body } = await call('{ found(id: "7") { id name } both(id: "8") { item { id } caller { user } } }');
    expect(body).toEqual({
      data: { found: { id: '7', name: 'item 7' }, both: { item: { id: '8' }, caller: { user: '7' } } },
    });
    expect((await call('{ found(id: "none") { id } }')).body).toEqual({ data: { found: null } });
  });

  test('runs as the caller, or as the role of the metadata with the claims of the caller', async () => {
    const { body } = await call('{ who { role user tenant } clerk { role user tenant } }');
    expect(body.data).toEqual({
      who: { role: 'user', user: '7', tenant: '1' },
      clerk: { role: 'clerk', user: '7', tenant: '1' },
    });
    // The caller itself may do nothing that only the role of the handler may.
    expect((await call('{ secret }')).body.errors).toMatchObject([{ extensions: { code: 'validation-failed' } }]);
    expect((await call('{ secretLength { count } }')).body.data).toEqual({ secretLength: { count: 9 } });
  });

  test('may convert the result', async () => {
    expect((await call('{ transformed(id: "7") { id name } }')).body.data).toEqual({
      transformed: { id: '7', name: 'ITEM 7' },
    });
  });

  test('returns an error for a result that does not fit', async () => {
    const { body } = await call('{ misfit(id: "7") { missing } }');
    expect(body).toMatchObject({
      data: { misfit: null },
      errors: [
        { message: 'field "missing" expected in webhook response, but not found', extensions: { code: 'unexpected' } },
      ],
    });
  });

  test('relays the message and the code of an error, and nothing else', async () => {
    shop.before = () => {
      throw new GraphQLError('out of stock', { extensions: { code: 'STOCK', shelf: 12 } });
    };
    const { body } = await call('{ found(id: "7") { id } }');
    const extensions = { path: '$', code: 'STOCK' };
    expect(body.errors).toEqual([{ message: 'out of stock', path: ['found'], extensions }]);
  });

  test('reveals nothing of an operation that is rejected', async () => {
    const { body } = await call('{ unfit(count: "many") { id } }');
    expect(body.errors).toMatchObject([{ message: 'an operation of the handler was rejected' }]);
    expect(body.errors?.[0]?.extensions).toEqual({ path: '$', code: 'validation-failed' });
    expect(gateway.logs()).toMatch(
      /"event":"handler\.failed".*"handler":"unfit".*Variable \\"\$count\\" got an invalid value/,
    );
    expect(gateway.logs()).not.toContain('many"');
  });

  test('can call another action, and a REST endpoint can call it', async () => {
    expect((await call('{ nested(id: "7") { id } }')).body).toEqual({ data: { nested: { id: '7' } } });
    const headers = { authorization: `Bearer ${token}` };
    expect(await gateway.post('/api/rest/checkout', { item: '7' }, headers)).toMatchObject({
      status: 200,
      body: { checkout: { id: 'r-7' } },
    });
    expect(await gateway.post('/api/rest/checkout', { item: 'none' }, headers)).toMatchObject({
      status: 400,
      body: { error: 'there is no such item', code: 'no-item' },
    });
  });
});

describe('a chain', () => {
  const CALL =
    'mutation ($item: ID!, $pickup: Boolean) { checkout(item: $item, pickup: $pickup) { id paid shipped user } }';

  test('runs its steps in order, and makes its output of their results', async () => {
    const { body } = await call(CALL, { variables: { item: '7', pickup: false } });
    expect(body).toEqual({ data: { checkout: { id: 'r-7', paid: 12, shipped: true, user: '7' } } });
    expect(shop.done).toEqual(['reserve 7 of tenant 1', 'charge 12 of tenant 1', 'ship r-7 of tenant 1']);
    // The preset of the role that runs the step applies.
    expect(shop.operations().find(({ body: { query } }) => query.includes('reserve'))?.body.query).toContain('note');
    const charged = shop.operations().find(({ body: { query } }) => query.includes('charge'));
    expect(charged?.body.variables).toMatchObject({ key: expect.stringMatching(/^[\da-f-]{36}$/) });
  });

  test('skips a step whose condition is false', async () => {
    const { body } = await call(CALL, { variables: { item: '7', pickup: true } });
    expect(body.data?.checkout).toMatchObject({ shipped: false });
    expect(shop.done).toHaveLength(2);
  });

  test('ends at a fail step', async () => {
    const { body } = await call(CALL, { variables: { item: 'none' } });
    expect(body.errors).toMatchObject([{ message: 'there is no such item', path: ['checkout'] }]);
    expect(body.errors?.[0]?.extensions).toEqual({ path: '$', code: 'no-item' });
    expect(shop.done).toEqual([]);
  });

  test('undoes its mutations in reverse order if a later step fails', async () => {
    shop.before = (field) => {
      if (field === 'ship') throw new GraphQLError('no truck', { extensions: { code: 'TRUCK' } });
    };
    const { body } = await call(CALL, { variables: { item: '7', pickup: false } });
    expect(body).toMatchObject({ data: { checkout: null }, errors: [{ message: 'no truck' }] });
    expect(body.errors?.[0]?.extensions).toEqual({ path: '$', code: 'TRUCK', ...COMPENSATED });
    expect(shop.done.slice(2)).toEqual(['refund c-12 of tenant 1', 'release r-7 of tenant 1']);
    expect(gateway.logs()).toMatch(
      /"event":"handler\.compensated".*"handler":"checkout","step":"shipped","steps":\["charged","reserved"\]/,
    );
  });

  test('undoes a mutation that took effect although a field of its result has an error', async () => {
    const { body } = await call('mutation { partial(item: "7") { id } }');
    expect(body.errors?.[0]).toMatchObject({ message: 'the receipt is broken' });
    expect(body.errors?.[0]?.extensions).toEqual({ path: '$', code: 'RECEIPT', ...COMPENSATED });
    expect(shop.done).toEqual([
      'reserve 7 of tenant 1',
      'charge 12 of tenant 1',
      'refund c-12 of tenant 1',
      'release r-7 of tenant 1',
    ]);
  });

  test('says that a compensation failed, and runs the others', async () => {
    shop.before = (field) => {
      if (field === 'ship' || field === 'refund') throw new GraphQLError('no', { extensions: { code: 'NO' } });
    };
    const { body } = await call(CALL, { variables: { item: '7', pickup: false } });
    expect(body.errors?.[0]?.extensions).toEqual({ path: '$', code: 'NO', compensation: 'failed' });
    expect(shop.done.at(-1)).toBe('release r-7 of tenant 1');
    expect(gateway.logs()).toMatch(
      /"level":"error".*"event":"handler\.compensation_failed".*"step":"charged","code":"NO"/,
    );
    shop.before = (field) => {
      if (field === 'charge') throw new GraphQLError('no', { extensions: { code: 'NO' } });
    };
    const failing = await call('mutation { badCompensation(item: "7") { id } }');
    expect(failing.body.errors?.[0]?.extensions).toEqual({ path: '$', code: 'NO', compensation: 'failed' });
  });

  test('undoes its last mutation if its output cannot be made', async () => {
    const { body } = await call('mutation { badResponse(item: "7") { id } }');
    expect(body.errors?.[0]).toMatchObject({ message: 'a template of the handler does not fit the values' });
    expect(shop.done).toEqual(['reserve 7 of tenant 1', 'release r-7 of tenant 1']);
  });

  test('ends in time, and undoes what it did', async () => {
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    shop.before = (field) => (field === 'charge' ? held : undefined);
    const { body } = await call('mutation { late(item: "7") { id } }');
    release();
    expect(body.errors?.[0]?.extensions).toEqual({ path: '$', code: 'handler-time-limit-exceeded', ...COMPENSATED });
    expect(shop.done).toContain('release r-7 of tenant 1');
  });

  test('is undone if its caller disconnects, and a mutation in progress is completed first', async () => {
    const controller = new AbortController();
    const completed = () => gateway.logs().split('"event":"request.completed"').length;
    shop.before = async (field) => {
      if (field !== 'charge') return;
      const before = completed();
      controller.abort();
      await until('the gateway has noticed', () => completed() > before);
    };
    const aborted = fetch(`${gateway.url}/v1/graphql`, {
      method: 'POST',
      signal: controller.signal,
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
      body: JSON.stringify({ query: CALL, variables: { item: '7', pickup: false } }),
    });
    await expect(aborted).rejects.toThrow();
    await until('the chain is undone', () => shop.done.length === 4);
    expect(shop.done.slice(1)).toEqual(['charge 12 of tenant 1', 'refund c-12 of tenant 1', 'release r-7 of tenant 1']);
  });
});
