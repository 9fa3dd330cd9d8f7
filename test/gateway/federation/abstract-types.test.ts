import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { printSchema } from 'graphql';
import { federate, type World } from './world.ts';

let shelf: World;

const THINGS = [
  { __typename: 'Book', id: 'b1', title: 'Lamb', grade: 'GOOD' },
  { __typename: 'Song', id: 's1', title: 'Tide', grade: 'SECRET' },
  { __typename: 'Film', id: 'f1', title: 'Fog', grade: 'OLD' },
];
const thing = ({ id }: { id: string }) => THINGS.find((one) => one.id === id);

beforeAll(async () => {
  shelf = await federate({
    a: {
      sdl: `type Query { things: [Thing]! named: [Named!]! shared: Box @shareable
          strict: Strict always: Thing! }
        type Strict { grade: Grade! }
        union Thing = Book | Song | Film
        interface Named { title: String }
        type Book implements Named @key(fields: "id") { id: ID! title: String grade: Grade }
        type Song implements Named @key(fields: "id") { id: ID! title: String grade: Grade }
        type Film implements Named @key(fields: "id") @inaccessible { id: ID! title: String grade: Grade }
        enum Grade { GOOD OLD SECRET @inaccessible }
        type Box @key(fields: "id") { id: ID! first: Content @shareable labels: [String] @shareable }
        union Content = Common | OnlyA
        type Common @shareable { label: String }
        type OnlyA { a: String }`,
      resolvers: {
        Query: {
          things: () => [...THINGS, null],
          named: () => THINGS.slice(0, 2),
          shared: () => ({ id: 'x' }),
          strict: () => THINGS[1],
          always: () => THINGS[2],
        },
        Thing: { __resolveType: ({ __typename }: { __typename: string }) => __typename },
        Named: { __resolveType: ({ __typename }: { __typename: string }) => __typename },
        Book: { __resolveReference: thing },
        Song: { __resolveReference: thing },
        Box: {
          __resolveReference: (key: object) => key,
          first: () => ({ __typename: 'OnlyA', a: 'a' }),
          labels: () => ['one', 'two'],
        },
      },
    },
    b: {
      sdl: `type Query { shared: Box @shareable odd: Strange }
        type Book @key(fields: "id") { id: ID! pages: Int length: Int! tags: [String!]! }
        type Song @key(fields: "id") { id: ID! beats: Int length: Int tags: [String] }
        type Box @key(fields: "id") { id: ID! second: Content size: Int labels: [String] @shareable }
        union Content = Common | OnlyB
        type Common @shareable { label: String }
        type OnlyB { b: String }
        scalar Strange`,
      resolvers: {
        Query: { shared: () => ({ id: 'x' }), odd: () => ({ any: ['thing', { __typename: 1 }] }) },
        Book: { __resolveReference: (key: object) => key, pages: () => 7, length: () => 70, tags: () => ['b'] },
        Song: { __resolveReference: (key: object) => key, beats: () => 120, length: () => null, tags: () => [null] },
        Box: {
          __resolveReference: (key: object) => key,
          second: () => ({ __typename: 'OnlyB', b: 'b' }),
          size: () => 3,
          labels: () => ['one', 'two'],
        },
      },
    },
  });
});
afterAll(() => shelf.close());

test('each type of a union gets its own fields, wherever they come from', async () => {
  const document = `{ things { __typename ...B ... on Song { beats title } ... on Named { named: title } } }
    fragment B on Book { pages kind: __typename }`;
  const { data } = await shelf.ask(document);
  expect(data).toEqual({
    things: [
      { __typename: 'Book', pages: 7, kind: 'Book', named: 'Lamb' },
      { __typename: 'Song', beats: 120, title: 'Tide', named: 'Tide' },
      null,
      null,
    ],
  });
});

test('fields that differ in nullability from type to type can stand under one name', async () => {
  expect(await shelf.ask('{ named { ... on Book { length tags } ... on Song { long: length beats } title } }')).toEqual(
    {
      data: {
        named: [
          { length: 70, tags: ['b'], title: 'Lamb' },
          { long: null, beats: 120, title: 'Tide' },
        ],
      },
    },
  );
});

test('values and types that are kept from clients are null for them', async () => {
  const answer = await shelf.ask('{ named { ... on Book { grade } ... on Song { grade } } things { __typename } }');
  expect(answer).toEqual({
    data: {
      named: [{ grade: 'GOOD' }, { grade: null }],
      things: [{ __typename: 'Book' }, { __typename: 'Song' }, null, null],
    },
  });
  expect(printSchema(shelf.graph.publicSchema)).not.toMatch(/SECRET|Film|join__|@key/);
});

test('a null in a non-null position is reported', async () => {
  const { data, errors } = await shelf.ask('{ strict { grade } always { __typename } }');
  expect(data).toBeNull();
  expect(errors).toMatchObject([{ path: ['strict', 'grade'] }, { path: ['always'] }]);
  expect(JSON.stringify(errors)).not.toContain('SECRET');
});

test('a union whose members differ between subgraphs returns the members that exist', async () => {
  const contents = '{ __typename ... on OnlyA { a } ... on OnlyB { b } ... on Common { label } }';
  expect(await shelf.ask(`{ shared { first ${contents} second ${contents} size labels } }`)).toEqual({
    data: {
      shared: {
        first: { __typename: 'OnlyA', a: 'a' },
        second: { __typename: 'OnlyB', b: 'b' },
        size: 3,
        labels: ['one', 'two'],
      },
    },
  });
});

test('__typename can stand anywhere, and costs nothing at the root', async () => {
  shelf.forget();
  const document = '{ __typename ...R } fragment R on Query { again: __typename }';
  expect(await shelf.ask(document)).toEqual({ data: { __typename: 'Query', again: 'Query' } });
  expect(shelf.calls).toEqual([]);
  expect(await shelf.ask('{ t: __typename shared { __typename u: __typename size } odd }')).toEqual({
    data: { t: 'Query', shared: { __typename: 'Box', u: 'Box', size: 3 }, odd: { any: ['thing', { __typename: 1 }] } },
  });
});

test('of an object of an unknown type its name alone can be asked for, under another key', async () => {
  expect(await shelf.ask('{ things { kind: __typename } named { id: __typename title: __typename } }')).toEqual({
    data: {
      things: [{ kind: 'Book' }, { kind: 'Song' }, null, null],
      named: [
        { id: 'Book', title: 'Book' },
        { id: 'Song', title: 'Song' },
      ],
    },
  });
});

test('an object of which nothing is selected is empty', async () => {
  const document = 'query ($no: Boolean!) { shared { size @include(if: false) __typename @include(if: $no) } }';
  expect(await shelf.ask(document, { no: false })).toEqual({ data: { shared: {} } });
});

test('members come in the order of the document', async () => {
  const { data } = await shelf.run('{ shared { size ...F id } } fragment F on Box { labels size }');
  expect(data).toEqual(['{"shared":{"size":3,"labels":["one","two"],"id":"x"}}']);
});

test('questions about the schema are left to the caller, and put into their place', async () => {
  const prepared = shelf.graph.prepare('{ a: shared { size } s: __schema { queryType { name } } b: shared { id } }');
  expect(prepared.introspection).toContain('s: __schema');
  const { data } = await prepared.run({}, undefined, { s: { queryType: { name: 'Query' } } });
  expect(data).toEqual(['{"a":{"size":3},"s":{"queryType":{"name":"Query"}},"b":{"id":"x"}}']);
  expect(shelf.graph.prepare('{ shared { id } }').introspection).toBeUndefined();
});

test.each(['__proto__', 'constructor', 'toString', '_entities', '__typename2'])(
  'the alias %s is an alias as any other',
  async (alias) => {
    const { data } = await shelf.run(`{ shared { ${alias}: size id } }`);
    expect(data).toEqual([`{"shared":{"${alias}":3,"id":"x"}}`]);
  },
);
