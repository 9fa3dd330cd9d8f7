import { makeExecutableSchema } from '@graphql-tools/schema';
import type { GraphQLSchema } from 'graphql';
import { federate, type World } from './world.ts';

const own = (reference: object) => reference;
const METRES: Record<string, number> = { p1: 1, p2: 2, p3: 3 };
const parcel = (id: string) => ({ __typename: 'Parcel', id });
type Key = { readonly id: string };
const typeOf = ({ __typename }: { __typename: string }) => __typename;
const sizeOf = (id: string, unit?: string | null) => (METRES[id] ?? 0) * ({ mm: 1000, cm: 100 }[unit ?? ''] ?? 1);
const labelOf = (id: string, size: number) => ({ text: `${id} of ${size} m`, of: parcel(id === 'p1' ? 'p2' : 'p1') });
const returned = ({ id }: Key) => (id === 'p1' ? parcel('p3') : null);
const officeName = ({ id }: Key) => `Office ${id}`;
const QUERY = { offices: () => [{ id: 'o1' }, { id: 'o2' }], office: () => ({ id: 'o1' }) };
const OFFICE = {
  sent: ({ id }: Key) =>
    id === 'o1' ? [parcel('p1'), { __typename: 'Letter', id: 'l1' }, null, parcel('p2')] : [parcel('p2')],
  rooms: () => [[{ parcel: parcel('p1') }, { parcel: null }], null, []],
  first: () => parcel('p3'),
  parcel: () => parcel('p2'),
};

/** What parcels cost depends on their sizes, which another service knows. The way to them is through the first one. */
export function openPostOffice(): Promise<World> {
  return federate({
    offices: {
      sdl: `type Query { offices: [Office!]! office: Office } type Mutation { open: Office close: Office }
        type Office @key(fields: "id") { id: ID! name: String }`,
      resolvers: {
        Query: QUERY,
        Mutation: { open: () => ({ id: 'o1' }), close: () => ({ id: 'o2' }) },
        Office: { name: officeName },
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
        Mail: { __resolveType: typeOf },
        Office: {
          __resolveReference: own,
          ...OFFICE,
        },
        Letter: { __resolveReference: own, cost: () => 1 },
        Parcel: {
          __resolveReference: own,
          cost: ({ size }: { size: number }) => size * 2,
          fee: ({ size }: { size: number }, { times }: { times?: number | null }) => size * 3 * (times ?? 1),
          plain: ({ size }: { size: number }) => size,
          label: ({ id, size }: Key & { size: number }) => labelOf(id, size),
          returned,
        },
      },
    },
    scales: {
      sdl: 'type Parcel @key(fields: "id") { id: ID! size(unit: String): Int }',
      resolvers: {
        Parcel: {
          __resolveReference: own,
          size: ({ id }: Key, { unit }: { unit?: string | null }) => sizeOf(id, unit),
        },
      },
    },
  });
}

/** The same in one schema, to compare with. */
export function wholePostOffice(): GraphQLSchema {
  return makeExecutableSchema({
    typeDefs: `type Query { offices: [Office!]! office: Office }
      type Office { id: ID! name: String sent: [Mail] rooms: [[Room!]] first: Mail parcel: Parcel }
      type Room { parcel: Parcel }
      interface Mail { id: ID! cost: Int }
      type Letter implements Mail { id: ID! cost: Int }
      type Parcel implements Mail { id: ID! size(unit: String): Int cost: Int fee(times: Int): Int! plain: Int
        label: Label returned: Parcel }
      type Label { text: String of: Parcel }`,
    resolvers: {
      Query: QUERY,
      Office: { name: officeName, ...OFFICE },
      Mail: { __resolveType: typeOf },
      Letter: { cost: () => 1 },
      Parcel: {
        size: ({ id }: Key, { unit }: { unit?: string | null }) => sizeOf(id, unit),
        cost: ({ id }: Key) => sizeOf(id, 'mm') * 2,
        fee: ({ id }: Key, { times }: { times?: number | null }) => sizeOf(id, 'cm') * 3 * (times ?? 1),
        plain: ({ id }: Key) => sizeOf(id),
        label: ({ id }: Key) => labelOf(id, sizeOf(id)),
        returned,
      },
    },
  });
}
