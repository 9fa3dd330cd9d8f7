import { describe, expect, test } from '@jest/globals';
import { buildSchema, parse, specifiedRules } from 'graphql';
import { createKnownDocuments } from '../../../auth-service/graph/known-documents.ts';

const schema = buildSchema('type Query { a(text: String): Int }');

function known() {
  const parsed: string[] = [];
  const documents = createKnownDocuments((text) => {
    parsed.push(text);
    return parse(text);
  });
  const ask = (text: string) => documents.validate(schema, documents.parse(text), specifiedRules).length;
  return { ask, parsedTimes: (text: string) => parsed.filter((other) => other === text).length };
}

describe('a document', () => {
  test('that is valid is parsed once', () => {
    const { ask, parsedTimes } = known();

    expect([ask('{ a }'), ask('{ a }')]).toEqual([0, 0]);
    expect(parsedTimes('{ a }')).toBe(1);
  });

  test.each([
    ['is not valid', '{ b }', 1],
    ['holds a text, which may be a password', '{ a(text: "secret") }', 0],
    ['is long', `{ a ${' '.repeat(5_000)} }`, 0],
  ])('that %s is not kept', (_what, text, errors) => {
    const { ask, parsedTimes } = known();

    expect([ask(text), ask(text)]).toEqual([errors, errors]);
    expect(parsedTimes(text)).toBe(2);
  });

  test('that is asked for again and again stays when many others come', () => {
    const { ask, parsedTimes } = known();
    for (let number = 0; number < 1_000; number += 1) {
      ask('{ a }');
      ask(`{ a${number}: a }`);
    }
    ask('{ a0: a }');

    expect(parsedTimes('{ a }')).toBe(1);
    expect(parsedTimes('{ a0: a }')).toBe(2);
  });
});
