import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { federate, type World } from './world.ts';

let shop: World;

type Reference = Record<string, unknown>;

beforeAll(async () => {
  shop = await federate({
    catalogue: {
      sdl: `type Query { carts: [Cart!]! }
        type Cart @key(fields: "id") { id: ID! }
        type Item @key(fields: "id") { id: ID! grams: Int @shareable title: String }`,
      resolvers: {
        Query: { carts: () => [{ id: 'c1' }] },
        Item: {
          __resolveReference: (reference: Reference) => reference,
          grams: () => 700,
          title: () => 'lamp',
        },
      },
    },
    shipping: {
      sdl: `type Cart @key(fields: "id") { id: ID! item: Item @provides(fields: "grams") }
        type Item @key(fields: "id") { id: ID! grams: Int @external
          postage: String @requires(fields: "grams") }`,
      resolvers: {
        Cart: { __resolveReference: (reference: Reference) => reference, item: () => ({ id: 'i1' }) },
        Item: {
          __resolveReference: (reference: Reference) => ({ ...reference, required: reference.grams }),
          // What a field provides may come from anywhere, and need not be a property of the object.
          grams: () => 700,
          postage: ({ required }: Reference) => `for ${required} g`,
        },
      },
    },
  });
});
afterAll(() => shop.close());

test('a field receives what it requires where the client selects the same field as a provided one', async () => {
  expect(await shop.ask('{ carts { item { postage grams title } } }')).toEqual({
    data: { carts: [{ item: { postage: 'for 700 g', grams: 700, title: 'lamp' } }] },
  });
  expect(await shop.ask('{ carts { item { postage } } }')).toEqual({
    data: { carts: [{ item: { postage: 'for 700 g' } }] },
  });
});
