import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { federate, type World } from './world.ts';

let post: World;

type Reference = Record<string, unknown>;
const own = (reference: Reference) => reference;

beforeAll(async () => {
  post = await federate({
    parcels: {
      sdl: `type Query { parcels: [Parcel!]! }
        type Parcel @key(fields: "id") { id: ID! size(unit: String!): Size! sender: Person! grams: Int
          heavy: Boolean @external
          label: String @requires(fields: "heavy")
          contents: [Content!]! }
        type Size @shareable { width: Int height: Int }
        union Content = Book | Toy
        type Book { pages: Int! }
        type Toy { parts: Int! }
        type Person @key(fields: "id") { id: ID! home: Address! }
        interface Address { street: String }
        type Flat implements Address @shareable { street: String floor: Int }
        type House implements Address @shareable { street: String garden: Boolean }`,
      resolvers: {
        Query: {
          parcels: () => [
            { id: '1', grams: 900 },
            { id: '2', grams: 90 },
            { id: '3', grams: null },
          ],
        },
        Parcel: {
          __resolveReference: (reference: Reference) => ({
            grams: { 1: 900, 2: 90 }[String(reference.id)],
            ...reference,
          }),
          size: ({ id }: { id: string }, { unit }: { unit: string }) => ({
            width: Number(id) * (unit === 'mm' ? 10 : 1),
            height: Number(id) * (unit === 'mm' ? 20 : 2),
          }),
          sender: ({ id }: { id: string }) => ({ id: `p${id}` }),
          label: ({ heavy }: { heavy: boolean }) => (heavy ? 'two people' : 'one person'),
          contents: ({ id }: { id: string }) => [
            { __typename: 'Book', pages: Number(id) * 100 },
            { __typename: 'Toy', parts: Number(id) },
          ],
        },
        Person: {
          __resolveReference: own,
          home: ({ id }: { id: string }) =>
            id === 'p1'
              ? { __typename: 'Flat', street: 'Elm', floor: 3 }
              : { __typename: 'House', street: 'Oak', garden: true },
        },
      },
    },
    carrier: {
      sdl: `type Parcel @key(fields: "id") { id: ID! grams: Int @external
          size(unit: String!): Size! @external
          sender: Person! @external
          contents: [Content!]! @external
          heavy: Boolean @requires(fields: "grams")
          price(express: Boolean): Int @requires(fields: "grams size(unit: \\"mm\\") { width height }")
          pickup: String @requires(fields: "sender { home { street ... on Flat { floor } ... on House { garden } } }")
          checks: [String!] @requires(fields: "contents { ... on Book { pages } ... on Toy { parts } }")
          seen: String }
        type Size @shareable { width: Int height: Int }
        type Person @key(fields: "id") { id: ID! home: Address! @external }
        union Content = Book | Toy
        type Book { pages: Int! @external }
        type Toy { parts: Int! @external }
        interface Address { street: String }
        type Flat implements Address @shareable { street: String floor: Int }
        type House implements Address @shareable { street: String garden: Boolean }`,
      resolvers: {
        Parcel: {
          __resolveReference: own,
          heavy: ({ grams }: { grams: number | null }) => (grams === null ? null : grams > 500),
          price: (
            parcel: { grams: number | null; size: { width: number; height: number } },
            args: { express?: boolean },
          ) =>
            parcel.grams === null
              ? null
              : parcel.grams + parcel.size.width * parcel.size.height * (args.express ? 2 : 1),
          pickup: ({ sender }: { sender: { home: Reference } }) => JSON.stringify(sender.home),
          checks: ({ contents }: { contents: Reference[] }) => contents.map((one) => JSON.stringify(one)),
          seen: (parcel: Reference) => Object.keys(parcel).sort().join(),
        },
        Address: { __resolveType: ({ __typename }: { __typename: string }) => __typename },
      },
    },
  });
});
afterAll(() => post.close());

test('a field gets its @requires fields, with the arguments given there', async () => {
  const document = '{ parcels { size(unit: "cm") { width } price fast: price(express: true) grams } }';
  expect(await post.ask(document)).toEqual({
    data: {
      parcels: [
        { size: { width: 1 }, price: 900 + 10 * 20, fast: 900 + 2 * 10 * 20, grams: 900 },
        { size: { width: 2 }, price: 90 + 20 * 40, fast: 90 + 2 * 20 * 40, grams: 90 },
        { size: { width: 3 }, price: null, fast: null, grams: null },
      ],
    },
  });
});

test('a @requires field may itself require a field of another subgraph', async () => {
  expect(await post.ask('{ parcels { label } }')).toEqual({
    data: { parcels: [{ label: 'two people' }, { label: 'one person' }, { label: 'one person' }] },
  });
});

test('requirements reach through objects, interfaces and unions', async () => {
  const { data } = await post.ask('{ parcels { pickup checks } }');
  const parsed = JSON.parse(JSON.stringify(data), (key, value) => (key === 'pickup' ? JSON.parse(value) : value));
  expect(parsed.parcels[0]).toMatchObject({ pickup: { street: 'Elm', floor: 3 } });
  expect(parsed.parcels[1]).toMatchObject({ pickup: { street: 'Oak', garden: true } });
  expect(parsed.parcels[0].checks.map((one: string) => JSON.parse(one))).toMatchObject([{ pages: 100 }, { parts: 1 }]);
});

test('a service is sent no more than a field of it requires', async () => {
  expect(await post.ask('{ parcels { grams seen } }')).toEqual({
    data: { parcels: ['1', '2', '3'].map((id) => ({ grams: { 1: 900, 2: 90 }[id] ?? null, seen: '__typename,id' })) },
  });
});

test('an alias like the name of a required field does not stand in for it', async () => {
  const { data } = await post.ask('{ parcels { grams: id size: grams heavy sender { home: id } pickup } }');
  expect(data).toMatchObject({ parcels: [{ grams: '1', size: 900, heavy: true, sender: { home: 'p1' } }, {}, {}] });
  expect(JSON.stringify(data)).toContain('Elm');
});

test('what @requires names without arguments stays null where a client selects it with some', async () => {
  const scales = await federate({
    depot: {
      sdl: `type Query { crate: Crate } type Crate @key(fields: "id") { id: ID! weight(unit: String): Int }`,
      resolvers: {
        Query: { crate: () => ({ id: 'c1' }) },
        Crate: {
          __resolveReference: own,
          weight: (_: unknown, { unit }: { unit?: string }) => (unit === undefined ? null : 5),
        },
      },
    },
    scales: {
      sdl: `type Crate @key(fields: "id") { id: ID! above: Crate weight(unit: String): Int @external
        load: String @requires(fields: "weight") }`,
      resolvers: {
        Crate: {
          __resolveReference: own,
          above: () => ({ id: 'c3' }),
          load: ({ weight }: { weight: unknown }) => `load ${weight}`,
        },
      },
    },
  });
  try {
    expect(await scales.ask('{ crate { weight(unit: "kg") load above { weight(unit: "kg") load } } }')).toEqual({
      data: { crate: { weight: 5, load: 'load null', above: { weight: 5, load: 'load null' } } },
    });
  } finally {
    await scales.close();
  }
});

test('a required field that several services share may be selected with other arguments', async () => {
  const shared = {
    sdl: 'type Parcel @key(fields: "id") { id: ID! size(unit: String): String @shareable }',
    resolvers: { Parcel: { __resolveReference: own, size: (_: unknown, { unit }: { unit: string }) => `in ${unit}` } },
  };
  const world = await federate({
    labels: {
      sdl: `type Query { parcel: Parcel }
        type Parcel @key(fields: "id") { id: ID! size(unit: String): String @external
          label: String @requires(fields: "size(unit: \\"mm\\")") }`,
      resolvers: {
        Query: { parcel: () => ({ id: '1' }) },
        Parcel: { __resolveReference: own, label: ({ size }: Reference) => `label ${size}` },
      },
    },
    scales: shared,
    stock: shared,
  });
  try {
    expect(await world.ask('{ parcel { size(unit: "cm") label } }')).toEqual({
      data: { parcel: { size: 'in cm', label: 'label in mm' } },
    });
    // One of the services that share it is enough.
    const { scales = 0, stock = 0, labels } = world.counts();
    expect({ labels, shared: scales + stock }).toEqual({ labels: 2, shared: 1 });
  } finally {
    await world.close();
  }
});
