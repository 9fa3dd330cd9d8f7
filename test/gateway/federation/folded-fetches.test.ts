import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { federate, type World } from './world.ts';

let kitchen: World;

const own = <T>(reference: T) => reference;

beforeAll(async () => {
  kitchen = await federate({
    store: {
      sdl: `type Query { things: [Thing] }
        interface Thing { id: ID! }
        type Pot implements Thing @key(fields: "id") { id: ID! lid: Lid }
        type Pan implements Thing @key(fields: "id") { id: ID! }
        type Lid @key(fields: "id") { id: ID! size: Int }`,
      resolvers: {
        Query: {
          things: () => [
            { __typename: 'Pot', id: '1' },
            { __typename: 'Pan', id: '2' },
          ],
        },
        Pot: { __resolveReference: own, lid: () => ({ id: 'l1' }) },
        Lid: { __resolveReference: own, size: ({ id }: { id: string }) => (id === 'l1' ? 20 : 30) },
      },
    },
    labels: {
      sdl: `interface Thing { id: ID! lid: Lid }
        type Pan implements Thing @key(fields: "id") { id: ID! lid: Lid }
        type Lid @key(fields: "id") { id: ID! size: Int @external label: String @requires(fields: "size") }`,
      resolvers: {
        Pan: { __resolveReference: own, lid: () => ({ id: 'l2' }) },
        Lid: { __resolveReference: own, label: ({ size }: { size: number }) => `${size} cm` },
      },
    },
  });
});
afterAll(() => kitchen.close());

test('objects of each type of an interface get their fields where these come from different services', async () => {
  expect(await kitchen.ask('{ things { lid { id label } } }')).toEqual({
    data: { things: [{ lid: { id: 'l1', label: '20 cm' } }, { lid: { id: 'l2', label: '30 cm' } }] },
  });
});
