import { afterAll, describe, expect, test } from '@jest/globals';
import { keeper } from '../harness/index.ts';
import { federate } from './world.ts';

const { keep, close } = keeper();
afterAll(close);

type Parcel = Readonly<Record<string, number>>;

const post = {
  sdl: `type Query { parcel: Parcel parcels: [Parcel!]! } type Mutation { send: Parcel }
    type Parcel @key(fields: "id") { id: ID! grams: Int price: Int @external fee: Int @external
      zone: Int @requires(fields: "price") tax: Int @requires(fields: "price") total: Int @requires(fields: "price fee") }`,
  resolvers: {
    Query: { parcel: () => ({ id: '1', grams: 2 }), parcels: () => [{ id: '1', grams: 2 }] },
    Mutation: { send: () => ({ id: '1', grams: 2 }) },
    Parcel: {
      __resolveReference: (key: Parcel) => ({ grams: 2, ...key }),
      zone: ({ price = 0 }: Parcel) => price + 1,
      tax: ({ price = 0 }: Parcel) => price / 5,
      total: ({ price = 0, fee = 0 }: Parcel) => price + fee,
    },
  },
};
const carrier = {
  sdl: `type Parcel @key(fields: "id") { id: ID! grams: Int @external zone: Int @external
    price: Int @requires(fields: "grams") fee: Int @requires(fields: "zone") }`,
  resolvers: {
    Parcel: {
      __resolveReference: (key: Parcel) => key,
      price: ({ grams = 0 }: Parcel) => grams * 10,
      fee: ({ zone = 0 }: Parcel) => zone * 100,
    },
  },
};

const ALL = { total: 2120, zone: 21, fee: 2100, price: 20, tax: 4, grams: 2, id: '1' };

describe('requirements of fields that require each other in turn are met', () => {
  test.each<[string, object]>([
    ['{ parcel { total } }', { parcel: { total: 2120 } }],
    ['{ parcel { total zone } }', { parcel: { total: 2120, zone: 21 } }],
    ['{ parcels { zone ...Totals } } fragment Totals on Parcel { a: total }', { parcels: [{ zone: 21, a: 2120 }] }],
    [
      '{ parcel { ... on Parcel { total } fee zone price } }',
      { parcel: { total: 2120, fee: 2100, zone: 21, price: 20 } },
    ],
    ['mutation { send { total zone price } }', { send: { total: 2120, zone: 21, price: 20 } }],
    ['{ parcel { total tax } }', { parcel: { total: 2120, tax: 4 } }],
    ['{ parcel { zone tax price } }', { parcel: { zone: 21, tax: 4, price: 20 } }],
    ['{ parcel { total zone fee price tax grams id } }', { parcel: ALL }],
  ])('as in %s', async (document, data) => {
    const world = await keep(federate({ post, carrier }));
    expect(await world.ask(document)).toEqual({ data });
    // grams, price, zone and tax, fee, total: one after the other
    expect(world.calls.length).toBeLessThanOrEqual(5);
  });

  test('as in a supergraph with interface objects', async () => {
    const sent = {
      sdl: `type Query { sent: Sent } interface Sent @key(fields: "id") { id: ID! grams: Int }
        type Letter implements Sent @key(fields: "id") { id: ID! grams: Int }
        type Parcel implements Sent @key(fields: "id") { id: ID! grams: Int }`,
      resolvers: {
        Query: { sent: () => ({ id: '1', grams: 2 }) },
        Sent: { __resolveType: () => 'Letter', __resolveReference: ({ id }: { id: string }) => ({ id, grams: 2 }) },
      },
    };
    const ofInterface = (sdl: string) =>
      sdl.replaceAll('type Parcel @key(fields: "id")', 'type Sent @key(fields: "id") @interfaceObject');
    const fees = {
      sdl: `type Sent @key(fields: "id") @interfaceObject { id: ID! price: Int @external fee: Int @external
        zone: Int @requires(fields: "price") total: Int @requires(fields: "price fee") }`,
      resolvers: { Sent: post.resolvers.Parcel },
    };
    const carriers = { sdl: ofInterface(carrier.sdl), resolvers: { Sent: carrier.resolvers.Parcel } };
    const world = await keep(federate({ sent, fees, carriers }));
    expect(await world.ask('{ sent { total } }')).toEqual({ data: { sent: { total: 2120 } } });
    expect(await world.ask('{ sent { total zone } }')).toEqual({ data: { sent: { total: 2120, zone: 21 } } });
    expect(await world.ask('{ sent { total ... on Letter { zone } } }')).toEqual({
      data: { sent: { total: 2120, zone: 21 } },
    });
  });
});
