import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { jsonbText } from '../../../gateway/jobs/engine/jsonb-text.ts';

test.each<[value: unknown, text: string]>([
  [{ a: 'b\u0000c' }, '{"a":"b\\ufffdc"}'],
  [{ 'k\u0000': 1 }, '{"k\\ufffd":1}'],
  ['\u0000\u0000', '"\\ufffd\\ufffd"'],
  ['\ud800', '"\\ufffd"'],
  ['a\udc00b', '"a\\ufffdb"'],
  ['😀', '"😀"'],
  ['\\u0000', '"\\\\u0000"'],
  ['\\\u0000', '"\\\\\\ufffd"'],
  ['\\\\u0000', '"\\\\\\\\u0000"'],
  ['\u0001\n', '"\\u0001\\n"'],
])('%j is written as %s', (value, text) => {
  expect(jsonbText(value)).toBe(text);
});

test('any text comes back, with U+FFFD in place of what jsonb refuses', () => {
  const unit = fc.constantFrom('\\', 'u', '0', '"', '\u0000', '\ud800', '\udfff', '😀', 'd', '8', 'a');
  fc.assert(
    fc.property(fc.array(fc.string({ unit, maxLength: 12 }), { maxLength: 5 }), (texts) => {
      expect(JSON.parse(jsonbText(texts))).toEqual(
        texts.map((text) => text.toWellFormed().replaceAll('\u0000', '\ufffd')),
      );
    }),
    { seed: 1, numRuns: 1_000 },
  );
});
