import { expect, test } from '@jest/globals';
import { parseType } from 'graphql';
import { readTextValue } from '../../../gateway/transports/rest/url-values.ts';

// With an expression that looks for the last zeros it would take longer than a test may.
test('a number of millions of digits is read in one go', () => {
  const digits = `1${'0'.repeat(4_000_000)}1`;
  expect(readTextValue(digits, parseType('numeric'), () => 'scalar')).toBe(digits);
});
