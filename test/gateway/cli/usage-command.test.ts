import { expect, test } from '@jest/globals';
import { buildSchema, parse } from 'graphql';
import { parseSince } from '../../../gateway/operations/cli/usage/since.ts';
import { unusedParts } from '../../../gateway/operations/cli/usage/unused.ts';
import { usedCoordinates } from '../../../gateway/operations/usage/coordinates.ts';

const NOW = Date.parse('2026-03-31T12:00:00Z');

test.each([
  ['30d', '2026-03-01T12:00:00.000Z'],
  ['12h', '2026-03-31T00:00:00.000Z'],
  ['15m', '2026-03-31T11:45:00.000Z'],
  ['2026-01-31', '2026-01-31T00:00:00.000Z'],
  ['2026-01-31T12:30:00+02:00', '2026-01-31T10:30:00.000Z'],
])('the time %s is understood', (text, expected) => {
  expect(new Date(parseSince(text, NOW) ?? 0).toISOString()).toBe(expected);
});

test.each(['yesterday', '30', '-3d', '2026-13-41', '30 d', ''])('"%s" is no time', (text) => {
  expect(parseSince(text, NOW)).toBeUndefined();
});

const SCHEMA = buildSchema(`
  type Query { node(id: ID!, at: String): Node order(status: Status): Order lost: Lost }
  type Mutation { no_queries_available: String }
  interface Node { id: ID! name(short: Boolean): String }
  type Order implements Node { id: ID! name(short: Boolean): String total: Float }
  type Lost { a: String }
  enum Status { OPEN CLOSED }
  input Filter { a: Int b: Nested }
  input Nested { c: Int }
  type Subscription { events(filter: Filter): Int }
`);

const unusedBy = (...documents: readonly string[]) =>
  unusedParts(SCHEMA, {
    records: documents.map((text, index) => ({
      operation: {
        id: String(index),
        type: 'query',
        name: undefined,
        coordinates: new Set(usedCoordinates(parse(text), SCHEMA)),
      },
      client: undefined,
      version: undefined,
      role: 'user',
      count: 1,
      errors: 0,
      first: NOW,
      last: NOW,
    })),
  });

test('nothing is used where nothing was run, and what belongs to an unused type is not listed', () => {
  expect(unusedBy()).toEqual({
    types: ['Node', 'Order', 'Lost', 'Status', 'Filter', 'Nested'],
    fields: ['Query.node', 'Query.order', 'Query.lost', 'Subscription.events'],
    arguments: [],
    inputFields: [],
    enumValues: [],
  });
});

test('what is used of an interface is used of the types that implement it', () => {
  expect(unusedBy('{ node(id: 1) { id name(short: true) } }', '{ order(status: OPEN) { id } }')).toEqual({
    types: ['Lost', 'Filter', 'Nested'],
    fields: ['Query.lost', 'Order.total', 'Subscription.events'],
    arguments: ['Query.node(at:)'],
    inputFields: [],
    enumValues: ['Status.CLOSED'],
  });
});

test('what a variable may hold is not unused', () => {
  const { types, inputFields } = unusedBy('subscription ($f: Filter) { events(filter: $f) }');
  expect([types.includes('Nested'), inputFields]).toEqual([false, []]);
  expect(unusedBy('subscription { events(filter: { b: {} }) }').inputFields).toEqual(['Filter.a', 'Nested.c']);
});
