import { describe, expect, test } from '@jest/globals';
import { getIntrospectionQuery, parse } from 'graphql';
import { repetition } from '../../../gateway/pipeline/document/repetition.ts';

const of = (text: string) => repetition(parse(text));

describe('pairs of fields in one place are counted', () => {
  test.each([
    ['{ a b c }', 0],
    ['{ a a a }', 3],
    ['{ a: x a: y b: x }', 1],
    ['{ a ... { a } ... on B { a } }', 3],
    ['{ a { b } a { b } }', 2],
    ['{ a { b b } a { b } }', 5],
    ['{ a { b } c { b } }', 0],
    ['{ ...f ...f a } fragment f on A { a }', 1],
    ['query one { a a } query two { a a }', 2],
    ['{ ... { ... { ... { a a } } } }', 4],
  ])('%s has %i', (text, expected) => {
    expect(of(text)).toBe(expected);
  });
});

describe('pairs of fragments that meet in one place are counted once, whatever their fields', () => {
  test.each([
    ['{ ...f ...g } fragment f on A { a } fragment g on A { b }', 1],
    ['{ ...f ... { ...g } } fragment f on A { a } fragment g on A { b }', 1],
    ['{ a { ...f ...g } b { ...g ...f } } fragment f on A { a } fragment g on A { b }', 1],
    ['{ ...f ...g } fragment f on A { a ...h } fragment g on A { b } fragment h on A { c }', 2],
    ['{ ...f } fragment f on A { ...g } fragment g on A { ...h } fragment h on A { a }', 0],
    ['{ a { ...f } a { ...g } } fragment f on A { a } fragment g on A { b }', 2],
    ['{ ...f ...nowhere } fragment f on A { a }', 1],
    ['{ ...f ...g } fragment f on A { a ...g } fragment g on A { b }', 1],
  ])('%s has %i', (text, expected) => {
    expect(of(text)).toBe(expected);
  });
});

test('fields count for more with long arguments, and fragments with many fields', () => {
  expect(of('{ a(of: 12) a(of: 12) }')).toBe(4);
  expect(of('{ a(of: 12) b(of: 12) }')).toBe(0);
  expect(of('{ ...f ...g } fragment f on A { a b c d e f } fragment g on A { k l m n o p }')).toBe(3);
});

test('the introspection query of every tool has few', () => {
  expect(of(getIntrospectionQuery())).toBeLessThan(50);
});

test('what an ordinary page asks for has few, though many parts of it ask for the same', () => {
  const parts = Array.from({ length: 40 }, (_, i) => `fragment p${i} on Order { __typename id field${i} }`);
  const text = `{ orders { __typename ${parts.map((_, i) => `...p${i}`).join(' ')} } } ${parts.join(' ')}`;
  expect(of(text)).toBeLessThan(3_000);
});

describe('too many to be counted are infinitely many', () => {
  test.each([
    ['fragments within themselves', '{ ...f } fragment f on A { a { ...f } a { ...f } }'],
    [
      'fragments that double at each level',
      `{ ...f0 } ${Array.from({ length: 80 }, (_, i) => `fragment f${i} on A { a { ...f${i + 1} ...g${i + 1} } b { ...f${i + 1} } b { ...g${i + 1} } } fragment g${i} on A { a { ...f${i + 1} } a { ...g${i + 1} } b { ...g${i + 1} } b { ...f${i + 1} } }`).join(' ')}`,
    ],
  ])('%s', (_, text) => {
    expect(of(text)).toBe(Number.POSITIVE_INFINITY);
  });
});
