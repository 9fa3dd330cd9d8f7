import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { federate, type World } from './world.ts';

let shelf: World;

const fail = (message: string) => () => {
  throw new Error(message);
};
const typed = ({ id }: { id: string }) => (id.startsWith('b') ? 'Book' : 'Film');
const own = (key: object) => key;

beforeAll(async () => {
  shelf = await federate({
    catalogue: {
      sdl: `type Query { newest: [Item] best: [Book!] }
        interface Item @key(fields: "id") { id: ID! title: String }
        type Book implements Item @key(fields: "id") { id: ID! title: String pages: Int! next: Item! }
        type Film implements Item @key(fields: "id") { id: ID! title: String minutes: [Int]! }`,
      resolvers: {
        Query: { newest: () => [{ id: 'b1' }, { id: 'f1' }], best: () => [{ id: 'b1' }] },
        Item: { __resolveType: typed, __resolveReference: ({ id }: { id: string }) => (id === 'x9' ? null : { id }) },
        Book: { pages: fail('no pages'), next: () => ({ id: 'f1' }), title: ({ id }: { id: string }) => `Book ${id}` },
        Film: { minutes: () => [90], title: ({ id }: { id: string }) => `Film ${id}` },
      },
    },
    reviews: {
      sdl: `type Query { reviewed: [Item] always: [Item!] gone: [Item] }
        type Item @key(fields: "id") @interfaceObject { id: ID! stars: Int similar: [Item!] }`,
      resolvers: {
        Query: {
          reviewed: () => [{ id: 'b1' }, { id: 'f1' }],
          always: () => [{ id: 'f1' }, { id: 'b1' }],
          gone: () => [{ id: 'x9' }, { id: 'f1' }],
        },
        Item: { __resolveReference: own, stars: () => 5, similar: () => [{ id: 'b2' }, { id: 'f2' }] },
      },
    },
  });
});
afterAll(() => shelf.close());

const NO_PAGES = { message: 'no pages', extensions: expect.objectContaining({ service: 'catalogue' }) };

test('an object of an interface object is null where a non-null field of its type fails', async () => {
  expect(await shelf.ask('{ reviewed { ... on Book { pages } ... on Film { minutes } } }')).toEqual({
    data: { reviewed: [null, { minutes: [90] }] },
    errors: [{ ...NO_PAGES, path: ['reviewed', 0, 'pages'] }],
  });
  expect(await shelf.ask('{ always { stars ... on Book { pages } } }')).toEqual({
    data: { always: null },
    errors: [{ ...NO_PAGES, path: ['always', 1, 'pages'] }],
  });
});

test('an object whose type no subgraph knows is null, with an error', async () => {
  expect(await shelf.ask('{ gone { stars ... on Film { minutes } } }')).toEqual({
    data: { gone: [null, { stars: 5, minutes: [90] }] },
    errors: [{ message: expect.any(String), path: ['gone', 0], extensions: { code: 'remote-schema-error' } }],
  });
  expect(await shelf.ask('{ gone { id stars } }')).toEqual({
    data: {
      gone: [
        { id: 'x9', stars: 5 },
        { id: 'f1', stars: 5 },
      ],
    },
  });
});

test('fields of objects are fetched that an interface object of an interface object returns', async () => {
  expect(await shelf.ask('{ best { next { similar { title } } } }')).toEqual({
    data: { best: [{ next: { similar: [{ title: 'Book b2' }, { title: 'Film f2' }] } }] },
  });
});
