import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { openLibrary } from './library.ts';
import type { World } from './world.ts';

let library: World;

beforeAll(async () => {
  library = await openLibrary();
});
beforeEach(() => library.forget());
afterAll(() => library.close());

/** How many entities the calls asked for, by subgraph. */
function representations(): Record<string, number> {
  const counted: Record<string, number> = {};
  for (const { subgraph, variables } of library.calls) {
    for (const value of Object.values(variables)) {
      if (Array.isArray(value)) counted[subgraph] = (counted[subgraph] ?? 0) + value.length;
    }
  }
  return counted;
}

test.each<[string, string, Record<string, number>]>([
  ['one service', '{ items { id title } search { ... on Film { minutes } } }', { catalogue: 1 }],
  ['one join', '{ items { ... on Film { price } ... on Song { place { id } } } }', { catalogue: 1, stock: 1 }],
  ['two joins at once', '{ items { ... on Film { price rating } } }', { catalogue: 1, stock: 1, readers: 1 }],
  [
    'entities at several places',
    '{ me { wishes { ... on Song { rating } } name friends { name } } items { ... on Film { rating readBy { id } } } }',
    { catalogue: 1, readers: 1 },
  ],
  [
    'a @requires field of a subgraph that is fetched from anyway',
    '{ me { greeting friends { greeting friends { greeting } } } }',
    { catalogue: 2, readers: 1 },
  ],
  [
    'a join that can wait for another one of the same service',
    '{ readers { wishes { ... on Film { price } } } newest { ... on Film { price } } }',
    { readers: 1, catalogue: 1, stock: 1 },
  ],
  ['provided fields', '{ cheapest { title price sku } }', { stock: 1 }],
  ['nothing but the type', '{ __typename }', {}],
])('%s: each service gets the fewest calls', async (_name, document, counts) => {
  const { errors } = await library.ask(document);
  expect(errors).toBeUndefined();
  expect(library.counts()).toEqual(counts);
});

test('conditions do not keep joins apart', async () => {
  const document = `query ($a: Boolean!, $b: Boolean!) { items { ... on Film {
    price @include(if: $a) label @skip(if: $b) place @include(if: $a) @skip(if: $b) { shelf } } } }`;
  await library.ask(document, { a: true, b: false });
  expect(library.counts()).toEqual({ catalogue: 1, stock: 1 });
  library.forget();
  await library.ask(document, { a: false, b: true });
  expect(library.counts()).toEqual({ catalogue: 1 });
});

test('an entity is asked for once, however often it stands', async () => {
  await library.ask('{ readers { friends { friends { borrowed { id } } } wishes { ... on Film { price } } } }');
  // Readers r1 to r5 with what they borrow, films i1 and i4 with their prices.
  expect(representations()).toEqual({ catalogue: 3, stock: 7 });
});

test('nothing is asked for where there is no entity', async () => {
  expect(await library.ask('{ items(first: 0) { ... on Film { price } } }')).toEqual({ data: { items: [] } });
});

test('a fragment that no type satisfies does not take its field away', async () => {
  expect(await library.ask('{ item(id: "i1") { ... on Book { ... on Item { ... on Film { minutes } } } } }')).toEqual({
    data: { item: {} },
  });
});
