import { describe, expect, test } from '@jest/globals';
import { PassthroughBody } from '../../../gateway/upstream/passthrough-body.ts';

const cut = (text: string, size: number): Buffer[] => {
  const bytes = Buffer.from(text);
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
    bytes.subarray(index * size, (index + 1) * size),
  );
};

const MANY_BEGINNINGS = JSON.stringify(Array.from({ length: 200 }, () => ({ a: {}, email: 'x' })));

describe('an answer', () => {
  test.each([
    ['of data', '{"data":{"a":1,"b":{}}}', true],
    ['of data with members that begin like errors', `{"data":{"a":${MANY_BEGINNINGS},"b":{}}}`, true],
    ['with errors before its data', '{"errors":[{"message":"m"}],"data":{"a":null}}', false],
    ['with errors after its data', '{"data":{"a":null},"errors":[{"message":"m"}]}', false],
    ['with errors that are no list', '{"data":{"a":null},"errors":{"message":{}}}', false],
    [
      'with such errors after many members that begin like them',
      `{"data":{"a":${MANY_BEGINNINGS},"b":{}},"errors":{"message":{}}}`,
      false,
    ],
    ['with extensions', '{"data":{"a":1},"extensions":{"cost":{}}}', false],
    ['with extensions before its data', '{"extensions":{},"data":{"a":1}}', false],
    ['without data', '{"data":null}', false],
    ['of nothing', '', false],
  ])('%s is judged alike in one piece and in several', (_, text, expected) => {
    expect(new PassthroughBody([Buffer.from(text)]).isDataOnly()).toBe(expected);
    for (const size of [1, 3, 10, 11, 13, 17, 40, 1000])
      expect(new PassthroughBody(cut(text, size)).isDataOnly()).toBe(expected);
  });
});
