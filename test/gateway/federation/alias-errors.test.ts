import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { federate, type World } from './world.ts';

let shelf: World;

const fail = (message: string) => () => {
  throw new Error(message);
};

beforeAll(async () => {
  shelf = await federate({
    catalogue: {
      sdl: `type Query { newest: [Item] }
        interface Item { grade: [String] }
        type Book implements Item { title: String grade: [String]! }
        type Film implements Item { title: String! grade: [String] }
        type Song implements Item @key(fields: "id") { id: ID! grade: [String] }`,
      resolvers: {
        Query: { newest: () => ['Book', 'Film', 'Song'].map((__typename) => ({ __typename, id: '1', title: 'Tide' })) },
        Item: { __resolveType: ({ __typename }: { __typename: string }) => __typename },
        Book: { grade: () => ['A'] },
        Film: { grade: fail('no grade of films') },
        Song: { grade: fail('no grade of songs') },
      },
    },
    records: {
      sdl: 'interface Item { title: String } type Song implements Item @key(fields: "id") { id: ID! title: String! }',
      resolvers: { Song: { title: () => 'Song' } },
    },
  });
});
afterAll(() => shelf.close());

test('an error is at its field where the planner fetches fields of several types under one alias', async () => {
  const extensions = expect.objectContaining({ service: 'catalogue' });
  expect(await shelf.ask('{ newest { title grade } }')).toEqual({
    data: {
      newest: [
        { title: 'Tide', grade: ['A'] },
        { title: 'Tide', grade: null },
        { title: 'Song', grade: null },
      ],
    },
    errors: [
      { message: 'no grade of films', path: ['newest', 1, 'grade'], extensions },
      { message: 'no grade of songs', path: ['newest', 2, 'grade'], extensions },
    ],
  });
});
