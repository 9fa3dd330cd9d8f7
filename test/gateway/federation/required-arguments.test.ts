import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { federate, type World } from './world.ts';

let post: World;

type Representation = Record<string, unknown>;
const own = (representation: Representation) => representation;
const text =
  (...names: readonly string[]) =>
  (representation: Representation) =>
    names.map((name) => JSON.stringify(representation[name])).join(' ');
const count = (given: { n?: number }) => given.n ?? 0;

beforeAll(async () => {
  post = await federate({
    parcels: {
      sdl: `type Query { parcel: Parcel parcels: [Parcel!]! }
        type Parcel @key(fields: "id") { id: ID! size(n: Int): Size! code(n: Int): String }
        type Size @shareable { width(n: Int): Int }`,
      resolvers: {
        Query: { parcel: () => ({ id: '1' }), parcels: () => [{ id: '1' }, { id: '2' }] },
        Parcel: {
          __resolveReference: own,
          code: ({ id }: { id: string }, given: { n?: number }) => `code ${id} ${count(given)}`,
          size: (_: unknown, given: { n?: number }) => ({ n: count(given) }),
        },
        Size: { width: ({ n }: { n: number }, given: { n?: number }) => n * 10 + count(given) },
      },
    },
    notes: {
      sdl: 'type Parcel @key(fields: "id") { id: ID! note(n: Int): String }',
      resolvers: {
        Parcel: {
          __resolveReference: own,
          note: ({ id }: { id: string }, given: { n?: number }) => `note ${id} ${count(given)}`,
        },
      },
    },
    carrier: {
      sdl: `type Parcel @key(fields: "id") { id: ID!
          code(n: Int): String @external note(n: Int): String @external size(n: Int): Size! @external
          plain: String @requires(fields: "code")
          first: String @requires(fields: "code(n: 1)")
          both: String @requires(fields: "code(n: 1) note(n: 2)")
          other: String @requires(fields: "code(n: 3) note(n: 3)")
          narrow: String @requires(fields: "size { width(n: 1) }")
          wide: String @requires(fields: "size { width(n: 2) }")
          large: String @requires(fields: "size(n: 5) { width(n: 2) }") }
        type Size @shareable { width(n: Int): Int }`,
      resolvers: {
        Parcel: {
          __resolveReference: own,
          plain: text('code'),
          first: text('code'),
          both: text('code', 'note'),
          other: text('code', 'note'),
          narrow: text('size'),
          wide: text('size'),
          large: text('size'),
        },
      },
    },
  });
});
afterAll(() => post.close());

test.each<[string, object]>([
  ['plain first', { plain: '"code 1 0"', first: '"code 1 1"' }],
  ['first plain code(n: 9)', { first: '"code 1 1"', plain: '"code 1 0"', code: 'code 1 9' }],
  ['plain both other', { plain: '"code 1 0"', both: '"code 1 1" "note 1 2"', other: '"code 1 3" "note 1 3"' }],
  ['narrow wide large', { narrow: '{"width":1}', wide: '{"width":2}', large: '{"width":52}' }],
  ['wide size { width } narrow', { wide: '{"width":2}', size: { width: 0 }, narrow: '{"width":1}' }],
])('fields that require the same field with other arguments each receive their own: %s', async (fields, parcel) => {
  expect(await post.ask(`{ parcel { ${fields} } }`)).toEqual({ data: { parcel } });
});

test('such fields are fetched in one request, of several objects', async () => {
  post.forget();
  expect(await post.ask('{ parcels { plain both } }')).toEqual({
    data: {
      parcels: [
        { plain: '"code 1 0"', both: '"code 1 1" "note 1 2"' },
        { plain: '"code 2 0"', both: '"code 2 1" "note 2 2"' },
      ],
    },
  });
  expect(post.counts()).toEqual({ parcels: 1, notes: 1, carrier: 1 });
});

test('such fields of one type receive their own beside those of another type, in the same request', async () => {
  const sent = {
    __resolveReference: own,
    code: ({ id }: { id: string }, given: { n?: number }) => `code ${id} ${count(given)}`,
    size: (_: unknown, given: { n?: number }) => ({ width: count(given), height: 4 }),
  };
  const externals = 'id: ID! code(n: Int): String @external size(n: Int): Size @external';
  const required = {
    __resolveReference: own,
    first: text('code'),
    second: text('code'),
    area: ({ size }: { size: { width: number; height: number } }) => `${size.width} by ${size.height}`,
    tall: text('size'),
  };
  const mixed = await federate({
    parcels: {
      sdl: `type Query { sent: [Sent!]! } interface Sent { id: ID! }
        type Parcel implements Sent @key(fields: "id") { id: ID! code(n: Int): String size(n: Int): Size }
        type Letter implements Sent @key(fields: "id") { id: ID! code(n: Int): String size(n: Int): Size }
        type Size @shareable { width: Int height: Int }`,
      resolvers: {
        Query: {
          sent: () => [
            { __typename: 'Parcel', id: '1' },
            { __typename: 'Letter', id: '2' },
          ],
        },
        Sent: { __resolveType: ({ __typename }: { __typename: string }) => __typename },
        Parcel: sent,
        Letter: sent,
      },
    },
    carrier: {
      sdl: `type Parcel @key(fields: "id") { ${externals}
          first: String @requires(fields: "code(n: 1)") second: String @requires(fields: "code(n: 2)")
          area: String @requires(fields: "size(n: 1) { width height }") tall: String @requires(fields: "size { height }") }
        type Letter @key(fields: "id") { ${externals}
          first: String @requires(fields: "code(n: 3)") area: String @requires(fields: "size(n: 1) { width height }") }
        type Size @shareable { width: Int height: Int }`,
      resolvers: { Parcel: required, Letter: required },
    },
  });
  expect(await mixed.ask('{ sent { ... on Letter { first } ... on Parcel { first second } } }')).toEqual({
    data: { sent: [{ first: '"code 1 1"', second: '"code 1 2"' }, { first: '"code 2 3"' }] },
  });
  expect(await mixed.ask('{ sent { ... on Letter { area } ... on Parcel { area tall } } }')).toEqual({
    data: { sent: [{ area: '1 by 4', tall: '{"height":4}' }, { area: '1 by 4' }] },
  });
  expect(mixed.counts()).toEqual({ parcels: 2, carrier: 2 });
  // The key of the same field on the other type is none of its own.
  expect(await mixed.ask('{ sent { ... on Letter { n2: code(n: 2) } ... on Parcel { first second } } }')).toEqual({
    data: { sent: [{ first: '"code 1 1"', second: '"code 1 2"' }, { n2: 'code 2 2' }] },
  });
  await mixed.close();
});

test('such fields of an interface object receive all that they require, and nothing of what others require', async () => {
  const typenames: Readonly<Record<string, string>> = { 1: 'Parcel', 2: 'Letter' };
  const sentOf = ({ id }: { id: string }) => ({ __typename: typenames[id], id });
  const both = () => [sentOf({ id: '1' }), sentOf({ id: '2' })];
  const sent = {
    code: ({ id }: { id: string }, given: { n?: number }) => `code ${id} ${count(given)}`,
    size: (_: unknown, given: { n?: number }) => ({ width: count(given), height: 4 }),
  };
  const mixed = await federate({
    parcels: {
      sdl: `type Query { sent: [Sent!]! any: [Any!]! } union Any = Parcel | Letter
        interface Sent @key(fields: "id") { id: ID! code(n: Int): String size(n: Int): Size }
        type Parcel implements Sent @key(fields: "id") { id: ID! code(n: Int): String size(n: Int): Size }
        type Letter implements Sent @key(fields: "id") { id: ID! code(n: Int): String size(n: Int): Size }
        type Size @shareable { width: Int height: Int }`,
      resolvers: {
        Query: { sent: both, any: both },
        Any: { __resolveType: ({ __typename }: { __typename: string }) => __typename },
        Sent: { __resolveType: ({ __typename }: { __typename: string }) => __typename, __resolveReference: sentOf },
        Parcel: sent,
        Letter: sent,
      },
    },
    carrier: {
      sdl: `type Sent @key(fields: "id") @interfaceObject {
          id: ID! code(n: Int): String @external size(n: Int): Size @external
          first: String @requires(fields: "code(n: 1)")
          wide: String @requires(fields: "size(n: 1) { width }")
          tall: String @requires(fields: "size { height } code") }
        type Size @shareable { width: Int height: Int }`,
      resolvers: {
        Sent: { __resolveReference: own, first: text('code'), wide: text('size'), tall: text('size', 'code') },
      },
    },
  });
  const [wide, tallOf] = ['{"width":1}', (id: number) => `{"height":4} "code ${id} 0"`];
  expect(await mixed.ask('{ sent { wide tall } }')).toEqual({
    data: {
      sent: [
        { wide, tall: tallOf(1) },
        { wide, tall: tallOf(2) },
      ],
    },
  });
  // What one type of the interface has under a key of the client is not there for all.
  const parcels = [
    { tall: tallOf(1), first: '"code 1 1"' },
    { n1: 'code 2 1', tall: tallOf(2), first: '"code 2 1"' },
  ];
  expect(await mixed.ask('{ sent { ... on Letter { n1: code(n: 1) } tall first } }')).toEqual({
    data: { sent: parcels },
  });
  expect(await mixed.ask('{ any { ... on Letter { n1: code(n: 1) } ... on Sent { tall first } } }')).toEqual({
    data: { any: parcels },
  });
  expect(await mixed.ask('{ sent { ... on Letter { wide } ... on Parcel { tall } } }')).toEqual({
    data: { sent: [{ tall: tallOf(1) }, { wide }] },
  });
  await mixed.close();
});
