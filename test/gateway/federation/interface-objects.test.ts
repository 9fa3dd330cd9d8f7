import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { parse, print } from 'graphql';
import { restoreExternal } from '../../../gateway/planning/supergraph/index.ts';
import { federate, type World } from './world.ts';

let media: World;

const ITEMS = [
  { __typename: 'Video', id: '1', title: 'Rain', seconds: 100 },
  { __typename: 'Article', id: '2', title: 'Sun', words: 900 },
];
const itemOf = ({ id }: { id: string }) => ITEMS.find((one) => one.id === id);

beforeAll(async () => {
  media = await federate({
    library: {
      sdl: `type Query { items: [Media!]! }
        interface Media @key(fields: "id") { id: ID! title: String! }
        type Video implements Media @key(fields: "id") { id: ID! title: String! seconds: Int }
        type Article implements Media @key(fields: "id") { id: ID! title: String! words: Int }`,
      resolvers: {
        Query: { items: () => ITEMS },
        Media: { __resolveReference: itemOf, __resolveType: ({ __typename }: { __typename: string }) => __typename },
        Video: { __resolveReference: itemOf },
        Article: { __resolveReference: itemOf },
      },
    },
    lists: {
      sdl: `type Query { latest: Media! playlist: [Media!]! strict: Limited }
        type Media @key(fields: "id") @interfaceObject { id: ID! title: String! @external likes: Int!
          headline: String @requires(fields: "title") }
        type Limited @key(fields: "id", resolvable: false) @interfaceObject { id: ID! }`,
      resolvers: {
        Query: {
          latest: () => ({ id: '2' }),
          playlist: () => [{ id: '1' }, { id: '2' }, { id: '1' }],
          strict: () => ({ id: 'l1' }),
        },
        Media: {
          __resolveReference: (reference: object) => reference,
          likes: ({ id }: { id: string }) => Number(id) * 10,
          headline: ({ title }: { title: string }) => title.toUpperCase(),
        },
      },
    },
    limits: {
      sdl: `interface Limited @key(fields: "id") { id: ID! }
        type Cheap implements Limited @key(fields: "id") { id: ID! price: Int }
        extend type Video @key(fields: "id") { id: ID! author: String }`,
      resolvers: {
        Limited: {
          __resolveReference: (key: object) => ({ __typename: 'Cheap', ...key }),
          __resolveType: () => 'Cheap',
        },
        Cheap: { price: () => 5 },
        Video: { author: () => 'Jo' },
      },
    },
  });
});
afterAll(() => media.close());

test('a field that an interface object adds is there on every type of the interface', async () => {
  const { data } = await media.ask('{ items { id likes headline ... on Video { seconds likes author } } }');
  expect(data).toEqual({
    items: [
      { id: '1', likes: 10, headline: 'RAIN', seconds: 100, author: 'Jo' },
      { id: '2', likes: 20, headline: 'SUN' },
    ],
  });
});

test('the type of an interface object is fetched when __typename is selected', async () => {
  const document = `{ latest { __typename ...Words } playlist { kind: __typename likes title headline ...Words } }
    fragment Words on Media { ... on Article { words } ... on Video { author } }`;
  const article = { kind: 'Article', likes: 20, title: 'Sun', headline: 'SUN', words: 900 };
  const video = { kind: 'Video', likes: 10, title: 'Rain', headline: 'RAIN', author: 'Jo' };
  expect(await media.ask(document)).toEqual({
    data: { latest: { __typename: 'Article', words: 900 }, playlist: [video, article, video] },
  });
});

test.each([
  ['{ latest { id likes } }'],
  ['{ latest { ...Card } } fragment Card on Media { id likes }'],
  ['{ latest { ... @include(if: true) { id } ... on Media { likes ... on Media { id } } } }'],
])('no subgraph is asked for a type that the response of %s does not depend on', async (query) => {
  media.forget();
  expect(await media.ask(query)).toEqual({ data: { latest: { id: '2', likes: 20 } } });
  expect(media.counts()).toEqual({ lists: 1 });
});

test('an interface object without a resolvable key still leads to the types of the interface', async () => {
  expect(await media.ask('{ strict { __typename id ... on Cheap { price } } }')).toEqual({
    data: { strict: { __typename: 'Cheap', id: 'l1', price: 5 } },
  });
});

test('an operation that no service has a way to answer is refused with a reason', async () => {
  const stuck = await federate({
    a: {
      sdl: 'type Query { a: Node } interface Node @key(fields: "id") { id: ID! }',
    },
    b: {
      sdl: 'type Query { b: Node } type Node @key(fields: "id", resolvable: false) @interfaceObject { id: ID! f: Int }',
    },
  });
  try {
    expect(() => stuck.graph.prepare('{ a { f } }')).toThrow('Query.a.f cannot be reached');
  } finally {
    await stuck.close();
  }
});

test('a supergraph that does not say that an interface object requires of others still has them asked', () => {
  const forgotten = media.supergraphSdl.replace(
    /(interface Media [^}]*?title: String!)( @join__field\([^)]*\))+/,
    '$1',
  );
  expect(forgotten).not.toBe(media.supergraphSdl);
  expect(print(restoreExternal(parse(forgotten)))).toMatch(
    /title: String! @join__field\(graph: LIBRARY\) @join__field\(graph: LISTS, external: true\)/,
  );
});

const RELATED: Record<string, readonly string[]> = { 1: ['2', '1'], 2: ['1'] };
const reference = (key: object) => key;
const openRelated = (more: Parameters<typeof federate>[0] = {}) =>
  federate({
    ...more,
    films: {
      sdl: `interface Media @key(fields: "id") { id: ID! title: String! }
        type Video implements Media @key(fields: "id") { id: ID! title: String! @shareable }`,
      resolvers: {
        Media: { __resolveReference: reference, __resolveType: () => 'Video' },
        Video: { __resolveReference: reference, title: ({ id }: { id: string }) => `Title ${id}` },
      },
    },
    lists: {
      sdl: `type Query { latest: Media! }
        type Media @key(fields: "id") @interfaceObject { id: ID! related: [Media!]! }`,
      resolvers: {
        Query: { latest: () => ({ id: '1' }) },
        Media: {
          __resolveReference: reference,
          related: ({ id }: { id: string }) => RELATED[id]?.map((one) => ({ id: one })),
        },
      },
    },
  });

test('a field of the interface is fetched where it is resolved, not where it is external', async () => {
  const related = await openRelated({
    archive: {
      sdl: `interface Media @key(fields: "id") { id: ID! title: String! }
        type Video implements Media @key(fields: "id") { id: ID! title: String! @external
          caption: String @requires(fields: "title") }`,
      resolvers: {
        Media: { __resolveReference: reference, __resolveType: () => 'Video' },
        Video: { __resolveReference: reference },
      },
    },
  });
  try {
    expect(await related.ask('{ latest { title } }')).toEqual({ data: { latest: { title: 'Title 1' } } });
  } finally {
    await related.close();
  }
});

test('a field of the interface is asked of a subgraph in which other types do not implement it', async () => {
  const shelf = { __typename: 'Video', id: '1', title: 'Rain' };
  const related = await openRelated({
    shelves: {
      sdl: `type Query { shelf: Media tape: Tape } interface Media { id: ID! title: String! }
        type Video implements Media @key(fields: "id") { id: ID! title: String! @shareable }
        type Tape @key(fields: "id") { id: ID! sticker: String }`,
      resolvers: { Query: { shelf: () => shelf }, Media: { __resolveType: () => 'Video' } },
    },
    tapes: {
      sdl: `interface Media @key(fields: "id") { id: ID! title: String! }
        type Video implements Media @key(fields: "id") { id: ID! title: String! @shareable }
        type Tape implements Media @key(fields: "id") { id: ID! title: String! }`,
      resolvers: { Media: { __resolveReference: () => shelf, __resolveType: () => 'Video' } },
    },
  });
  try {
    expect(await related.ask('{ shelf { title } }')).toEqual({ data: { shelf: { title: 'Rain' } } });
    expect(related.counts()).toEqual({ shelves: 1 });
  } finally {
    await related.close();
  }
});

test('a field of the interface that is also selected for one of its types is written for it', async () => {
  const related = await openRelated();
  try {
    expect(await related.ask('{ latest { related { same: id ... on Video { id } } } }')).toEqual({
      data: {
        latest: {
          related: [
            { same: '2', id: '2' },
            { same: '1', id: '1' },
          ],
        },
      },
    });
  } finally {
    await related.close();
  }
});

test('fields of an interface object are found below one another for a type of the interface', async () => {
  const related = await openRelated();
  try {
    expect(await related.ask('{ latest { ... on Video { related { ... on Video { related { id } } } } } }')).toEqual({
      data: { latest: { related: [{ related: [{ id: '1' }] }, { related: [{ id: '2' }, { id: '1' }] }] } },
    });
  } finally {
    await related.close();
  }
});
