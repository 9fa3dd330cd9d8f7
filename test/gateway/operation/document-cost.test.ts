import { describe, expect, test } from '@jest/globals';
import { getIntrospectionQuery, parse } from 'graphql';
import { documentCost } from '../../../gateway/pipeline/document/document-cost.ts';

const costOf = (text: string) => documentCost(parse(text));

describe('depth and nodes are counted as Hasura counts them', () => {
  const counted: [string, { depth: number; nodes: number }][] = [
    ['{ hello }', { depth: 0, nodes: 0 }],
    ['{ viewer { name } }', { depth: 1, nodes: 1 }],
    ['{ viewer { ... on User { name } } }', { depth: 1, nodes: 1 }],
    ['{ viewer { albums { title } } }', { depth: 2, nodes: 2 }],
    [
      '{ viewer { albums { ...info songs { ...info } } } } fragment info on Music { id title artists }',
      { depth: 3, nodes: 3 },
    ],
    ['{ author { name articles { id title } } homepage_entries { article_id } }', { depth: 2, nodes: 3 }],
    ['{ a { ...deep } b { ...deep } } fragment deep on A { c { d } }', { depth: 2, nodes: 4 }],
  ];

  test.each(counted)('%s', (text, expected) => {
    expect(costOf(text)).toMatchObject(expected);
  });
});

test('the costliest of several operations counts, not their sum', () => {
  const cost = costOf('query one { a { b { c } } } query two { x: d y: d e { f } }');
  expect(cost).toMatchObject({ depth: 2, nodes: 2, aliases: 2 });
});

test('aliases count wherever their fragment is spread, and at any depth', () => {
  expect(costOf('{ x: a { ...f } ... { y: a { ...f } } } fragment f on A { z: b }').aliases).toBe(4);
});

test('directives count as they are written, on operations, variables, fragments and fields', () => {
  const text = `query ($v: Int @d) @d { a @d @d { ...f @d } ... @d { a } b { ...f } } fragment f on A @d { c @d }`;
  expect(costOf(text).directives).toBe(8);
});

test('the introspection query of every tool is neither deep nor many nodes nor full of aliases', () => {
  const text = getIntrospectionQuery({
    descriptions: true,
    specifiedByUrl: true,
    directiveIsRepeatable: true,
    schemaDescription: true,
    inputValueDeprecation: true,
    oneOf: true,
  });
  expect(costOf(text)).toMatchObject({ depth: 0, nodes: 0, aliases: 0, directives: 0 });
});

test('aliases inside of introspection count', () => {
  expect(costOf('{ a: __schema { b: types { name } } __type(name: "A") { c: name } }').aliases).toBe(3);
});

test('fragments that double at each level are measured without being walked', () => {
  const levels = 150;
  const fragments = Array.from({ length: levels }, (_, i) => `fragment f${i} on A { a { ...f${i + 1} ...f${i + 1} } }`);
  const cost = costOf(`{ ...f0 } ${fragments.join(' ')} fragment f${levels} on A { b }`);
  expect(cost.depth).toBe(levels);
  expect(cost.nodes).toBe(2 ** levels - 1);
});

test('fragments within themselves and fragments that are not there do no harm', () => {
  expect(costOf('{ ...f } fragment f on A { a { ...g } } fragment g on A { b { ...f ...missing } }').depth).toBe(2);
});
