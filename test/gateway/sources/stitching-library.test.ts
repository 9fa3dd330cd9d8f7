import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { GraphQLSchema } from 'graphql';
import { stitchingDirectiveProblems } from '../../../gateway/sources/stitching/stitching-directives.ts';
import { SEED } from '../../seed.ts';
import { objects, schemas } from './generated-directives.ts';
import { built, byLibrary, expectTheSame, type Json } from './stitched-lookups.ts';

const RUNS = Number(process.env.GENERATED_DIRECTIVES ?? 100);

const OBJECTS: readonly Json[] = [
  {
    __typename: 'Product',
    id: '1',
    code: 'a',
    price: 5,
    owner: { id: 'o', name: 'Ann', __typename: 'Owner' },
    parts: [{ sku: 's', size: { w: 1 } }, null, { sku: null, size: null }],
    hidden: 'not of a key',
  },
  { __typename: 'Product', id: '2', code: null, owner: null, parts: [] },
  { id: '3', parts: null },
];

describe('the directives mean what @graphql-tools/stitching-directives takes them for', () => {
  const REST =
    'input Key { id: ID } type Owner { id: ID name: String } type Part { sku: ID size: Size } type Size { w: Int }';
  const ENTITY =
    'type Product @key(selectionSet: "{ id owner { id } parts { sku size { w } } }") { id: ID code: ID owner: Owner parts: [Part] ship: Int @computed(selectionSet: "{ price }") }';
  test.each([
    ['a whole key', '_products(keys: [Key!]!): [Product] @merge'],
    ['a whole key of one', 'product(key: Key!): Product @merge'],
    ['a key field', 'products(ids: [ID!]!): [Product] @merge(keyField: "id")'],
    ['a key field that @key lacks', 'products(codes: [ID!]!): [Product!]! @merge(keyField: "code")'],
    ['a key field of one', 'product(id: ID!): Product! @merge(keyField: "id")'],
    ['the argument for keys', 'products(ids: [ID!]!, n: Int): [Product] @merge(keyArg: "ids", keyField: "id")'],
    [
      'an input object around keys',
      'products(input: Key!): [Product] @merge(keyArg: "input.where.ids", keyField: "id")',
    ],
    [
      'further arguments',
      'products(ids: [ID!]!, n: Int, w: Key): [Product] @merge(keyArg: "ids", keyField: "id", additionalArgs: "n: 5, w: { tags: [A, \\"b\\", 1.5, null, true] }")',
    ],
    [
      'further fields of an input object',
      'products(input: Key!): [Product] @merge(keyArg: "input.ids", keyField: "id", additionalArgs: "input: { first: 3, by: { at: NOW } }")',
    ],
    ['paths of a key', 'products(keys: [Key!]!): [Product] @merge(key: ["id", "ownerId:owner.id", "a.b:price"])'],
    ['paths of the key of one', 'product(key: Key!): Product @merge(key: ["id", "by.ownerId:owner.id"])'],
    ['an expression', 'products(ids: [ID!]!): [Product] @merge(argsExpr: "ids: [[$key.id]]")'],
    [
      'an expression with constants',
      'products(ids: [ID!]!, at: Key): [Product] @merge(argsExpr: "at: { now: NOW, l: [1, [2]] }, ids: [[{ id: $key.id, of: { owner: $key.owner.id } }]]")',
    ],
    [
      'several lists',
      'products(ids: [ID!]!, owners: [ID]): [Product] @merge(argsExpr: "ids: [[$key.id]], owners: [[$key.owner.id]]")',
    ],
    [
      'a list within an input object',
      'products(input: Key): [Product] @merge(argsExpr: "input: { first: 1, keys: [[$key]] }")',
    ],
    [
      'an expression for one',
      'product(id: ID, by: Key): Product @merge(argsExpr: "id: $key.id, by: { owner: $key.owner.id, t: $key.__typename }")',
    ],
    ['an inner object of a key', 'product(id: ID, by: Key): Product @merge(argsExpr: "id: $key.id, by: $key.owner")'],
    [
      'a list in a key',
      'product(by: Key): Product @merge(argsExpr: "by: { parts: $key.parts, sku: $key.parts.sku }")'.replace(
        ', sku: $key.parts.sku',
        '',
      ),
    ],
    [
      'a path through a list, which leads nowhere',
      'product(by: Key): Product @merge(argsExpr: "by: { sku: $key.parts.sku, id: $key.id }")',
    ],
    ['another name than $key', 'product(id: ID): Product @merge(argsExpr: "id: $object.id")'],
    [
      'several fields by the key: the last one counts',
      'a(id: ID): Product @merge(argsExpr: "id: $key.id") _b(keys: [Key!]!): [Product] @merge',
    ],
    [
      'several fields by keys of their own',
      '_b(keys: [Key!]!): [Product] @merge a(id: ID): Product @merge(keyField: "id") c(codes: [ID]): [Product] @merge(keyField: "code")',
    ],
  ])('%s', (_, fields) => {
    expectTheSame(`type Query { ${fields} } ${ENTITY} ${REST}`, OBJECTS);
  });

  test.each([
    ['no key but a key field', 'products(ids: [ID]): [Product] @merge(keyField: "id")', 'type Product { id: ID }'],
    [
      'what a field requires is the whole key',
      '_products(keys: [Key]): [Product] @merge',
      'type Product { id: ID ship: Int @computed(selectionSet: "{ id price }") }',
    ],
    [
      'several fields require the same',
      '_products(keys: [Key]): [Product] @merge',
      'type Product @key(selectionSet: "{ id }") { id: ID a: Int @computed(selectionSet: "{ price owner { id } }") b: Int @computed(selectionSet: "{ price owner { name } }") }',
    ],
    ['a key without a root field', 'now: Int', 'type Product @key(selectionSet: "{ id }") { id: ID }'],
    [
      'an inline fragment in a key',
      '_products(keys: [Key]): [Product] @merge',
      'type Product @key(selectionSet: "{ id ... on Product { code owner { id } } }") { id: ID }',
    ],
    [
      'an argument in a key',
      '_products(keys: [Key]): [Product] @merge',
      'type Product @key(selectionSet: "{ id price(in: \\"EUR\\") }") { id: ID }',
    ],
    [
      'an interface',
      'nodes(ids: [ID]): [Node] @merge(keyField: "id")',
      'interface Node { id: ID } type Product implements Node @key(selectionSet: "{ id }") { id: ID } type Owner2 implements Node { id: ID }',
    ],
    [
      'a union of which all have keys',
      '_any(keys: [Key]): [Any] @merge',
      'union Any = Product | Other type Product @key(selectionSet: "{ id }") { id: ID } type Other @key(selectionSet: "{ code }") { code: ID }',
    ],
    [
      'directives on an extension',
      'a: Int',
      'type Product { id: ID } extend type Product @key(selectionSet: "{ id }") extend type Query { _p(keys: [Key]): [Product] @merge }',
    ],
    [
      'canonical definitions',
      'a(p: In): Int @canonical',
      'type Product @canonical { id: ID @canonical } interface I @canonical { id: ID @canonical } union U @canonical = Product enum E @canonical { A } scalar S @canonical input In @canonical { a: Int @canonical } type Plain { id: ID @canonical }',
    ],
  ])('%s', (_, fields, types) => {
    expectTheSame(`type Query { ${fields} } ${types} ${REST}`, OBJECTS);
  });
});

test('generated directives mean what the library takes them for', () => {
  fc.assert(
    fc.property(schemas, fc.array(objects, { minLength: 1, maxLength: 4 }), (sdl, some) =>
      expectTheSame(sdl, some as readonly Json[]),
    ),
    { numRuns: RUNS, seed: SEED },
  );
});

/** The library looks for brackets in the text, where ours reads a list of lists as GraphQL does. */
const READS_BRACKETS_AS_TEXT = 'Each opening "[["';

test('what the library refuses is refused', () => {
  const damage = fc.array(
    fc.tuple(
      fc.nat(400),
      fc.nat(3),
      fc.constantFrom('', '$', '$key', '[', ']', '[[', ']]', '{', '}', ':', '.', ' x', 'id', '..'),
    ),
    { minLength: 1, maxLength: 2 },
  );
  let refused = 0;
  fc.assert(
    fc.property(schemas, damage, (sdl, edits) => {
      // Within the texts of the directives only: the SDL stays readable.
      let [texts, damaged] = [0, sdl];
      for (const [which, length, inserted] of edits) {
        const count = [...damaged.matchAll(/"((?:\\.|[^"\\])*)"/g)].length;
        texts = 0;
        damaged = damaged.replace(/"((?:\\.|[^"\\])*)"/g, (whole, text: string) => {
          if (texts++ !== which % Math.max(1, count)) return whole;
          const at = (which * 7) % (text.length + 1);
          return JSON.stringify(text.slice(0, at) + inserted + text.slice(at + length)).replace(/\\\\"/g, '\\"');
        });
      }
      let schema: GraphQLSchema;
      try {
        schema = built(damaged);
      } catch {
        return;
      }
      let message: string | undefined;
      try {
        byLibrary(schema);
      } catch (error) {
        message = (error as Error).message;
      }
      if (message === undefined || message.startsWith(READS_BRACKETS_AS_TEXT)) return;
      refused += 1;
      if (stitchingDirectiveProblems(schema).length === 0) throw new Error(`${message}\n${damaged}`);
    }),
    { numRuns: RUNS * 3, seed: SEED },
  );
  expect(refused).toBeGreaterThan(RUNS / 2);
});
