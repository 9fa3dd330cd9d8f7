import { describe, expect, test } from '@jest/globals';
import { buildSchema, parse, validate } from 'graphql';
import { reachableInputs, usedCoordinates } from '../../../gateway/operations/usage/coordinates.ts';
import { hiveFields, normalizedText } from '../../../gateway/operations/usage/hive-operation.ts';

const SCHEMA = buildSchema(`
  directive @cost(weight: Int) on FIELD
  scalar JSON
  scalar Date
  enum Status { OPEN CLOSED }
  input Range { from: Date to: Date }
  input Filter { status: Status ids: [ID!] during: Range extra: JSON and: [Filter!] }
  interface Node { id: ID! }
  type Order implements Node { id: ID! status: Status item(locale: String): String placed: Date }
  type Refund implements Node { id: ID! amount: Float }
  union Entry = Order | Refund
  type Query { order(id: ID!): Order orders(filter: Filter, first: Int): [Order!]! node(id: ID!): Node entries: [Entry!]! }
  type Mutation { place(note: JSON, urgent: Boolean): Order }
`);

function documentOf(text: string) {
  const document = parse(text, { noLocation: true });
  expect(validate(SCHEMA, document)).toEqual([]);
  return document;
}
const used = (text: string) => usedCoordinates(documentOf(text), SCHEMA);

describe('what an operation uses', () => {
  test('fields and arguments, with the types that they lead to', () => {
    expect(used('{ mine: order(id: 7) { id item(locale: "de") placed } }')).toEqual([
      'Date',
      'Order',
      'Order.id',
      'Order.item',
      'Order.item(locale:)',
      'Order.placed',
      'Query.order',
      'Query.order(id:)',
    ]);
  });

  test('of literals the input fields and enum values that they name', () => {
    expect(
      used('{ orders(filter: { status: OPEN, and: [{ during: { from: "2026-01-01" } }] }) { __typename } }'),
    ).toEqual([
      'Date',
      'Filter',
      'Filter.and',
      'Filter.during',
      'Filter.status',
      'Order',
      'Query.orders',
      'Query.orders(filter:)',
      'Range',
      'Range.from',
      'Status',
      'Status.OPEN',
    ]);
  });

  test('of variables and of enums in the response anything that they may hold', () => {
    expect(used('query ($f: Filter) { orders(filter: $f) { status } }')).toEqual([
      'Filter',
      'Filter.*',
      'Order',
      'Order.status',
      'Query.orders',
      'Query.orders(filter:)',
      'Status',
      'Status.*',
    ]);
    expect([...reachableInputs(SCHEMA, 'Filter')].sort()).toEqual(['Date', 'Filter', 'ID', 'JSON', 'Range', 'Status']);
  });

  test('fragments, with the types that they are on', () => {
    expect(used('{ entries { ...o ... on Refund { amount } } node(id: 1) { id } } fragment o on Order { id }')).toEqual(
      [
        'Entry',
        'Node',
        'Node.id',
        'Order',
        'Order.id',
        'Query.entries',
        'Query.node',
        'Query.node(id:)',
        'Refund',
        'Refund.amount',
      ],
    );
  });

  test('directives of the schema, and none of the specification', () => {
    expect(used('{ order(id: 1) @include(if: true) { id @cost(weight: 3) } }')).toEqual([
      '@cost',
      '@cost(weight:)',
      'Order',
      'Order.id',
      'Query.order',
      'Query.order(id:)',
    ]);
  });

  test('that it asks for the schema, and nothing of what that says', () => {
    expect(used('{ __typename __schema { types { name } } }')).toEqual(['Query.__schema']);
  });

  test('nothing of the members of a value of a scalar of its own', () => {
    expect(used('mutation { place(note: { status: OPEN, secret: [1] }) { id } }')).toEqual([
      'JSON',
      'Mutation.place',
      'Mutation.place(note:)',
      'Order',
      'Order.id',
    ]);
  });
});

describe('for a registry', () => {
  test('everything that is left open is spelled out', () => {
    expect(hiveFields(['@cost', 'Order.item(locale:)', 'Range', 'Range.*', 'Status.*'], SCHEMA)).toEqual([
      'Order.item.locale',
      'Range',
      'Range.from',
      'Range.to',
      'Date',
      'Status.OPEN',
      'Status.CLOSED',
    ]);
  });

  test.each([
    ['{ canary: order(id: "canary") { id } }', '{order(id:""){id}}'],
    ['{ order(id: 4711) { item(locale: """canary""") } }', '{order(id:""){item(locale:"")}}'],
    ['query ($n: Int = 4711) { orders(first: $n) { id } }', 'query($n:Int=0){orders(first:$n){id}}'],
    [
      '{ orders(first: 4711, filter: { status: OPEN, ids: ["canary", "canary"], extra: { canary: CANARY } }) { id } }',
      '{orders(first:0 filter:{status:OPEN ids:[]extra:""}){id}}',
    ],
    [
      'mutation { place(note: [canary, 4711], urgent: true) { id @include(if: true) } }',
      'mutation{place(note:[]urgent:false){id@include(if:false)}}',
    ],
    ['mutation { place(note: CANARY) { id @cost(weight: 4711) } }', 'mutation{place(note:""){id@cost(weight:0)}}'],
  ])('no value of %s is reported', (text, normalized) => {
    const told = normalizedText(documentOf(text), SCHEMA);
    expect(told).toBe(normalized);
    expect(told).not.toMatch(/canary|4711/i);
    expect(() => parse(told)).not.toThrow();
  });
});
