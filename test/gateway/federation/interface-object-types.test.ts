import { afterAll, expect, test } from '@jest/globals';
import { keeper } from '../harness/index.ts';
import { federate } from './world.ts';

const { keep, close } = keeper();
afterAll(close);

const WORKS = [
  { __typename: 'Film', id: '1', title: 'Rain', minutes: 90 },
  { __typename: 'Song', id: '2', title: 'Sun', seconds: 200 },
];
const workOf = ({ id }: { id: string }) => WORKS.find((one) => one.id === id);

const works = {
  sdl: `type Query { works: [Work] }
    interface Work @key(fields: "id") { id: ID! title: String }
    type Film implements Work @key(fields: "id") { id: ID! title: String minutes: Int }
    type Song implements Work @key(fields: "id") { id: ID! title: String seconds: Int }`,
  resolvers: {
    Query: { works: () => WORKS },
    Work: { __resolveReference: workOf, __resolveType: ({ __typename }: { __typename: string }) => __typename },
    Film: { __resolveReference: workOf },
    Song: { __resolveReference: workOf },
  },
};

const reviews = {
  sdl: `type Query { best: Work rated: [Work] }
    type Work @key(fields: "id") @interfaceObject { id: ID! title: String @external stars: Int code: String
      scaled(by: Int!): Int rare: Int! headline: String @requires(fields: "title") review: Review }
    type Review @key(fields: "id") { id: ID! text: String }`,
  resolvers: {
    Query: { best: () => ({ id: '1' }), rated: () => [{ id: '1' }, null, { id: '2' }] },
    Work: {
      __resolveReference: (reference: object) => reference,
      stars: ({ id }: { id: string }) => Number(id),
      scaled: ({ id }: { id: string }, { by }: { by: number }) => Number(id) * by,
      rare: ({ id }: { id: string }) => {
        if (id === '1') return 7;
        throw new Error('only films have it');
      },
      code: ({ id }: { id: string }) => `w${id}`,
      headline: ({ title = '?' }: { title?: string }) => title.toUpperCase(),
      review: ({ id }: { id: string }) => ({ id, text: `of ${id}` }),
    },
    Review: { __resolveReference: ({ id }: { id: string }) => ({ id, text: `of ${id}` }) },
  },
};

/** It has the interface of an interface object of its own. */
const awards = {
  sdl: `type Query { award: Award }
    interface Review @key(fields: "id") { id: ID! }
    type Short implements Review @key(fields: "id") { id: ID! words: Int }
    type Award { for: Work } type Work @key(fields: "id", resolvable: false) @interfaceObject { id: ID! }`,
  resolvers: {
    Query: { award: () => ({ for: { id: '2' } }) },
    Review: {
      __resolveReference: ({ id }: { id: string }) => ({ __typename: 'Short', id, words: Number(id) * 10 }),
      __resolveType: () => 'Short',
    },
  },
};

test.each(['a', 'z'])('the types of an interface object are reached from a subgraph called %s', async (name) => {
  const world = await keep(federate({ [name]: reviews, works }));
  expect(await world.ask('{ best { ... on Film { minutes } ... on Song { seconds } } }')).toEqual({
    data: { best: { minutes: 90 } },
  });
  expect(await world.ask('{ rated { __typename stars headline ... on Song { seconds title } } }')).toEqual({
    data: {
      rated: [
        { __typename: 'Film', stars: 1, headline: 'RAIN' },
        null,
        { __typename: 'Song', stars: 2, headline: 'SUN', seconds: 200, title: 'Sun' },
      ],
    },
  });
});

test.each<[string, object[]]>([
  ['... on Film { stars } ... on Song { code }', [{ stars: 1 }, { code: 'w2' }]],
  ['... on Film { id } ... on Song { headline }', [{ id: '1' }, { headline: 'SUN' }]],
  ['... on Film { stars } ... on Song { headline }', [{ stars: 1 }, { headline: 'SUN' }]],
  [
    '... on Film { headline } ... on Song { id stars headline }',
    [{ headline: 'RAIN' }, { id: '2', stars: 2, headline: 'SUN' }],
  ],
  ['... on Film { own: stars } ... on Song { own: code }', [{ own: 1 }, { own: 'w2' }]],
  ['... on Film { own: id } ... on Song { own: headline }', [{ own: '1' }, { own: 'SUN' }]],
  ['... on Film { stars } ... on Song { stars: code }', [{ stars: 1 }, { stars: 'w2' }]],
  ['... on Film { scaled(by: 3) } ... on Song { scaled(by: 5) }', [{ scaled: 3 }, { scaled: 10 }]],
  [
    '... on Film { review { own: text } } ... on Song { review { own: id } }',
    [{ review: { own: 'of 1' } }, { review: { own: '2' } }],
  ],
  ['... on Film { rare } ... on Song { code }', [{ rare: 7 }, { code: 'w2' }]],
  ['stars ... on Film { rare }', [{ stars: 1, rare: 7 }, { stars: 2 }]],
])('types of an interface object have different fields of it selected: %s', async (selections, [film, song]) => {
  const world = await keep(federate({ reviews, works }));
  expect(await world.ask(`{ rated { ${selections} } }`)).toEqual({ data: { rated: [film, null, song] } });
});

/** A subgraph with an interface object, whose label requires the code of another subgraph. */
const labels = {
  sdl: `type Work @key(fields: "id") @interfaceObject { id: ID! code: String @external
    tag: String label: String @requires(fields: "code") }`,
  resolvers: {
    Work: {
      __resolveReference: (reference: object) => reference,
      tag: ({ id }: { id: string }) => `tag of ${id}`,
      label: ({ code }: { code?: string }) => `label of ${code}`,
    },
  },
};

test('a field that is selected for one type and required for another is fetched for both', async () => {
  const world = await keep(federate({ labels, reviews, works }));
  expect(await world.ask('{ rated { ... on Film { code } ... on Song { label } } }')).toEqual({
    data: { rated: [{ code: 'w1' }, null, { label: 'label of w2' }] },
  });
  expect(await world.ask('{ rated { ... on Film { code tag } ... on Song { label } } }')).toEqual({
    data: { rated: [{ code: 'w1', tag: 'tag of 1' }, null, { label: 'label of w2' }] },
  });
  expect(await world.ask('{ rated { ... on Film { code label } ... on Song { tag } } }')).toEqual({
    data: { rated: [{ code: 'w1', label: 'label of w1' }, null, { tag: 'tag of 2' }] },
  });
});

test('what fields of one type require is not required for those of another', async () => {
  const world = await keep(federate({ labels, reviews, works }));
  // The title, which the headline needs, is fetched of songs only, and the code, which the label needs, of films.
  expect(await world.ask('{ works { ... on Film { label } ... on Song { headline } } }')).toEqual({
    data: { works: [{ label: 'label of w1' }, { headline: 'SUN' }] },
  });
  const poems = {
    sdl: works.sdl.concat(' type Poem implements Work @key(fields: "id") { id: ID! title: String }'),
    resolvers: { ...works.resolvers, Query: { works: () => [...WORKS, { __typename: 'Poem', id: '3' }] } },
  };
  const wider = await keep(federate({ labels, reviews, works: poems }));
  expect(await wider.ask('{ works { tag ... on Film { tag } ... on Song { tag } } }')).toEqual({
    data: { works: [{ tag: 'tag of 1' }, { tag: 'tag of 2' }, { tag: 'tag of 3' }] },
  });
});

test('interface objects may form a chain', async () => {
  const linking = {
    ...reviews,
    sdl: reviews.sdl.replace('type Review @key(fields: "id")', 'type Review @interfaceObject @key(fields: "id")'),
  };
  const world = await keep(federate({ a: linking, b: awards, c: works }));
  expect(await world.ask('{ award { for { ... on Song { seconds } } } }')).toEqual({
    data: { award: { for: { seconds: 200 } } },
  });
  const query = '{ best { ... on Film { minutes review { text ... on Short { words } } } } }';
  expect(await world.ask(query)).toEqual({ data: { best: { minutes: 90, review: { text: 'of 1', words: 10 } } } });
});

test('a mutation that is selected twice under a key that another field has, too', async () => {
  const rating = {
    sdl: `${reviews.sdl} type Mutation { rate(id: ID!): Work }`,
    resolvers: { ...reviews.resolvers, Mutation: { rate: (_: unknown, { id }: { id: string }) => ({ id }) } },
  };
  const world = await keep(federate({ reviews: rating, works }));
  const mutation =
    'mutation { first: rate(id: "1") { a: stars } a: rate(id: "2") { stars } a: rate(id: "2") { code } }';
  expect(await world.ask(mutation)).toEqual({ data: { first: { a: 1 }, a: { stars: 2, code: 'w2' } } });
});
