import { afterEach, describe, expect, test } from '@jest/globals';
import { keeper } from '../harness/index.ts';
import { type CallBody, ESTIMATE, estimate, openFieldWorld } from './world.ts';

const { keep, close } = keeper();
afterEach(close);

describe('a field with a session condition', () => {
  const IS_PRO = { 'x-hasura-plan': { _eq: 'pro' } };
  const conditional = { ...estimate(), permissions: [{ role: 'user', session_condition: IS_PRO }] };
  const query = '{ orders { id estimate { price } } }';

  test('is refused before anything is fetched, also below fragments and aliases', async () => {
    const { ask, calls, orders, forget } = await keep(openFieldWorld({ actions: [conditional] }));
    forget();
    for (const text of [query, '{ orders { ...Priced } } fragment Priced on Order { other: estimate { days } }']) {
      const { data, errors } = await ask(text);
      expect(data ?? null).toBeNull();
      expect(errors).toMatchObject([{ extensions: { code: 'session-condition-failed' } }]);
    }
    expect(calls()).toEqual([]);
    expect(orders.requests).toEqual([]);
    expect((await ask('{ orders { id } }')).errors).toBeUndefined();
  });

  test('is refused under the names that a customization gives to types', async () => {
    const { ask, calls } = await keep(
      openFieldWorld({
        actions: [
          {
            ...estimate({ type: 'Shop_Order', batch: true }),
            permissions: [{ role: 'user', session_condition: IS_PRO }],
          },
        ],
        definition: { customization: { type_names: { prefix: 'Shop_' } } },
      }),
    );
    expect((await ask(query)).errors).toMatchObject([{ extensions: { code: 'session-condition-failed' } }]);
    expect(calls()).toEqual([]);
  });
});

describe('a field of richer types', () => {
  const TYPES = /* GraphQL */ `
    type Query {
      estimate(id: Sku!, weight: Int!): Offer
    }
    scalar Sku @check(pattern: "^[12]$")
    scalar Price @check(minimum: 0)
    union Offer = Quote | Refusal
    type Quote {
      price: Price
    }
    type Refusal {
      reason: String!
    }
  `;
  const offered = '{ orders(first: 3) { estimate { __typename ... on Quote { price } ... on Refusal { reason } } } }';

  test('has values of unions and checked scalars, and keys that the check rejects are errors of their objects', async () => {
    const { ask, answerBy, calls } = await keep(openFieldWorld({ types: TYPES }));
    answerBy(({ body }) =>
      (body as CallBody).inputs?.map(({ id }) => ({
        data: id === '1' ? { __typename: 'Quote', price: 5 } : { __typename: 'Refusal', reason: 'too far' },
      })),
    );
    const { data, errors } = await ask(offered);
    expect(data).toEqual({
      orders: [
        { estimate: { __typename: 'Quote', price: 5 } },
        { estimate: { __typename: 'Refusal', reason: 'too far' } },
        { estimate: null },
      ],
    });
    expect(errors).toMatchObject([{ path: ['orders', 2, 'estimate'], extensions: { service: 'estimate' } }]);
    expect(calls()[0]?.inputs?.map(({ id }) => id)).toEqual(['1', '2']);
  });

  test.each([
    ['a type of another name', { __typename: 'Order', price: 1 }],
    ['no type', { price: 1 }],
  ])('is an error of its object for %s', async (_, value) => {
    const { ask, answerBy } = await keep(openFieldWorld({ types: TYPES }));
    answerBy(({ body }) => (body as CallBody).inputs?.map(() => ({ data: value })));
    const { data, errors } = await ask('{ order(id: 1) { estimate { __typename } } }');
    expect(data).toEqual({ order: { estimate: null } });
    expect(errors).toMatchObject([{ path: ['order', 'estimate'] }]);
  });

  test('rejects a price that the check rejects', async () => {
    const { ask, answerBy } = await keep(openFieldWorld({ types: TYPES }));
    answerBy(({ body }) => (body as CallBody).inputs?.map(() => ({ data: { __typename: 'Quote', price: -1 } })));
    const { data, errors } = await ask('{ order(id: 1) { estimate { ... on Quote { price } } } }');
    expect(data).toEqual({ order: { estimate: { price: null } } });
    expect(errors).toMatchObject([{ path: ['order', 'estimate', 'price'] }]);
  });
});

test('a field with arguments below an action that is a field is a problem of the metadata', async () => {
  const types = ESTIMATE.replace('price: Int!', 'price(currency: String): Int!');
  await expect(openFieldWorld({ types })).rejects.toThrow(
    /the field "Estimate.price" has arguments, but the action "estimate" is a field of a type/,
  );
});
