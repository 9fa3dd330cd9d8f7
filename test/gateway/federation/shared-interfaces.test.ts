import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { federate, type World } from './world.ts';

let fleet: World;

type Reference = { readonly id?: string; readonly plate?: string };
const lorry = { __typename: 'Lorry', id: 'l1', plate: 'p1', name: 'big' };
const van = { __typename: 'Van', id: 'v1', name: 'small' };

beforeAll(async () => {
  fleet = await federate({
    depot: {
      sdl: `type Query { newest: [Vehicle] @shareable depot: Depot @shareable }
        type Depot @key(fields: "id") { id: ID! parked: Vehicle @shareable }
        interface Vehicle { name: String }
        type Lorry implements Vehicle @key(fields: "plate") { plate: ID! name: String @shareable axles: Int }
        type Van implements Vehicle @key(fields: "id") { id: ID! name: String @shareable }`,
      resolvers: {
        Query: { newest: () => [lorry, van], depot: () => ({ id: 'd1' }) },
        Depot: { __resolveReference: (reference: Reference) => reference, parked: () => lorry },
        Lorry: { __resolveReference: () => lorry, axles: () => 3 },
        Van: { __resolveReference: () => van },
      },
    },
    registry: {
      sdl: `type Query { newest: [Vehicle] @shareable depot: Depot @shareable }
        type Depot @key(fields: "id") { id: ID! parked: Vehicle @shareable }
        interface Vehicle { id: ID! }
        type Lorry implements Vehicle @key(fields: "plate") @key(fields: "id") { id: ID! plate: ID! }
        type Van implements Vehicle @key(fields: "id") { id: ID! name: String @shareable }`,
      resolvers: {
        Query: { newest: () => [lorry, van], depot: () => ({ id: 'd1' }) },
        Depot: { __resolveReference: (reference: Reference) => reference, parked: () => lorry },
        Lorry: { __resolveReference: () => lorry },
        Van: { __resolveReference: () => van },
      },
    },
  });
});
afterAll(() => fleet.close());

test('fields of an interface may come from several services that share a field of the interface', async () => {
  expect(await fleet.ask('{ newest { id name } }')).toEqual({
    data: {
      newest: [
        { id: 'l1', name: 'big' },
        { id: 'v1', name: 'small' },
      ],
    },
  });
});

test('so may those of an interface below objects that services share', async () => {
  expect(await fleet.ask('{ depot { parked { id name ... on Lorry { axles } } } newest { id name } }')).toEqual({
    data: {
      depot: { parked: { id: 'l1', name: 'big', axles: 3 } },
      newest: [
        { id: 'l1', name: 'big' },
        { id: 'v1', name: 'small' },
      ],
    },
  });
});
