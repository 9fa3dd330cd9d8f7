import { describe, expect, test } from '@jest/globals';
import { render } from './render.ts';

describe('the functions do what Hasura documents', () => {
  test.each([
    [
      '{"object": {{ empty({"a": 1}) }}, "string": {{ empty("") }}, "array": {{ empty([1]) }}}',
      { object: false, string: true, array: false },
    ],
    [
      '{"object": {{ size({"a": 1}) }}, "string": {{ size("asdf") }}, "array": {{ size([1]) }}}',
      { object: 1, string: 4, array: 1 },
    ],
    [
      '{"string": {{ inverse("asdf") }}, "array": {{ inverse([1,2,3]) }}, "number": {{ inverse(4) }}}',
      { string: 'fdsa', array: [3, 2, 1], number: 0.25 },
    ],
    ['{"string": {{ head("asdf") }}, "array": {{ head([1,2,3]) }}}', { string: 'a', array: 1 }],
    ['{"string": {{ tail("asdf") }}, "array": {{ tail([1,2,3]) }}}', { string: 'sdf', array: [2, 3] }],
    ['{"string": {{toCaseFold("AbCd")}}}', { string: 'abcd' }],
    ['{"string": {{toLower("AbCd")}}}', { string: 'abcd' }],
    ['{"string": {{toUpper("AbCd")}}}', { string: 'ABCD' }],
    ['{"string": {{toTitle("AbCd")}}}', { string: 'Abcd' }],
    ['{"array": {{ fromPairs([["a",1],["b",2]]) }}}', { array: { a: 1, b: 2 } }],
    [
      '{"object": {{ toPairs({"a": 1, "b": 2}) }}}',
      {
        object: [
          ['a', 1],
          ['b', 2],
        ],
      },
    ],
    ['{"array": {{ removeNulls([1,null,3,null,5]) }}}', { array: [1, 3, 5] }],
    [
      '{"arrays": {{ concat([[1,2],[3,4]]) }}, "strings": {{ concat(["abc", "def", "g"]) }}, "objects": {{ concat([{"a":1, "b":2},{"b":3, "c":4} ] ) }}}',
      { arrays: [1, 2, 3, 4], strings: 'abcdefg', objects: { a: 1, b: 3, c: 4 } },
    ],
  ])('%s', (template, value) => {
    expect(render(template)).toEqual(value);
  });
});

describe('a function', () => {
  test.each([
    ['toList("[\\"a\\",1,null]")', ['a', '1', null]],
    ['toList("{a, b}")', ['a', 'b']],
    ['toList("{}")', []],
    ['size(toList("{a,b}"))', 2],
    ['empty(null)', true],
    ['empty("  ")', true],
    ['empty(0)', true],
    ['empty(1)', false],
    ['empty({})', true],
    ['size(null)', 0],
    ['size(true)', 1],
    ['size(7)', 7],
    ['size("😀")', 1],
    ['inverse(null)', null],
    ['inverse(false)', true],
    ['inverse({"a": 1})', { a: 1 }],
    ['inverse("a😀b")', 'b😀a'],
    ['head("😀b")', '😀'],
    ['tail("a")', ''],
    ['tail([1])', []],
    ['toCaseFold("STRASSE") == toCaseFold("straße")', true],
    ['toTitle("the quick-brown fox’s ÉTÉ")', 'The Quick-Brown Fox’s Été'],
    ['concat([])', []],
    ['escapeUri("a b/ü?&=!\'()*~")', 'a%20b%2F%C3%BC%3F%26%3D%21%27%28%29%2A~'],
    ['escapeUri 27', '27'],
    ['escapeUri $body.input.username', 'jane'],
    ['getSessionVariable("X-Hasura-User-Id")', 'auth0|7'],
    ["getSessionVariable('x-hasura-role')", 'user'],
    ['toUpper(head($body.input.tags))', 'RED'],
    ['size "abc"', 3],
  ])('%s', (template, value) => {
    expect(render(`{{ ${template} }}`)).toEqual(value);
  });

  test.each([
    ['empty(true)', 'expected a text, a number, a list or an object, found a boolean'],
    ['inverse(0)', '0 has no inverse'],
    ['head([])', 'a list that is empty has no head'],
    ['head("")', 'a text that is empty has no head'],
    ['tail([])', 'a list that is empty has no tail'],
    ['head(1)', 'expected a text or a list, found a number'],
    ['toLower(null)', 'expected a text, found null'],
    ['toPairs([])', 'expected an object, found a list'],
    ['fromPairs([["a"]])', 'expected a list of pairs of a text and a value'],
    ['fromPairs([[1, 2]])', 'expected a list of pairs of a text and a value'],
    ['removeNulls({})', 'expected a list, found an object'],
    ['concat(["a", 1])', 'expected a list of texts, of lists or of objects, all of one kind'],
    ['not(1)', 'expected a boolean, found a number'],
    ['escapeUri([])', 'expected a text, found a list'],
    ['getSessionVariable("x-hasura-org")', 'the session has no such variable'],
    ['getSessionVariable("constructor")', 'the session has no such variable'],
  ])('says what it cannot do: %s', (template, message) => {
    expect(() => render(`{{ ${template} }}`)).toThrow(message);
  });
});
