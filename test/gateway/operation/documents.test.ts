import { describe, expect, test } from '@jest/globals';
import { GraphQLError } from 'graphql';
import { DocumentCache } from '../../../gateway/pipeline/document/documents.ts';

const cache = () => new DocumentCache(1_000);
const fieldsOf = (text: string) =>
  cache()
    .get(text)
    .rootFields.map(({ operation, name }) => `${operation} ${name}`)
    .sort();

describe('the root fields of a document', () => {
  test.each([
    ['its own', '{ a b: c }', ['query a', 'query c']],
    ['twice when they stand there twice', '{ a a }', ['query a', 'query a']],
    ['those of inline fragments', 'mutation { ... { a } ... on Mutation { ... { b } } }', ['mutation a', 'mutation b']],
    [
      'those of named fragments',
      '{ ...f } fragment f on Query { a ...g } fragment g on Query { b }',
      ['query a', 'query b'],
    ],
    ['those of a fragment once, however often it is spread', '{ ...f ...f } fragment f on Query { a }', ['query a']],
    [
      'those of fragments that go in circles',
      '{ ...f } fragment f on Query { a ...g } fragment g on Query { b ...f }',
      ['query a', 'query b'],
    ],
    [
      'those of all operations',
      'query a { x } mutation b { y } subscription c { z }',
      ['mutation y', 'query x', 'subscription z'],
    ],
    ['skipped ones too', '{ a @skip(if: true) }', ['query a']],
    ['not those of unused fragments', '{ a } fragment f on Query { b }', ['query a']],
    ['not those of fragments that do not exist', '{ a ...nowhere }', ['query a']],
    ['introspection too', '{ __schema { types { name } } __typename }', ['query __schema', 'query __typename']],
    ['none without an operation', 'fragment f on Query { a }', []],
  ])('are %s', (_, text, expected) => {
    expect(fieldsOf(text)).toEqual(expected);
  });
});

describe('a document is limited', () => {
  const queries = (count: number) => Array.from({ length: count }, (_, index) => `query q${index} { a }`).join(' ');
  const nested = (levels: number) => `{ a(of: ${'['.repeat(levels)}${']'.repeat(levels)}) }`;
  const long = `{ ${'a '.repeat(2_000)} }`;

  test('to 100 operations', () => {
    expect(cache().get(queries(100)).operations).toHaveLength(100);
    expect(() => cache().get(queries(101))).toThrow('the document has more than 100 operations');
  });

  test('to 500 brackets within each other', () => {
    const documents = new DocumentCache(10_000);
    expect(documents.get(nested(498)).operations).toHaveLength(1);
    expect(() => documents.get(nested(499))).toThrow('the document is nested too deeply');
  });

  test('in its tokens and operations unless it is trusted', () => {
    const trusting = new DocumentCache(1_000, undefined, new Set([long, queries(101)]));
    expect(trusting.get(long).tokens).toBeGreaterThan(2_000);
    expect(trusting.get(queries(101)).operations).toHaveLength(101);
    expect(() => trusting.get(`${long} `)).toThrow('the document has more than 1000 tokens');
  });
});

describe('a document', () => {
  /** One that its caller may send. */
  const sent = (documents: DocumentCache, text: string, isPublic = false) => {
    const document = documents.get(text);
    documents.keep(text, document, isPublic);
    return document;
  };

  test('is parsed once', () => {
    const documents = cache();
    const first = sent(documents, '{ a }');
    expect(documents.get('{ a }')).toBe(first);
    expect(documents.get('{ a  }')).not.toBe(first);
  });

  test('is parsed each time for callers who may not send it', () => {
    const documents = cache();
    expect(documents.get('{ a }')).not.toBe(documents.get('{ a }'));
  });

  test('is forgotten when two thousand others were used after it', () => {
    const documents = cache();
    const [kept, forgotten] = [sent(documents, '{ kept }'), sent(documents, '{ forgotten }')];
    for (let i = 0; i < 1_999; i++) {
      sent(documents, `{ f${i} }`);
      documents.get('{ kept }');
    }
    expect(documents.get('{ kept }')).toBe(kept);
    expect(documents.get('{ forgotten }')).not.toBe(forgotten);
    expect(sent(documents, '{ forgotten }')).toBe(documents.get('{ forgotten }'));
  });

  test('is forgotten when others hold eight million characters', () => {
    const documents = cache();
    const first = sent(documents, '{ first }');
    for (let i = 0; i < 9; i++) sent(documents, `{ f${i} } #${'x'.repeat(1_000_000)}`);
    expect(documents.get('{ first }')).not.toBe(first);
  });

  test('is forgotten when others hold two hundred thousand tokens', () => {
    const documents = cache();
    const first = sent(documents, '{ first }');
    for (let i = 0; i < 250; i++) sent(documents, `{ ${'a '.repeat(900)} } #${i}`);
    expect(documents.get('{ first }')).not.toBe(first);
    expect(documents.get(`{ ${'a '.repeat(900)} } #249`).isKept).toBe(true);
  });

  test('is not pushed out by those that need no token', () => {
    const documents = cache();
    const [ours, anybodys] = [sent(documents, '{ ours }'), sent(documents, '{ anybodys }', true)];
    for (let i = 0; i < 2_000; i++) sent(documents, `{ f${i} }`, true);
    expect(documents.get('{ ours }')).toBe(ours);
    expect(documents.get('{ anybodys }')).not.toBe(anybodys);
  });

  test('that is none is refused each time', () => {
    const documents = cache();
    expect(() => documents.get('{')).toThrow(GraphQLError);
    expect(() => documents.get('{')).toThrow(/Syntax Error/);
  });
});
