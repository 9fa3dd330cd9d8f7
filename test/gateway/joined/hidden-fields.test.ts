import { afterAll, expect, test } from '@jest/globals';
import { GraphQLError } from 'graphql';
import { keeper, openGateway, openIssuer } from '../harness/index.ts';
import { type Remote, type Resolvers, stitched } from './services.ts';

const { keep, close } = keeper();
afterAll(close);
const issuer = await keep(openIssuer());
const asClerk = issuer.token({ role: 'clerk', roles: ['clerk'] });

/** What the role `clerk` sees of a service. */
const forClerks = (schema: string) => ({ permissions: [{ role: 'clerk', definition: { schema } }] });
const byIds = (_: unknown, { ids }: { readonly ids: readonly string[] }) => ids.map((id) => ({ id }));

/** Items whose price two services know: clerks see it in `shop`, which fails to return it, and not in `purchasing`. */
async function openPrices() {
  const taxed = (_: unknown, { prices }: { readonly prices: readonly number[] }) =>
    prices.map((price) => ({ price, tax: price * 2 }));
  const remotes: readonly Remote[] = [
    await stitched(
      'purchasing',
      `type Query { suppliers: Int _bought(ids: [ID!]!): [Item] @merge(keyField: "id") }
       type Item { id: ID! price: Int supplier: String }`,
      { Query: { _bought: byIds }, Item: { price: () => 99, supplier: () => 'acme' } } as Resolvers,
      forClerks('type Query { suppliers: Int } type Item { id: ID! supplier: String }'),
    ),
    await stitched(
      'taxes',
      'type Query { rates: Int _taxed(prices: [Int!]!): [Item] @merge(keyField: "price") } type Item { price: Int tax: Int }',
      { Query: { _taxed: taxed } } as Resolvers,
      forClerks('type Query { rates: Int } type Item { tax: Int }'),
    ),
    await stitched(
      'shop',
      'type Query { offers: Int _sold(ids: [ID!]!): [Item] @merge(keyField: "id") } type Item { id: ID! price: Int }',
      {
        Query: { _sold: byIds },
        Item: {
          price: () => {
            throw new GraphQLError('no price');
          },
        },
      } as Resolvers,
      forClerks('type Query { offers: Int } type Item { id: ID! price: Int }'),
    ),
    await stitched(
      'cart',
      'type Query { item: Item } type Item { id: ID! }',
      { Query: { item: () => ({ id: 'i1' }) } },
      forClerks('type Query { item: Item } type Item { id: ID! }'),
    ),
  ];
  for (const { upstream } of remotes) await keep(upstream);
  const metadata = { 'remote_schemas.yaml': remotes.map(({ entry }) => entry) };
  const gateway = await keep(openGateway({ issuer, metadata }));
  return async (query: string) => (await gateway.graphql(query, { token: asClerk })).body;
}
const ask = await openPrices();

test.each([
  '{ item { price supplier tax } }',
  '{ item { tax supplier price } }',
  '{ item { supplier tax ...P } } fragment P on Item { price }',
])(
  'a key that a role does not see in a service is not the value of the field that it sees in another: %s',
  async (query) => {
    const { data, errors } = await ask(query);
    expect(data).toEqual({ item: { price: null, supplier: 'acme', tax: 198 } });
    expect(errors).toMatchObject([{ message: 'no price', path: ['item', 'price'] }]);
  },
);

test('nor is it under an alias, or where two selections of an object are merged', async () => {
  const { data } = await ask('{ item { supplier p: price tax } item { price } }');
  expect(data).toEqual({ item: { supplier: 'acme', p: null, tax: 198, price: null } });
});
