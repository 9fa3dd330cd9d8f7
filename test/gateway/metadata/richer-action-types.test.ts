import { describe, expect, test } from '@jest/globals';
import { buildASTSchema, lexicographicSortSchema, printSchema } from 'graphql';
import { describeProblem, exportMetadata } from '../../../gateway/metadata/index.ts';
import { load, loadExport, problemsIn } from './load.ts';

const action = (name: string, more: object = {}) => ({ name, definition: { handler: 'http://a.test', ...more } });
const problems = (sdl: string, custom_types: object = {}, more: object = {}) =>
  problemsIn({ 'actions.graphql': sdl, 'actions.yaml': { actions: [action('a', more)], custom_types } }).map(
    describeProblem,
  );
const invalid = (line: number, reason: string) =>
  `actions.graphql:${line}: validation for the given custom types failed because ${reason}`;

describe('a type of actions is reported with file and line', () => {
  test.each([
    [
      'a member of a union that is not defined',
      'type Query { a: U }\nunion U = Missing',
      invalid(2, 'the type "Missing" of "U" is not an object type that is defined'),
    ],
    [
      'a member that is an interface',
      'type Query { a: U }\nunion U =\n  I\ninterface I { x: Int }',
      invalid(3, 'the type "I" of "U" is not an object type that is defined'),
    ],
    [
      'an interface that is an object',
      'type Query { a: A }\ntype A implements B { x: Int }\ntype B { x: Int }',
      invalid(2, 'the type "B" of "A" is not an interface that is defined'),
    ],
    [
      'a field that an interface has',
      'type Query { a: A }\ninterface I { x: Int }\ntype A implements I { y: Int }',
      invalid(2, 'Interface field I.x expected but A does not provide it.'),
    ],
    [
      'an interface as an input',
      'type Query { a(i: I): Int }\ninterface I { x: Int }',
      'actions.graphql:1: the type: "I" is not defined in custom types',
    ],
    [
      'a required field of `@oneOf`',
      'type Query { a(i: I): Int }\ninput I @oneOf {\n  x: Int!\n}',
      invalid(3, 'OneOf input field I.x must be nullable.'),
    ],
    [
      'a default value of `@oneOf`',
      'type Query { a(i: I): Int }\ninput I @oneOf {\n  x: Int = 1\n}',
      invalid(3, 'OneOf input field I.x cannot have a default value.'),
    ],
    [
      'an unknown type of an argument of a field',
      'type Query { a: A }\ntype A {\n  x(y: A): Int\n}',
      invalid(3, 'the type "A" of the argument "y" of "A.x" is not a scalar, enum or input object'),
    ],
    [
      'a default value of another type',
      'type Query {\n  a(x: Int = "1"): Int\n}',
      invalid(2, 'the default value of "x" is not a value of its type'),
    ],
    [
      'a default value that a check refuses',
      'type Query { a(x: S = "b"): Int }\nscalar S @check(pattern: "^a")',
      invalid(1, 'the default value of "x" is not a value of its type'),
    ],
    [
      'a required argument that is deprecated',
      'type Query {\n  a(x: Int! @deprecated): Int\n}',
      invalid(2, 'Required argument Query.a(x:) cannot be deprecated.'),
    ],
    [
      'an invalid pattern',
      'type Query { a: S }\nscalar S @check(pattern: "[")',
      'actions.graphql:2: the check of the scalar "S": pattern: ',
    ],
    [
      'a pattern that cannot be matched in linear time',
      'type Query { a: S }\nscalar S @check(pattern: "(a)\\\\1")',
      'actions.graphql:2: the check of the scalar "S": pattern: the pattern has "\\1"',
    ],
    [
      'an impossible range of lengths',
      'type Query { a: S }\nscalar S @check(minLength: 3, maxLength: 2)',
      'actions.graphql:2: the check of the scalar "S": minLength: no value can pass',
    ],
    [
      'an impossible range of numbers',
      'type Query { a: S }\nscalar S @check(minimum: 3, maximum: 2)',
      'actions.graphql:2: the check of the scalar "S": minimum: no value can pass',
    ],
    [
      'conditions that exclude each other',
      'type Query { a: S }\nscalar S @check(minimum: 3, maxLength: 2)',
      'actions.graphql:2: the check of the scalar "S": no value can pass',
    ],
    [
      'a misspelt condition',
      'type Query { a: S }\nscalar S @check(patern: "a")',
      'actions.graphql:2: the check of the scalar "S": unknown key "patern": did you mean "pattern"?',
    ],
    [
      'a check without conditions',
      'type Query { a: S }\nscalar S @check',
      'actions.graphql:2: the check of the scalar "S": expected pattern',
    ],
    [
      'a check of an object',
      'type Query { a: S }\ntype S @check(minimum: 1) { x: Int }',
      'actions.graphql:2: @check is only for scalars',
    ],
  ])('%s', (_, sdl, problem) => {
    expect(problems(sdl)).toEqual([expect.stringContaining(problem)]);
  });

  test('and what is wrong in actions.yaml at its line', () => {
    const sdl = 'type Query { a: S }\nscalar S';
    const of = (check: object) => problems(sdl, { scalars: [{ name: 'S', check }] });
    expect(of({ pattern: '(' })).toEqual([
      expect.stringMatching(/^actions\.yaml:\d+ custom_types\.scalars\[0\]\.check\.pattern: Unterminated group$/),
    ]);
    expect(of({ minimum: 2, maximum: 1 })).toEqual([
      expect.stringMatching(/^actions\.yaml:\d+ .*minimum: no value can pass/),
    ]);
    expect(of({ max_length: -1 })).toHaveLength(1);
    expect(of({ maxlength: 1 })).toEqual([expect.stringContaining('did you mean "max_length"?')]);
    expect(problems('type Query { a: Int }', { interfaces: [{ name: 'I' }], unions: [{ name: 'U' }] })).toEqual([
      expect.stringContaining('custom type I is not present in actions.graphql'),
      expect.stringContaining('custom type U is not present in actions.graphql'),
    ]);
  });

  test('and a check that both files have', () => {
    expect(
      problems('type Query { a: S }\nscalar S @check(minimum: 1)', { scalars: [{ name: 'S', check: { minimum: 1 } }] }),
    ).toEqual(['actions.graphql:2: the scalar "S" has a check in custom_types too: keep one of them']);
  });

  test('and a field with arguments whose asynchronous action has been called before', () => {
    const sdl = 'type Mutation { a: U }\nunion U = A\ntype A {\n  b: B\n}\ntype B {\n  x(y: Int): Int\n}';
    expect(problems(sdl, {}, { kind: 'asynchronous' })).toEqual([
      'actions.graphql:7: the field "B.x" has arguments, but the webhook of the asynchronous action "a" is called before the field is selected',
    ]);
  });
});

const RICH = `type Query {
  a(by: By!, "how many" count: Int = 3, old: Int @deprecated(reason: "none")): U
}
"said" interface I { x(y: Int = 1, z: [S!] = ["a"]): Int }
interface J implements I { x(y: Int = 1, z: [S!] = ["a"]): Int }
type A implements I & J { x(y: Int = 1, z: [S!] = ["a"]): Int "old one" o: Int @deprecated(reason: "use x") }
"either" union U = A | B
type B { s: S, e: E }
input By @oneOf { id: ID, name: S @deprecated }
scalar S @check(pattern: "^[a-z]+$", maxLength: 5) @specifiedBy(url: "https://s.test")
scalar N
enum E { X Y @deprecated(reason: "use X") Z @deprecated }
`;

test('types of actions survive an export', () => {
  const loaded = load({
    'actions.graphql': RICH,
    'actions.yaml': { actions: [action('a')], custom_types: { scalars: [{ name: 'N', check: { minimum: 1 } }] } },
  });
  const exported = exportMetadata(loaded);
  const again = loadExport(exported);
  const printed = ({ actionTypes: { document } }: typeof loaded) =>
    printSchema(lexicographicSortSchema(buildASTSchema(document, { assumeValidSDL: true })));
  expect(printed(again)).toBe(printed(loaded));
  const checks = ({ actionTypes }: typeof loaded) =>
    [...actionTypes.checks].map(([name, { written }]) => [name, written]).sort();
  expect(checks(again)).toEqual(checks(loaded));
  expect(checks(again)).toEqual([
    ['N', { minimum: 1 }],
    ['S', { pattern: '^[a-z]+$', max_length: 5 }],
  ]);
  expect(exportMetadata(again)).toEqual(exported);
});

test('`one_of` of custom_types is the same as `@oneOf`', () => {
  const sdl = 'type Query { a(by: By): Int }\ninput By { id: ID, name: ID }';
  const loaded = load({
    'actions.graphql': sdl,
    'actions.yaml': { actions: [action('a')], custom_types: { input_objects: [{ name: 'By', one_of: true }] } },
  });
  expect(printSchema(buildASTSchema(loaded.actionTypes.document, { assumeValidSDL: true }))).toContain(
    'input By @oneOf',
  );
  expect(exportMetadata(loaded)).toMatchObject({ custom_types: { input_objects: [{ name: 'By', one_of: true }] } });
});

test('what Hasura does not have is listed with its line', () => {
  const { actionTypes } = load({
    'actions.graphql': RICH,
    'actions.yaml': { actions: [action('a')], custom_types: { scalars: [{ name: 'N', check: { minimum: 1 } }] } },
  });
  expect(actionTypes.extensions.map(({ line, what }) => `${line}: ${what}`)).toEqual([
    '2: the argument a(count:) has a default value',
    '2: the argument a(old:) is deprecated',
    '4: the interface I',
    '4: the field I.x has arguments',
    '5: the interface J',
    '5: the field J.x has arguments',
    '6: the field A.x has arguments',
    '6: the field A.o is deprecated',
    '7: the union U',
    '9: the input object By is @oneOf',
    '9: the field By.name is deprecated',
    '10: the scalar S has a check',
    '11: the scalar N has a check',
  ]);
});

test('types that Hasura has are no extensions', () => {
  const { actionTypes } = load({
    'actions.graphql':
      'type Query { a(i: I): A }\ninput I { x: E }\ntype A { x: E, s: S }\nenum E { X Y @deprecated }\nscalar S',
    'actions.yaml': { actions: [action('a')] },
  });
  expect([actionTypes.extensions, actionTypes.checks.size]).toEqual([[], 0]);
});
