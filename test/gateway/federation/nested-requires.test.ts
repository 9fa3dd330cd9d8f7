import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { federate, type World } from './world.ts';

let post: World;

const own = (reference: object) => reference;
const METRES: Record<string, number> = { p1: 1, p2: 2, p3: 3 };
const parcel = (id: string) => ({ __typename: 'Parcel', id });

/** What parcels cost depends on their sizes, which another service knows. The way to them is through the first one. */
beforeAll(async () => {
  post = await federate({
    offices: {
      sdl: `type Query { offices: [Office!]! office: Office } type Mutation { open: Office close: Office }
        type Office @key(fields: "id") { id: ID! name: String }`,
      resolvers: {
        Query: { offices: () => [{ id: 'o1' }, { id: 'o2' }], office: () => ({ id: 'o1' }) },
        Mutation: { open: () => ({ id: 'o1' }), close: () => ({ id: 'o2' }) },
        Office: { name: ({ id }: { id: string }) => `Office ${id}` },
      },
    },
    mail: {
      sdl: `type Office @key(fields: "id") { id: ID! sent: [Mail] rooms: [[Room!]] first: Mail parcel: Parcel }
        type Room { parcel: Parcel }
        interface Mail { id: ID! cost: Int }
        type Letter implements Mail @key(fields: "id") { id: ID! cost: Int }
        type Parcel implements Mail @key(fields: "id") { id: ID! size(unit: String): Int @external
          cost: Int @requires(fields: "size(unit: \\"mm\\")") fee(times: Int): Int! @requires(fields: "size(unit: \\"cm\\")")
          plain: Int @requires(fields: "size")
          label: Label @requires(fields: "size") returned: Parcel }
        type Label { text: String of: Parcel }`,
      resolvers: {
        Mail: { __resolveType: ({ __typename }: { __typename: string }) => __typename },
        Office: {
          __resolveReference: own,
          sent: ({ id }: { id: string }) =>
            id === 'o1' ? [parcel('p1'), { __typename: 'Letter', id: 'l1' }, null, parcel('p2')] : [parcel('p2')],
          rooms: () => [[{ parcel: parcel('p1') }, { parcel: null }], null, []],
          first: () => parcel('p3'),
          parcel: () => parcel('p2'),
        },
        Letter: { __resolveReference: own, cost: () => 1 },
        Parcel: {
          __resolveReference: own,
          cost: ({ size }: { size: number }) => size * 2,
          fee: ({ size }: { size: number }, { times = 1 }: { times?: number }) => size * 3 * times,
          plain: ({ size }: { size: number }) => size,
          label: ({ id, size }: { id: string; size: number }) => ({
            text: `${id} of ${size} m`,
            of: parcel(id === 'p1' ? 'p2' : 'p1'),
          }),
          returned: ({ id }: { id: string }) => (id === 'p1' ? parcel('p3') : null),
        },
      },
    },
    scales: {
      sdl: 'type Parcel @key(fields: "id") { id: ID! size(unit: String): Int }',
      resolvers: {
        Parcel: {
          __resolveReference: own,
          size: ({ id }: { id: string }, { unit }: { unit?: string }) =>
            (METRES[id] ?? 0) * ({ mm: 1000, cm: 100 }[unit ?? ''] ?? 1),
        },
      },
    },
  });
});
afterAll(() => post.close());
beforeEach(() => {
  post.forget();
  post.down.clear();
});

test('a field that requires something is found below an entity that was fetched', async () => {
  expect(await post.ask('{ offices { name parcel { cost } } }')).toEqual({
    data: {
      offices: [
        { name: 'Office o1', parcel: { cost: 4000 } },
        { name: 'Office o2', parcel: { cost: 4000 } },
      ],
    },
  });
  expect(post.counts()).toEqual({ offices: 1, mail: 2, scales: 1 });
});

test('it is behind type conditions too, and below lists', async () => {
  const document = `query ($n: Int) { office {
    sent { __typename id ... on Parcel { fee(times: $n) } ... on Letter { cost } }
    rooms { parcel { fee } } first { ...P } } } fragment P on Parcel { fee ... on Mail { id cost } }`;
  expect(await post.ask(document, { n: 2 })).toEqual({
    data: {
      office: {
        sent: [
          { __typename: 'Parcel', id: 'p1', fee: 600 },
          { __typename: 'Letter', id: 'l1', cost: 1 },
          null,
          { __typename: 'Parcel', id: 'p2', fee: 1200 },
        ],
        rooms: [[{ parcel: { fee: 300 } }, { parcel: null }], null, []],
        first: { fee: 900, id: 'p3', cost: 6000 },
      },
    },
  });
});

test('it is a field of an interface that only some of its types require something for', async () => {
  expect(await post.ask('{ office { sent { cost } first { price: cost } } }')).toEqual({
    data: { office: { sent: [{ cost: 2000 }, { cost: 1 }, null, { cost: 4000 }], first: { price: 6000 } } },
  });
});

test('what is required with other arguments than the client’s is told from what the client asks for', async () => {
  const document = `{ office { first { ... on Parcel { size(unit: "cm") cost fee } ... on Mail { ... on Parcel { plain } } }
    parcel { cost: size size: cost fee plain } } }`;
  expect(await post.ask(document)).toEqual({
    data: {
      office: {
        first: { size: 300, cost: 6000, fee: 900, plain: 3 },
        parcel: { cost: 2, size: 4000, fee: 600, plain: 2 },
      },
    },
  });
});

test('it stands below another such field', async () => {
  const document = '{ offices { parcel { label { text of { cost label { of { fee returned { plain } } } } } } } }';
  const parcels = { label: { text: 'p2 of 2 m', of: { cost: 2000, label: { of: { fee: 600, returned: null } } } } };
  expect(await post.ask(document)).toEqual({ data: { offices: [{ parcel: parcels }, { parcel: parcels }] } });
});

test('it is part of mutations', async () => {
  expect(await post.ask('mutation { open { parcel { cost } } close { name parcel { fee } } }')).toEqual({
    data: { open: { parcel: { cost: 4000 } }, close: { name: 'Office o2', parcel: { fee: 600 } } },
  });
});

test('where what it requires is missing, the error says so', async () => {
  post.down.add('scales');
  expect(await post.ask('{ office { name sent { ... on Parcel { cost } ... on Letter { id } } } }')).toMatchObject({
    data: { office: { name: 'Office o1', sent: [{ cost: null }, { id: 'l1' }, null, { cost: null }] } },
    errors: [{ message: 'scales is down', path: ['office', 'sent'] }],
  });
});
