import { afterEach, expect, test } from '@jest/globals';
import { federate, type World } from './world.ts';

let world: World | undefined;
afterEach(async () => {
  await world?.close();
  world = undefined;
});

type Reference = Record<string, unknown>;
const BOX = {
  place: { row: 7, shelf: 8 },
  dims: { w: 3, h: 4, d: 5 },
  parts: [{ n: 1, m: 2, o: 3 }],
  tag: 'red',
  note: 'fragile',
};

const open = async (subgraphs: Parameters<typeof federate>[0]) => {
  const opened = await federate(subgraphs);
  world = opened;
  /** The representations that subgraphs were sent. */
  const sent = () => opened.calls.flatMap(({ variables }) => Object.values(variables).flat());
  return { ask: opened.ask, forget: opened.forget, sent };
};

const openBoxes = () =>
  open({
    boxes: {
      sdl: `type Query { box: Box }
        type Box @key(fields: "place { row }") { place: Place!
          dims: Dims parts: [Part!] tag: String note: String }
        type Place @shareable { row: Int! shelf: Int }
        type Dims { w: Int h: Int d: Int } type Part { n: Int m: Int o: Int }`,
      resolvers: { Query: { box: () => BOX } },
    },
    sizes: {
      sdl: `type Box @key(fields: "place { row }") { place: Place! tag: String @external
          dims: Dims @external parts: [Part!] @external
          wide: Int @requires(fields: "dims { w }") high: Int @requires(fields: "dims { h }")
          spot: Int @requires(fields: "place { shelf }")
          sum: Int @requires(fields: "parts { n }") product: Int @requires(fields: "parts { m } tag") }
        type Place { row: Int! @shareable shelf: Int @external }
        type Dims { w: Int @external h: Int @external } type Part { n: Int @external m: Int @external }`,
      resolvers: {
        Box: {
          __resolveReference: (box: Reference) => box,
          spot: ({ place }: typeof BOX) => place.row * 10 + place.shelf,
          wide: ({ dims }: typeof BOX) => dims.w,
          high: ({ dims }: typeof BOX) => dims.h,
          sum: ({ parts }: typeof BOX) => parts[0]?.n,
          product: ({ parts, tag }: typeof BOX) => (tag === 'red' ? parts[0]?.m : null),
        },
      },
    },
  });

test('two fields may require different parts of one object', async () => {
  const { ask } = await openBoxes();
  expect(await ask('{ box { wide high } }')).toEqual({ data: { box: { wide: 3, high: 4 } } });
});

test('two fields may require different parts of the objects of one list', async () => {
  const { ask } = await openBoxes();
  expect(await ask('{ box { sum product } }')).toEqual({ data: { box: { sum: 1, product: 2 } } });
});

test('a field may require another part of an object that a key is in', async () => {
  const { ask } = await openBoxes();
  expect(await ask('{ box { spot } }')).toEqual({ data: { box: { spot: 78 } } });
});

test('when a representation has the type, the key and the required fields, and nothing else', async () => {
  const { ask, sent } = await openBoxes();
  await ask('{ box { note dims { d } parts { o } wide high sum product } }');
  expect(sent()).toEqual([
    { __typename: 'Box', place: { row: 7 }, dims: { w: 3, h: 4 }, parts: [{ n: 1, m: 2 }], tag: 'red' },
  ]);
});

test('a required field is fetched by a key that another service has', async () => {
  const crate = { id: '1', sku: 's1' };
  const { ask } = await open({
    crates: {
      sdl: `type Query { crate: Crate }
        type Crate @key(fields: "id") { id: ID! weight: Int @external postage: String @requires(fields: "weight") }`,
      resolvers: {
        Query: { crate: () => ({ id: crate.id }) },
        Crate: {
          __resolveReference: (reference: Reference) => reference,
          postage: ({ weight }: Reference) => `for ${weight}`,
        },
      },
    },
    numbers: {
      sdl: 'type Crate @key(fields: "id") @key(fields: "sku") { id: ID! sku: ID! }',
      resolvers: { Crate: { __resolveReference: () => crate } },
    },
    scales: {
      sdl: 'type Crate @key(fields: "sku") { sku: ID! weight: Int }',
      resolvers: { Crate: { __resolveReference: ({ sku }: Reference) => ({ sku, weight: 5 }) } },
    },
  });
  expect(await ask('{ crate { postage } }')).toEqual({ data: { crate: { postage: 'for 5' } } });
});

const openScales = () =>
  open({
    boxes: {
      sdl: `type Query { box: Box } type Box @key(fields: "id") { id: ID! }`,
      resolvers: { Query: { box: () => ({ id: 'b' }) } },
    },
    scales: {
      sdl: 'type Box @key(fields: "id") { id: ID! weight(unit: String): Int @shareable }',
      resolvers: { Box: { weight: (_: unknown, { unit }: { unit?: string }) => (unit === 'g' ? 2000 : 2) } },
    },
    post: {
      sdl: `type Box @key(fields: "id") { id: ID! weight(unit: String): Int @external
        fee: Int @requires(fields: "weight(unit: \\"g\\")") stamps: Int @requires(fields: "weight(unit: \\"kg\\")") }`,
      resolvers: {
        Box: {
          fee: ({ weight }: { weight: number }) => weight / 10,
          stamps: ({ weight }: { weight: number }) => weight * 3,
        },
      },
    },
    bills: {
      sdl: `type Box @key(fields: "id") { id: ID! fee: Int @external total: Int @requires(fields: "fee") }`,
      resolvers: { Box: { total: ({ fee }: { fee: number }) => fee + 1 } },
    },
  });

test('a field may require one that requires another itself', async () => {
  const { ask } = await openScales();
  expect(await ask('{ box { total } }')).toEqual({ data: { box: { total: 201 } } });
});

test('two fields may require the same field with other arguments', async () => {
  const { ask } = await openScales();
  expect(await ask('{ box { fee stamps total weight(unit: "g") } }')).toEqual({
    data: { box: { fee: 200, stamps: 6, total: 201, weight: 2000 } },
  });
});

test('a field may require something with arguments of an object that a key is in', async () => {
  const parcel = { label: { number: 4 }, slots: [{ n: 1 }, { n: 2 }] };
  const weigh = ({ unit }: { unit: string }) => (unit === 'g' ? 2000 : 2);
  const { ask, sent } = await open({
    parcels: {
      sdl: `type Query { parcel: Parcel } type Parcel @key(fields: "label { number } slots { n }") { label: Label! slots: [Slot!]! }
        type Label @shareable { number: Int! weight(unit: String): Int }
        type Slot @shareable { n: Int! weight(unit: String): Int }`,
      resolvers: {
        Query: { parcel: () => parcel },
        Label: { weight: (_: unknown, given: { unit: string }) => weigh(given) },
        Slot: { weight: ({ n }: { n: number }, given: { unit: string }) => n * weigh(given) },
      },
    },
    post: {
      sdl: `type Parcel @key(fields: "label { number } slots { n }") { label: Label! slots: [Slot!]!
          fee: Int @requires(fields: "label { weight(unit: \\"g\\") } slots { weight(unit: \\"kg\\") }") }
        type Label { number: Int! @shareable weight(unit: String): Int @external }
        type Slot { n: Int! @shareable weight(unit: String): Int @external }`,
      resolvers: { Parcel: { __resolveReference: (given: Reference) => given, fee: () => 7 } },
    },
  });
  expect(await ask('{ parcel { fee } }')).toEqual({ data: { parcel: { fee: 7 } } });
  const slots = [
    { n: 1, weight: 2 },
    { n: 2, weight: 4 },
  ];
  expect(sent()).toEqual([{ __typename: 'Parcel', label: { number: 4, weight: 2000 }, slots }]);
});

test('a required field that is null with its arguments has no value of one without them', async () => {
  const weigh = (_: unknown, { unit }: { unit?: string }) => (unit === 'g' ? null : 2);
  const { ask } = await open({
    boxes: {
      sdl: `type Query { box: Box } type Box @key(fields: "id") { id: ID! weight(unit: String): Int lid: Lid }
        type Lid { weight(unit: String): Int }`,
      resolvers: { Query: { box: () => ({ id: 'b', lid: {} }) }, Box: { weight: weigh }, Lid: { weight: weigh } },
    },
    post: {
      sdl: `type Box @key(fields: "id") { id: ID! weight(unit: String): Int @external lid: Lid @external
          rough: String @requires(fields: "weight lid { weight }")
          fine: String @requires(fields: "weight(unit: \\"g\\") lid { weight(unit: \\"g\\") }") }
        type Lid { weight(unit: String): Int @external }`,
      resolvers: {
        Box: {
          rough: ({ weight, lid }: { weight: number; lid: Reference }) => `${weight} ${lid.weight}`,
          fine: ({ weight, lid }: { weight: number; lid: Reference }) => `${weight} ${lid.weight}`,
        },
      },
    },
  });
  expect(await ask('{ box { rough fine } }')).toEqual({ data: { box: { rough: '2 2', fine: 'null null' } } });
});
