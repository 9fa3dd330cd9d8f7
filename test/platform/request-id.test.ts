import type { IncomingMessage } from 'node:http';
import { describe, expect, test } from '@jest/globals';
import { requestIdOf } from '../../platform/index.ts';

const idOf = (header?: string | string[]) =>
  requestIdOf({ headers: header === undefined ? {} : { 'x-request-id': header } } as unknown as IncomingMessage);
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

describe('a request id', () => {
  test.each(['a', 'A-1_b.c:d', 'x'.repeat(128), '00000000-0000-4000-8000-000000000000'])('is taken over: %s', (id) => {
    expect(idOf(id)).toBe(id);
  });

  test.each([undefined, '', 'x'.repeat(129), 'a b', 'a\nb', 'a\u0000', '{"a":1}', 'é', 'a/b', ['a', 'b']])(
    'is generated in place of %p',
    (id) => {
      expect(idOf(id)).toMatch(UUID);
    },
  );

  test('that is made is another one each time', () => {
    expect(new Set(Array.from({ length: 100 }, () => idOf())).size).toBe(100);
  });
});
