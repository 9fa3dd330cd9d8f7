import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { federate, type World } from './world.ts';

let shop: World;

const PRODUCTS = [
  { id: '1', name: 'Chair', sku: 's1', grams: 7000 },
  { id: '2', name: 'Table', sku: 's2', grams: 30000 },
  { id: '3', name: 'Lamp', sku: null, grams: null },
];

beforeAll(async () => {
  shop = await federate({
    catalogue: {
      sdl: `type Query { products: [Product!]! product(id: ID!): Product me: User }
        type Product @key(fields: "id") @key(fields: "sku vendor { id }") {
          id: ID! name: String! sku: String vendor: Vendor weight(unit: String!): Int }
        type Vendor { id: ID! @shareable }
        type User @key(fields: "id") { id: ID! favourite: Product last: Product basket: [Line!]! }
        type Line { product: Product! amount: Int! }`,
      resolvers: {
        Query: {
          products: () => PRODUCTS,
          product: (_: unknown, { id }: { id: string }) => PRODUCTS.find((one) => one.id === id),
          me: () => ({ id: 'u1' }),
        },
        Product: {
          __resolveReference: ({ id, sku }: { id?: string; sku?: string }) =>
            PRODUCTS.find((one) => one.id === id || one.sku === sku),
          vendor: ({ id }: { id: string }) => ({ id: `v${id}` }),
          weight: ({ grams }: { grams: number | null }, { unit }: { unit: string }) =>
            grams === null ? null : unit === 'kg' ? grams / 1000 : grams,
        },
        User: {
          favourite: () => PRODUCTS[0],
          last: () => PRODUCTS[1],
          basket: () => [
            { product: PRODUCTS[0], amount: 2 },
            { product: PRODUCTS[0], amount: 1 },
            { product: PRODUCTS[1], amount: 1 },
          ],
        },
      },
    },
    stock: {
      sdl: `type Query { cheapest: Product }
        type Product @key(fields: "id") { id: ID! price(currency: String): Int! stock: Int
          weight(unit: String!): Int @external
          shipping(express: Boolean): Int @requires(fields: "weight(unit: \\"kg\\")") }
        type User @key(fields: "id") { id: ID! age: Int }`,
      resolvers: {
        Query: { cheapest: () => ({ id: '3' }) },
        Product: {
          __resolveReference: (reference: object) => reference,
          price: ({ id }: { id: string }, { currency }: { currency?: string }) =>
            Number(id) * 100 + (currency === 'EUR' ? 1 : 0),
          stock: ({ id }: { id: string }) => Number(id),
          shipping: ({ weight }: { weight: number | null }, { express }: { express?: boolean }) =>
            weight === null ? null : weight * (express ? 20 : 10),
        },
        User: { age: () => 42 },
      },
    },
    ratings: {
      sdl: `type Product @key(fields: "sku vendor { id }") { sku: String vendor: Vendor rating: Float reviews: [Review!]! }
        type Vendor { id: ID! @shareable }
        type Review { author: User! text: String! }
        type User @key(fields: "id", resolvable: false) { id: ID! }`,
      resolvers: {
        Product: {
          __resolveReference: (reference: object) => reference,
          rating: ({ sku, vendor }: { sku: string; vendor: { id: string } }) => (sku && vendor.id === 'v1' ? 4.5 : 3),
          reviews: () => [
            { author: { id: 'u1' }, text: 'good' },
            { author: { id: 'u2' }, text: 'so\n"so"' },
          ],
        },
      },
    },
  });
});
afterAll(() => shop.close());

test('fields of one type come from every service that has some', async () => {
  const document = '{ products { name price stock rating } }';
  expect(await shop.ask(document)).toEqual({
    data: {
      products: [
        { name: 'Chair', price: 100, stock: 1, rating: 4.5 },
        { name: 'Table', price: 200, stock: 2, rating: 3 },
        { name: 'Lamp', price: 300, stock: 3, rating: 3 },
      ],
    },
  });
});

test('an alias that is the name of a key does not take its place', async () => {
  const document = '{ products { id: name weight: sku price shipping rating: price(currency: "EUR") } }';
  const { data } = await shop.ask(document);
  expect(data).toEqual({
    products: [
      { id: 'Chair', weight: 's1', price: 100, shipping: 70, rating: 101 },
      { id: 'Table', weight: 's2', price: 200, shipping: 300, rating: 201 },
      { id: 'Lamp', weight: null, price: 300, shipping: null, rating: 301 },
    ],
  });
});

test('the same entity is asked for once, and places that need it share one call', async () => {
  shop.forget();
  const document = '{ me { age favourite { price } last { stock } basket { amount product { price name } } } }';
  expect(await shop.ask(document)).toEqual({
    data: {
      me: {
        age: 42,
        favourite: { price: 100 },
        last: { stock: 2 },
        basket: [
          { amount: 2, product: { price: 100, name: 'Chair' } },
          { amount: 1, product: { price: 100, name: 'Chair' } },
          { amount: 1, product: { price: 200, name: 'Table' } },
        ],
      },
    },
  });
  expect(shop.counts()).toEqual({ catalogue: 1, stock: 1 });
});
