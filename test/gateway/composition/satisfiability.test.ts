import { afterAll, describe, expect, test } from '@jest/globals';
import { composeServices } from '@theguild/federation-composition';
import fc from 'fast-check';
import { parse } from 'graphql';
import { composeSubgraphs } from '../../../gateway/planning/composition/index.ts';
import { SEED } from '../../seed.ts';
import { openEditedGateway } from '../harness/edited-gateway.ts';
import { keeper, openIssuer } from '../harness/index.ts';
import { generatedSubgraphs } from './generated-subgraphs.ts';
import { apolloSubgraph } from './subgraphs.ts';
import { federated } from './world.ts';

const { keep, close } = keeper();
afterAll(close);

/** A long run: `COMPOSITION_RUNS=5000`. */
const RUNS = Number(process.env.COMPOSITION_RUNS ?? 150);

const LINK = `extend schema @link(url: "https://specs.apollo.dev/federation/v2.7", import: ["@key", "@shareable", "@external",
  "@requires", "@provides", "@override", "@interfaceObject", "@inaccessible"])\n`;

async function messagesOf(...sdls: readonly string[]): Promise<readonly string[]> {
  const subgraphs = sdls.map((sdl, index) => ({ name: 'abcd'.charAt(index), sdl: LINK + sdl }));
  const composed = await composeSubgraphs(subgraphs);
  if (!('problems' in composed)) return [];
  expect(new Set(composed.problems.map(({ code }) => code))).toEqual(new Set(['SATISFIABILITY_ERROR']));
  return composed.problems.map(({ message }) => message);
}

describe('every field can be fetched', () => {
  test.each([
    [
      'of the query that a mutation returns',
      ['type Query { a: Int } type Mutation { m: Payload } type Payload { query: Query }', 'type Query { b: Int }'],
    ],
    [
      'by a key that a third subgraph completes',
      [
        'type Query { t: T } type T @key(fields: "id") { id: ID! }',
        'type T @key(fields: "id") @key(fields: "code") { id: ID! code: ID! }',
        'type T @key(fields: "code") { code: ID! c: Int }',
      ],
    ],
    [
      'by a key of which another subgraph has a part of the objects',
      [
        'type Query { list: List } type List @key(fields: "books { id }") { books: [Book] } type Book @key(fields: "id") { id: ID! }',
        'type List @key(fields: "books { id title }") { books: [Book] b: Int } type Book @key(fields: "id") { id: ID! title: Int }',
      ],
    ],
    [
      'by a key of a union',
      [
        'type Query { t: T } type T @key(fields: "of { ... on U { id } }") { of: Of } union Of = U | V type U { id: ID! } type V { v: Int }',
        'type T @key(fields: "of { ... on U { id } }") { of: Of b: Int } union Of = U type U { id: ID! @shareable }',
      ].map((sdl) =>
        sdl.replaceAll('of: Of', 'of: Of @shareable').replace('U { id: ID! }', 'U { id: ID! @shareable }'),
      ),
    ],
    [
      'that is required, of where the object was before',
      [
        'type Query { t: T } type T @key(fields: "id", resolvable: false) { id: ID! x: Int @shareable }',
        'type T @key(fields: "id") { id: ID! x: Int @external b: Int @requires(fields: "x") }',
      ],
    ],
    [
      'that requires one that requires another',
      [
        'type Query { t: T } type T @key(fields: "id") { id: ID! x: Int y: Int @external z: Int @requires(fields: "y") }',
        'type T @key(fields: "id") { id: ID! x: Int @external y: Int @requires(fields: "x") }',
      ],
    ],
    [
      'that is provided, at any depth',
      [
        'type Query { t: T @provides(fields: "u { x }") } type T { u: U @external } type U { x: Int @external }',
        'type Query { b: T } type T { u: U @shareable } type U { x: Int @shareable }',
      ],
    ],
    [
      'of all types of an interface object',
      [
        'interface I @key(fields: "id") { id: ID! } type T implements I @key(fields: "id") { id: ID! t: Int }',
        'type Query { i: I } type I @interfaceObject @key(fields: "id") { id: ID! b: Int }',
      ],
    ],
    [
      'whatever the value of a label is',
      [
        'type Query { t: T } type T @key(fields: "id") { id: ID! u: U } type U { x: Int @shareable }',
        'type T @key(fields: "id") { id: ID! u: U @override(from: "a", label: "l") } type U { x: Int @shareable }',
      ],
    ],
    [
      'also where the same label decides twice',
      ['@override(from: "b", label: "l")', ''].map(
        (override) => `type Query { t: T @shareable } type T { next: T ${override} x: Int @shareable }`,
      ),
    ],
    [
      'that clients see',
      ['type Query { t: T } type T { a: Int @shareable }', 'type T { a: Int @shareable b: Int @inaccessible }'],
    ],
    [
      'of types that the subgraph never returns',
      [
        'type Query { i: I } interface I { x: Int } type T implements I { x: Int @shareable }',
        'type Query { j: I } interface I { x: Int } type T implements I { x: Int @shareable } type U implements I { x: Int u: Int }',
      ],
    ],
  ])('%s', async (_, sdls) => {
    expect(await messagesOf(...sdls)).toEqual([]);
  });
});

describe('a field is reported that cannot be fetched', () => {
  test.each([
    [
      'for want of a key',
      ['type Query { t: T } type T { a: Int @shareable }', 'type T { a: Int @shareable b: Int }'],
      '{\n  t {\n    b\n  }\n}',
      ['from subgraph "a": cannot find field "T.b"', 'type "T" has no @key defined in subgraph "b"'],
    ],
    [
      'for want of a key that may be used',
      [
        'type Query { t: T } type T @key(fields: "id") { id: ID! }',
        'type T @key(fields: "id", resolvable: false) { id: ID! b: Int }',
      ],
      '{\n  t {\n    b\n  }\n}',
      ['no @key of type "T" is resolvable in subgraph "b"'],
    ],
    [
      'for want of the fields of a key',
      ['type Query { t: T } type T @key(fields: "id") { id: ID! }', 'type T @key(fields: "code") { code: ID! b: Int }'],
      '{\n  t {\n    code\n  }\n}',
      ['@key(fields: "code") of "T": the key field(s) cannot be resolved'],
    ],
    [
      'for want of what it requires',
      [
        'type Query { t: T } type T @key(fields: "id") { id: ID! }',
        'type T @key(fields: "id") { id: ID! x: Int @external b: Int @requires(fields: "x") }',
        'type T @key(fields: "other") { other: ID! x: Int }',
      ],
      '{\n  t {\n    b\n  }\n}',
      ['has field "T.b"', 'the conditions of @requires'],
    ],
    [
      'of an object that is returned where it is external',
      [
        'type Query { t: T } type T @key(fields: "id") { id: ID! x: Int @external a: Int @requires(fields: "x") }',
        'type T @key(fields: "id x") { id: ID! x: Int }',
      ],
      '{\n  t {\n    x\n  }\n}',
      ['field "T.x" is not resolvable because marked @external, or overridden'],
    ],
    [
      'of one type of an interface, in a mutation',
      [
        'type Query { a: Int } type Mutation { i: I } interface I { x: Int } type T implements I { x: Int @shareable }',
        'type T { x: Int @shareable b: Int }',
      ],
      'mutation {\n  i {\n    ... on T {\n      b\n    }\n  }\n}',
      ['cannot find field "T.b"'],
    ],
    [
      'for one value of a label',
      [
        'type Query { t: T @override(from: "b", label: "l") } type T { x: Int @shareable }',
        'type Query { t: T } type T { x: Int @shareable y: Int }',
      ],
      '{\n  t {\n    y\n  }\n}',
      ['from subgraph "a": cannot find field "T.y"'],
    ],
    [
      'for want of a subgraph that knows the types of an interface object',
      [
        'interface I @key(fields: "id", resolvable: false) { id: ID! } type T implements I @key(fields: "id", resolvable: false) { id: ID! }',
        'type Query { i: I } type I @interfaceObject @key(fields: "id") { id: ID! }',
      ],
      '{\n  i {\n    ... on T {\n      __typename\n    }\n  }\n}',
      [
        'from subgraph "b": no subgraph can be reached that knows which objects of the @interfaceObject type "I" are "T"',
      ],
    ],
    [
      'of a mutation that a query returns',
      [
        'type Query { p: Payload } type Mutation { m: Int } type Payload { mutation: Mutation }',
        'type Mutation { b: Int }',
      ],
      '{\n  p {\n    mutation {\n      b\n    }\n  }\n}',
      ['cannot find field "Mutation.b"'],
    ],
  ])('%s', async (_, sdls, operation, reasons) => {
    const messages = await messagesOf(...sdls);
    const message = messages.find((one) => one.includes(operation)) ?? messages.join('\n');
    for (const text of [operation, ...reasons]) expect(message).toContain(text);
  });

  test('once, with the shortest operation that selects it', async () => {
    const messages = await messagesOf(
      'type Query { long: Long t: T } type Long { t: T } type T { a: Int @shareable }',
      'type T { a: Int @shareable b: Int }',
    );
    expect(messages).toEqual([expect.stringContaining('{\n  t {\n    b\n  }\n}')]);
  });
});

test(
  'generated subgraphs compose where the composer by itself composes them',
  async () => {
    const tally = { composed: 0, refused: 0 };
    for (const subgraphs of fc.sample(generatedSubgraphs(), { numRuns: RUNS, seed: SEED })) {
      const services = subgraphs.map(({ name, sdl }) => ({ name, typeDefs: parse(sdl) }));
      const theirs = composeServices(services).errors?.map(({ message }) => message) ?? [];
      const composed = await composeSubgraphs(subgraphs);
      const ours = 'problems' in composed ? composed.problems.map(({ message }) => message) : [];
      tally[ours.length === 0 ? 'composed' : 'refused']++;
      if ((theirs.length === 0) === (ours.length === 0)) continue;
      // The composer finds no requirement at a subgraph that cannot be entered again, though the object was held there, and
      // overlooks some fields that no key leads to.
      const reason = ours.length === 0 ? '@require conditions' : 'no @key';
      for (const message of [...theirs, ...ours])
        expect({ subgraphs, message }).toMatchObject({ message: expect.stringContaining(reason) });
    }
    expect(Math.min(tally.composed, tally.refused)).toBeGreaterThan(RUNS / 10);
  },
  60_000 + RUNS * 1_000,
);

test('any number of labels may lie on the way to a field', async () => {
  const types = Array.from({ length: 40 }, (_, index) => index);
  const chain = (key: string, override: (index: number) => string) =>
    types.map(
      (index) =>
        `type T${index} ${key} { id: ID! @shareable next: T${(index + 1) % types.length} @shareable ${override(index)} }`,
    );
  const labelled = (index: number) => `@override(from: "b", label: "l${index}")`;
  for (const key of ['@key(fields: "id")', '']) {
    const [one, other] = [chain(key, labelled), chain(key, () => '')];
    const root = 'type Query { t: T0 @shareable }';
    expect(await messagesOf(`${root} ${one.join(' ')}`, `${root} ${other.join(' ')}`)).toHaveLength(key ? 0 : 39);
  }
});

test('a subgraph whose mutation returns the query is served with all others', async () => {
  const issuer = await keep(openIssuer());
  const one = await keep(
    apolloSubgraph('type Query { a: Int } type Mutation { m: Payload } type Payload { query: Query }', {
      Query: { a: () => 1 },
      Mutation: { m: () => ({ query: {} }) },
    }),
  );
  const other = await keep(apolloSubgraph('type Query { b: Int }', { Query: { b: () => 2 } }));
  const files = { 'remote_schemas.yaml': [federated('one', one), federated('other', other)] };
  const gateway = await keep(openEditedGateway(files, { issuer }));
  const ask = async (document: string) => (await gateway.graphql(document, { token: issuer.token() })).body;
  expect(await ask('{ a b }')).toEqual({ data: { a: 1, b: 2 } });
  expect(await ask('mutation { m { query { a } } }')).toEqual({ data: { m: { query: { a: 1 } } } });
});
