import { describe, expect, test } from '@jest/globals';
import { buildSchema, type GraphQLOutputType } from 'graphql';
import { differencesBetween, matcherProblems } from '../../../gateway/operations/handler-calls/matchers.ts';
import { misfitsOf } from '../../../gateway/operations/handler-calls/misfits.ts';

describe('an expected value', () => {
  test.each<[string, unknown, unknown]>([
    ['an equal one', { a: [1, 'x', null], b: { c: true } }, { b: { c: true }, a: [1, 'x', null] }],
    ['a field that is absent in place of null', { a: null }, {}],
    ['anything', { a: { $any: true } }, { a: { deep: [] } }],
    ['a type', { a: { $type: 'integer' }, b: { $type: 'list' }, c: { $type: 'null' } }, { a: 7, b: [], c: null }],
    ['a form', { a: { $regex: '^\\d+-ü$' } }, { a: '17-ü' }],
  ])('matches %s', (_name, expected, actual) => {
    expect(differencesBetween(expected, actual)).toEqual([]);
    expect(matcherProblems(expected)).toEqual([]);
  });

  test.each<[string, unknown, unknown, readonly string[]]>([
    ['another value', { a: { b: [1, 2] } }, { a: { b: [1, 3] } }, ['a.b[1]']],
    ['a field too many', {}, { a: 1 }, ['a']],
    ['a field of every object', { constructor: 1 }, {}, ['constructor']],
    ['a list of another length', [1], [1, 2], ['']],
    ['a text in place of a number', { a: 1 }, { a: '1' }, ['a']],
    ['another type', { a: { $type: 'integer' } }, { a: 1.5 }, ['a']],
    ['another form', { a: { $regex: '^x$' } }, { a: 'xy' }, ['a']],
    ['an object in place of a text', { a: { $regex: '.' } }, { a: {} }, ['a']],
  ])('differs from %s, at its path', (_name, expected, actual, paths) => {
    expect(differencesBetween(expected, actual).map(({ path }) => path)).toEqual(paths);
  });

  test('does not search a long text, which could take exponential time', () => {
    const begin = performance.now();
    expect(differencesBetween({ $regex: '^(a+)+$' }, `${'a'.repeat(1_000_000)}b`)).toHaveLength(1);
    expect(performance.now() - begin).toBeLessThan(1_000);
  });

  test('has bounded differences from a response of a million items', () => {
    const many = Array.from({ length: 1_000_000 }, () => 1);
    expect(
      differencesBetween(
        many.map(() => 2),
        many,
      ),
    ).toHaveLength(20);
  });

  test.each([
    [{ a: { $typ: 'string' } }, 'a: unknown matcher $typ: expected $any, $type or $regex'],
    [{ a: { $type: 'text' } }, expect.stringContaining('a: $type: expected one of string,')],
    [[{ $regex: '(' }], expect.stringContaining('[0]: $regex: ')],
    [{ $any: true, b: 1 }, 'expected $any to be the only key'],
    [{ $any: false }, 'expected $any: true'],
  ])('has matchers that exist: %j', (expected, problem) => {
    expect(matcherProblems(expected)).toEqual([problem]);
  });
});

describe('a value that does not fit its type', () => {
  const schema = buildSchema(`
    type Query { thing: Thing! pet: Pet pets: [Pet!] named: Named }
    type Thing { id: ID! count: Int list: [[Int!]] mood: Mood any: JSON next: Thing }
    union Pet = Cat | Dog
    interface Named { name: String! }
    type Cat implements Named { name: String! lives: Int! }
    type Dog { barks: Boolean! }
    enum Mood { HAPPY }
    scalar JSON
  `);
  const typeOf = (field: string) => schema.getQueryType()?.getFields()[field]?.type as GraphQLOutputType;
  const found = (field: string, value: unknown) =>
    misfitsOf(value, typeOf(field), schema).map(({ path, problem }) => `${path}: ${problem}`);

  test.each<[string, unknown]>([
    ['thing', { id: 7, count: null, list: [[1], null], mood: 'HAPPY', any: [{}], next: { id: 'x' }, more: 1 }],
    ['pet', null],
    ['pet', { __typename: 'Cat', name: 'x', lives: 9 }],
    ['pets', [{ __typename: 'Dog', barks: true }]],
    ['named', { __typename: 'Cat', name: 'x', lives: 9 }],
  ])('is none where all fits: %s %j', (field, value) => {
    expect(found(field, value)).toEqual([]);
  });

  test.each<[string, unknown, readonly string[]]>([
    ['thing', null, [': expected Thing!, found null']],
    ['thing', [], [': expected Thing, found a list of 0']],
    ['thing', {}, ['id: expected ID!, found nothing']],
    ['thing', { id: 'x', next: { id: null } }, ['next.id: expected ID!, found null']],
    [
      'thing',
      { id: 'x', list: [[1, 'a'], 2] },
      ['list[0][1]: expected Int, found a text', 'list[1]: expected [Int!], found an integer'],
    ],
    [
      'thing',
      { id: 'x', mood: 'SAD', count: 2 ** 31 },
      ['count: expected Int, found an integer', 'mood: expected Mood, found a text'],
    ],
    ['pet', { name: 'x' }, ['__typename: expected one of Cat, Dog, found nothing']],
    ['pet', { __typename: 'Query' }, ['__typename: expected one of Cat, Dog, found a text']],
    ['pets', [{ __typename: 'Cat', name: 'x' }], ['[0].lives: expected Int!, found nothing']],
    ['named', { __typename: 'Dog', barks: true }, ['__typename: expected one of Cat, found a text']],
  ])('is named with its path: %s %j', (field, value, problems) => {
    expect(found(field, value)).toEqual(problems);
  });

  test('does not stand for values of every object', () => {
    const other = buildSchema('type Query { a: A } type A { constructor: String! toString: String! }');
    const type = other.getQueryType()?.getFields().a?.type as GraphQLOutputType;
    expect(misfitsOf({}, type, other).map(({ path }) => path)).toEqual(['constructor', 'toString']);
  });
});
