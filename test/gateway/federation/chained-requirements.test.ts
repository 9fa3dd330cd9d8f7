import { afterAll, describe, expect, test } from '@jest/globals';
import { endlessOperations } from '../../../gateway/federation/plan/reentry/index.ts';
import { keeper } from '../harness/index.ts';
import { openStitched } from './stitched-world.ts';
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

describe('operations at which the planner would not return', () => {
  test.each([
    '{ parcel { total zone } }',
    '{ parcels { zone ...Totals } } fragment Totals on Parcel { a: total }',
    '{ parcel { ... on Parcel { total } fee zone price } }',
    'mutation { send { total zone price } }',
    '{ parcel { total fee } }',
    '{ parcel { total tax } }',
  ])('are kept from it: %s', async (document) => {
    const { graph, supergraphSdl } = await keep(federate({ post, carrier }));
    expect(endlessOperations(supergraphSdl)(document)).toBe(true);
    const fault = { name: 'UnplannableOperation', isPlannersFault: true };
    expect(() => graph.prepare(document)).toThrow(expect.objectContaining(fault));
  });

  test.each([
    ['{ parcel { total } }', { total: 2120 }],
    ['{ parcel { total grams id } }', { total: 2120, grams: 2, id: '1' }],
    ['{ parcel { zone tax price } }', { zone: 21, tax: 4, price: 20 }],
  ])('are not those of one end of a chain, or of its beginning: %s', async (document, expected) => {
    const world = await keep(federate({ post, carrier }));
    expect(await world.ask(document)).toEqual({ data: { parcel: expected } });
  });

  test('are answered by stitching', async () => {
    const { ask } = await keep(openStitched({ post, carrier }));
    expect(await ask('{ parcel { total zone } }')).toEqual({ data: { parcel: { total: 2120, zone: 21 } } });
  });

  test('are refused in a supergraph with interface objects, where a field of an interface is one of each type', async () => {
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
    const refused = { name: 'UnplannableOperation', isPlannersFault: false };
    for (const document of ['{ sent { total zone } }', '{ sent { total ... on Letter { zone } } }'])
      expect(() => world.graph.prepare(document)).toThrow(expect.objectContaining(refused));
  });
});
