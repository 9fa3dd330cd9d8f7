import { afterEach, expect, test } from '@jest/globals';
import { federate, type World } from './world.ts';

let world: World | undefined;
afterEach(async () => {
  await world?.close();
  world = undefined;
});

type Reference = Record<string, unknown>;

const open = async (subgraphs: Parameters<typeof federate>[0]) => {
  const opened = await federate(subgraphs);
  world = opened;
  /** The representations that subgraphs were sent. */
  const sent = () => opened.calls.flatMap(({ variables }) => Object.values(variables).flat());
  return { ask: opened.ask, forget: opened.forget, sent };
};

test('a field is not asked for where fetching what it requires failed', async () => {
  const { ask, sent } = await open({
    parcels: {
      sdl: 'type Query { parcel: Parcel } type Parcel @key(fields: "id") { id: ID! }',
      resolvers: { Query: { parcel: () => ({ id: '1' }) } },
    },
    scales: {
      sdl: 'type Parcel @key(fields: "id") { id: ID! grams: Int }',
      resolvers: {
        Parcel: {
          __resolveReference: () => {
            throw new Error('no scales');
          },
        },
      },
    },
    carrier: {
      sdl: `type Parcel @key(fields: "id") { id: ID! grams: Int @external
        price: Int @requires(fields: "grams") seen: Boolean }`,
      resolvers: { Parcel: { __resolveReference: (key: Reference) => key, price: () => 5, seen: () => true } },
    },
  });
  expect(await ask('{ parcel { price } }')).toMatchObject({
    data: { parcel: { price: null } },
    errors: [{ message: 'no scales', path: ['parcel'] }],
  });
  expect(sent()).toEqual([{ __typename: 'Parcel', id: '1' }]);
});

test('a requirement reaches through objects whose fields are in a third subgraph', async () => {
  const key = (representation: Reference) => representation;
  const { ask, sent, forget } = await open({
    parcels: {
      sdl: `type Query { parcels: [Parcel!]! }
        type Parcel @key(fields: "id") { id: ID! sender: Person stops: [Person]! }
        type Person @key(fields: "id") { id: ID! }`,
      resolvers: {
        Query: {
          parcels: () => [
            { id: '1', sender: { id: 'p1' }, stops: [{ id: 'p2' }, null] },
            { id: '2', sender: null, stops: [{ id: 'p9' }] },
          ],
        },
      },
    },
    people: {
      sdl: `type Person @key(fields: "id") { id: ID! town(short: Boolean): String home: Home }
        type Home @shareable { street: String }`,
      resolvers: {
        Person: {
          __resolveReference: key,
          town: ({ id }: { id: string }, { short }: { short?: boolean }) => {
            if (id === 'p9') throw new Error('no town');
            return short ? id : `Town of ${id}`;
          },
          home: ({ id }: { id: string }) => ({ street: `Street of ${id}` }),
        },
      },
    },
    carrier: {
      sdl: `type Parcel @key(fields: "id") { id: ID! sender: Person @external stops: [Person]! @external
          label: String @requires(fields: "sender { town(short: true) home { street } }")
          way: String @requires(fields: "stops { town }") }
        type Person @key(fields: "id") { id: ID! town(short: Boolean): String @external home: Home @external }
        type Home @shareable { street: String }`,
      resolvers: {
        Parcel: {
          __resolveReference: key,
          label: ({ sender }: { sender: { town: string; home: { street: string } } | null }) =>
            sender && `${sender.home.street}, ${sender.town}`,
          way: ({ stops }: { stops: ({ town: string | null } | null)[] }) =>
            stops.map((one) => one?.town ?? 'unknown').join(' > '),
        },
      },
    },
  });
  expect(await ask('{ parcels { label sender { town } stops { id } } }')).toEqual({
    data: {
      parcels: [
        { label: 'Street of p1, p1', sender: { town: 'Town of p1' }, stops: [{ id: 'p2' }, null] },
        { label: null, sender: null, stops: [{ id: 'p9' }] },
      ],
    },
  });
  forget();
  expect(await ask('{ parcels { way } }')).toMatchObject({
    data: { parcels: [{ way: 'Town of p2 > unknown' }, { way: null }] },
    errors: [{ message: 'no town', path: ['parcels', 1, 'way'] }],
  });
  expect(sent()).toContainEqual(
    expect.objectContaining({ stops: [expect.objectContaining({ town: 'Town of p2' }), null] }),
  );
});
