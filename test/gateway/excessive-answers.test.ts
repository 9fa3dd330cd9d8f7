import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import { changingUpstream } from './harness/changing-upstream.ts';
import { bearer, endpoint, keeper, openGateway, openIssuer, reply, webhook } from './harness/index.ts';

const { keep, close } = keeper();
afterAll(close);
const issuer = await keep(openIssuer());
const TYPES = 'scalar JSON type Query { orders: JSON parcels: JSON } type Subscription { placed: JSON }';
const orders = await keep(changingUpstream(TYPES, { Query: { orders: () => 1, parcels: () => 2 } }));
const users = await keep(changingUpstream('type Query { users: Int }', { Query: { users: () => 2 } }));
let hookAnswers: string;
const hook = await keep(
  webhook((_, response) => {
    response.end(hookAnswers);
  }),
);
const queries = [{ name: 'orders', query: 'query { orders }' }];
const gateway = await keep(
  openGateway({
    issuer,
    metadata: {
      'remote_schemas.yaml': [
        { name: 'orders', definition: { url: orders.graphqlUrl, subscriptions: { protocol: 'sse' } } },
        { name: 'users', definition: { url: users.graphqlUrl } },
      ],
      'actions.yaml': {
        actions: [{ name: 'bill', definition: { type: 'query', handler: hook.url }, permissions: [{ role: 'user' }] }],
        custom_types: { objects: [{ name: 'Bill' }] },
      },
      'actions.graphql': 'type Query { bill: Bill } type Bill { total: String }',
      'query_collections.yaml': [{ name: 'saved', definition: { queries } }],
      'rest_endpoints.yaml': queries.map(({ name }) => endpoint(name, name, ['GET'])),
    },
  }),
);
const token = issuer.token();
beforeEach(() => {
  orders.instead = undefined;
  users.instead = undefined;
});

function ordersAnswers(text: string): void {
  orders.instead = (_, response) => response.end(text);
}


describe('more errors than anybody reads', () => {
  const MANY = JSON.stringify({ data: null, errors: Array(50_000).fill({ message: 'closed' }) });

  test('are cut off, and said to be, also where each concerns several fields', async () => {
    ordersAnswers(MANY);
    for (const document of ['{ orders }', '{ orders parcels a: orders b: orders }']) {
      const { body } = await gateway.graphql(document, { token });
      expect(body.errors?.length).toBeLessThan(1_100);
      expect(body.errors?.[999]?.message).toBe('closed');
    }
    const { body } = await gateway.graphql('{ orders }', { token });
    expect(body.errors?.at(-1)?.message).toBe('services reported further errors, which are left out');
  });

  test('say all the same which fields they made null', async () => {
    ordersAnswers(MANY);
    const { body } = await gateway.graphql('{ orders parcels users }', { token });
    expect(body.data).toEqual({ orders: null, parcels: null, users: 2 });
    expect(new Set(body.errors?.map(({ path }) => path?.[0]))).toEqual(new Set(['orders', 'parcels']));
  });
});
