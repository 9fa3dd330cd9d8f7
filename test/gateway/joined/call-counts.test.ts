import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import { Faults } from '../generated/media-data.ts';
import { openMixedServices } from '../generated/mixed-services.ts';
import { keeper, openGateway, openIssuer } from '../harness/index.ts';

const { keep, close } = keeper();
afterAll(close);
const issuer = await keep(openIssuer());
const { metadata, services } = await openMixedServices(new Faults(), keep);
const gateway = await keep(openGateway({ issuer, metadata }));
beforeEach(() => {
  for (const { requests } of services.values()) requests.length = 0;
});

/** How often each service was called for an operation. */
async function callsFor(query: string): Promise<Record<string, number>> {
  const { body } = await gateway.graphql(query, { token: issuer.token() });
  expect(body).toEqual({ data: expect.anything() });
  const counts = [...services].map(([name, { requests }]) => [name, requests.length] as const);
  return Object.fromEntries(counts.filter(([, count]) => count > 0));
}

/** The variables that a service was called with. */
function variablesFor(name: string): readonly unknown[] {
  const requests = services.get(name)?.requests ?? [];
  return requests.flatMap(({ body }) => Object.values((body as { variables?: object }).variables ?? {}));
}

const PRICES = 'fragment P on Media { ... on Book { price } ... on Film { rating } }';

const CASES: readonly (readonly [string, string, Record<string, number>])[] = [
  [
    'lookups of several types in one service',
    '{ items { ... on Book { title price } ... on Film { price rating } ... on Song { rating } } }',
    { catalogue: 1, stock: 1 },
  ],
  [
    'lookups at several paths',
    `{ a: items { ...P } b: items(first: 2) { ...P } book(id: "i0") { sum: price sequel { price } } } ${PRICES}`,
    { catalogue: 1, stock: 1 },
  ],
  [
    'a requirement, and a relationship under two keys',
    '{ items { ... on Book { shipping place { shelf } more: place { id } } } }',
    { catalogue: 1, stock: 1, places: 1 },
  ],
  [
    'relationships of several types to one federation',
    `{ stocked { ... on Book { title author { name } } ... on Film { title director { name email } }
       ... on Song { writer { friends { name } } } } }`,
    { stock: 1, catalogue: 1, people: 1, contacts: 1 },
  ],
  [
    'relationships of one type that are known at different times',
    '{ items { ... on Book { readers { name } author { name } } } }',
    { catalogue: 1, stock: 1, people: 1 },
  ],
  [
    'two relationships of nested objects to a stitched service',
    '{ people { favourite { title } works { title } friends { favourite { code } } } }',
    { people: 1, catalogue: 1 },
  ],
  [
    'relationships to objects that another service has a part of',
    '{ me { favourite { ... on Book { price } ... on Film { price } } works { ... on Book { rating } } } }',
    { people: 1, catalogue: 1, stock: 1 },
  ],
  [
    'relationships of what two actions answer',
    '{ loans { item { title } reader { name } renewals { by { name } } } loan(id: "l1") { reader { name } } }',
    { action: 2, catalogue: 1, people: 1 },
  ],
  [
    'one relationship under two keys',
    '{ places { keeper { name } again: keeper { name email } } }',
    { places: 1, people: 1, contacts: 1 },
  ],
  [
    'a way back to a service in a namespace',
    '{ archive { boxes { holds { title ... on Book { box { label } } } } } }',
    { archive: 2, catalogue: 1 },
  ],
  ['a relationship within one service', '{ films { book { title pages } } }', { catalogue: 2 }],
  [
    'a root field that can wait for a relationship to its service',
    '{ me { home { shelf } } places { shelf } }',
    { people: 1, contacts: 1, places: 1 },
  ],
  ['a way back to a federation', '{ people { home { keeper { name } } } }', { people: 2, contacts: 1, places: 1 }],
  [
    'relationships of parts of one object',
    '{ cheapest { title author { name } place { keeper { name } } } }',
    { stock: 1, catalogue: 1, people: 1, places: 1 },
  ],
];

describe('each service is called once per wave', () => {
  test.each(CASES)('for %s', async (_name, query, calls) => {
    expect(await callsFor(query)).toEqual(calls);
  });
});

describe('nothing is asked for twice', () => {
  test('by a lookup of a list in lists', async () => {
    await callsFor('{ items { similar(first: 3) { ... on Film { price } } } }');
    expect(variablesFor('stock').flat()).toEqual(['i1', 'i4']);
  });

  test('by a relationship of a list in lists', async () => {
    await callsFor('{ people { friends { favourite { title } } } }');
    expect(variablesFor('catalogue')).toEqual(['i2', 'i6', 'i1']);
  });
});
