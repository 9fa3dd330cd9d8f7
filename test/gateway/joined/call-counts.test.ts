import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import { Faults } from '../generated/media-data.ts';
import type { Keep } from '../generated/media-services.ts';
import { mixedMetadata } from '../generated/mixed-services.ts';
import { keeper, openGateway, openIssuer, type TestServer } from '../harness/index.ts';

const { keep, close } = keeper();
afterAll(close);
const servers: TestServer[] = [];
const keepServer: Keep = async (opening) => {
  const server = await keep(opening);
  servers.push(server as unknown as TestServer);
  return server;
};
const issuer = await keep(openIssuer());
const metadata = await mixedMetadata(new Faults(), keepServer);
const gateway = await keep(openGateway({ issuer, metadata }));
beforeEach(() => {
  for (const { requests } of servers) requests.length = 0;
});

/** Where services are. What is at none of these addresses is the webhook of the actions. */
const names = new Map(
  (metadata['remote_schemas.yaml'] as { name: string; definition: { url: string } }[]).map(({ name, definition }) => [
    definition.url,
    name,
  ]),
);
const nameOf = (server: TestServer) => names.get(`${server.url}/graphql`) ?? 'action';

/** How often each service was called for an operation. */
async function callsFor(query: string): Promise<Record<string, number>> {
  const { body } = await gateway.graphql(query, { token: issuer.token() });
  expect(body).toEqual({ data: expect.anything() });
  return Object.fromEntries(
    servers.flatMap((server) => (server.requests.length > 0 ? [[nameOf(server), server.requests.length]] : [])),
  );
}

/** What a service was asked for, by its name. */
function askedOf(name: string): readonly { readonly query: string; readonly variables?: Record<string, unknown> }[] {
  return servers
    .filter((server) => nameOf(server) === name)
    .flatMap(({ requests }) => requests.map(({ body }) => body as { query: string }));
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
    const keys = askedOf('stock').flatMap(({ variables = {} }) => Object.values(variables).flat());
    expect(keys).toEqual(['i1', 'i4']);
  });

  test('by a relationship of a list in lists', async () => {
    await callsFor('{ people { friends { favourite { title } } } }');
    const [asked] = askedOf('catalogue');
    expect(Object.values(asked?.variables ?? {})).toEqual(['i2', 'i6', 'i1']);
  });
});
