import { describe, expect, test } from '@jest/globals';
import { parse } from 'graphql';
import { normalised } from '../../../gateway/pipeline/document/index.ts';

const same = (one: string, two: string) => normalised(parse(one)) === normalised(parse(two));

describe('a document is the one that was saved', () => {
  test.each([
    ['with other white space', 'query a { b(c: 1) { d e } }', 'query a\n{\n  b ( c : 1 ) { d, e }\n}\n'],
    ['with comments', '{ a { b } }', '# what for\n{ a { # why\n b } }'],
    ['with __typename added as clients do', '{ a { b { c } } }', '{ __typename a { __typename b { c __typename } } }'],
    ['with __typename taken out', '{ a { __typename b } }', '{ a { b } }'],
    ['with __typename under another name', '{ a { b } }', '{ a { type: __typename b } }'],
  ])('%s', (_, one, two) => {
    expect(same(one, two)).toBe(true);
  });
});

describe('a document is another one', () => {
  test.each([
    ['with its fields in another order', '{ a { b c } }', '{ a { c b } }'],
    ['with one field more', '{ a { b } }', '{ a { b c } }'],
    ['with another argument', '{ a(b: 1) { c } }', '{ a(b: 2) { c } }'],
    ['with an alias', '{ a { b } }', '{ a { c: b } }'],
    ['with a directive', 'query ($x: Boolean!) { a }', 'query ($x: Boolean!) { a @include(if: $x) }'],
    ['with another operation name', 'query a { b }', 'query c { b }'],
    ['with a second operation', 'query a { b }', 'query a { b } query c { d }'],
    ['as a mutation', 'query { b }', 'mutation { b }'],
  ])('%s', (_, one, two) => {
    expect(same(one, two)).toBe(false);
  });
});
