import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { federate, type World } from './world.ts';

let shop: World;

const own = <T>(reference: T) => reference;
const product = { id: 'p1', name: 'lamp', price: 30 };

beforeAll(async () => {
  shop = await federate({
    reviews: {
      sdl: `type Query { newest: Product @provides(fields: "price") best: Product @provides(fields: "name price") review: Review }
        type Review { product: Product @provides(fields: "name") text: String }
        type Product @key(fields: "id") { id: ID! name: String @external price: Int @external }`,
      resolvers: {
        Query: {
          newest: () => ({ id: 'p1', price: 30 }),
          best: () => product,
          review: () => ({ product: { id: 'p1', name: 'lamp' } }),
        },
      },
    },
    products: {
      sdl: 'type Product @key(fields: "id") { id: ID! name: String @shareable price: Int @shareable }',
      resolvers: { Product: { __resolveReference: () => product } },
    },
  });
});
beforeEach(() => shop.forget());
afterAll(() => shop.close());

test('fields of several types may provide different fields of one type', async () => {
  expect(await shop.ask('{ newest { name price } best { name price } review { product { name price } } }')).toEqual({
    data: {
      newest: { name: 'lamp', price: 30 },
      best: { name: 'lamp', price: 30 },
      review: { product: { name: 'lamp', price: 30 } },
    },
  });
});

test('fields of one type may provide different fields, and none is fetched again', async () => {
  const world = await federate({
    reviews: {
      sdl: `type Query { newest: Product @provides(fields: "price") best: Product @provides(fields: "name") }
        type Product @key(fields: "id") { id: ID! name: String @external price: Int @external }`,
      resolvers: { Query: { newest: () => ({ id: 'p1', price: 30 }), best: () => ({ id: 'p1', name: 'lamp' }) } },
    },
    products: {
      sdl: 'type Product @key(fields: "id") { id: ID! name: String @shareable price: Int @shareable }',
      resolvers: { Product: { __resolveReference: own } },
    },
  });
  try {
    expect(await world.ask('{ newest { price } best { name } }')).toEqual({
      data: { newest: { price: 30 }, best: { name: 'lamp' } },
    });
    expect(world.counts()).toEqual({ reviews: 1 });
  } finally {
    await world.close();
  }
});
