import { describe, expect, test } from '@jest/globals';
import { composeSubgraphs } from '../../../gateway/planning/composition/index.ts';

const LINK = `extend schema @link(url: "https://specs.apollo.dev/federation/v2.9",
  import: ["@key", "@tag", "@override", "@listSize", "@composeDirective"])\n`;
const DIRECTIVE = `directive @op(n: Int, list: [String], id: ID, kind: Kind, with: With, required: Int! = 1) repeatable on FIELD_DEFINITION
  enum Kind { ONE } extend enum Kind { TWO } input With { a: Int! b: [Kind!] c: Float! = 1.5 } scalar Any`;

async function problemsOf(field: string) {
  const composed = await composeSubgraphs([
    { name: 'a', sdl: `${LINK}${DIRECTIVE}\ntype Query { a(first: Int): [Int] ${field} }` },
  ]);
  return 'problems' in composed ? composed.problems : [];
}

describe('the value of an argument of a directive', () => {
  test.each([
    '@op(n: null)',
    '@op(list: null)',
    '@op(list: ["x", null])',
    '@op(list: "x")',
    '@op(list: [])',
    '@op(id: "x")',
    '@op(id: 5)',
    '@op(kind: TWO)',
    '@op(with: { a: 1, b: ONE, c: 2 })',
    '@listSize(assumedSize: null, slicingArguments: ["first"])',
    '@override(from: "b", label: null)',
    '@deprecated(reason: null)',
  ])('may be %s', async (field) => {
    expect(await problemsOf(field)).toEqual([]);
  });

  test.each([
    ['@op(n: "x")', 'Int'],
    ['@op(required: null)', 'Int!'],
    ['@op(list: ["x", 5])', '[String]'],
    ['@op(id: 1.5)', 'ID'],
    ['@op(kind: THREE)', 'Kind'],
    ['@op(with: {})', 'With'],
    ['@op(with: { a: 1, b: [null] })', 'With'],
    ['@op(with: { a: 1, unknown: 2 })', 'With'],
    ['@tag(name: 5)', 'String!'],
    ['@override(from: null)', 'String!'],
  ])('may not be %s', async (field, type) => {
    expect(await problemsOf(field)).toEqual([
      {
        code: 'INVALID_GRAPHQL',
        message: expect.stringContaining(`is not of its type "${type}"`),
        subgraphs: ['a'],
        places: [{ subgraph: 'a', line: 5 }],
      },
    ]);
  });

  test('is null in the supergraph where it is null in the subgraph', async () => {
    const sdl = `extend schema
      @link(url: "https://specs.apollo.dev/federation/v2.9", import: ["@composeDirective"])
      @link(url: "https://specs.example/op/v1.0", import: ["@op"])
      @composeDirective(name: "@op")
      directive @op(n: Int) on FIELD_DEFINITION
      type Query { a: Int @op(n: null) }`;
    const composed = await composeSubgraphs([{ name: 'a', sdl }]);
    expect('supergraph' in composed && composed.supergraph.join()).toContain('@op(n: null)');
  });
});
