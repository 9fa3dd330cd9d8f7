import { expect, test } from '@jest/globals';
import { parseBaggage } from '../../../platform/telemetry/baggage.ts';

test.each([
  ['a=b', 'a=b'],
  ['a=', 'a='],
  [' a = b\t,\tc=d ', 'a = b,c=d'],
  ['a=b;p;q=r ; s = t', 'a=b;p;q=r ; s = t'],
  ['a=b=c', 'a=b=c'],
  ['a=b,,c=d,', 'a=b,c=d'],
  ['__proto__=x', '__proto__=x'],
])('the members of %j are passed on as %j', (text, kept) => {
  expect(parseBaggage(text)).toBe(kept);
});

test.each([
  'a',
  '=b',
  'a b=c',
  'a=b c',
  'a="b"',
  'a=b\\',
  'a=b;',
  'a=b;=c',
  'a=b;p q',
  'a=\u0000',
  'a=b\r\nx: y',
  'a\u00a0=b',
  '\u00a0a=b',
  'a=ü',
  ';a=b',
])('the invalid member %j is left out, and its neighbours stay', (text) => {
  expect(parseBaggage(`x=1,${text},y=2`)).toBe('x=1,y=2');
});

test('no more than 64 members and 8192 bytes are passed on', () => {
  const members = Array.from({ length: 100 }, (_, index) => `k${index}=v`);
  expect(parseBaggage(members.join(','))).toBe(members.slice(0, 64).join(','));
  expect(parseBaggage(`a=${'x'.repeat(8_000)},b=${'y'.repeat(1_000)},c=d`)).toBe(`a=${'x'.repeat(8_000)},c=d`);
  expect(parseBaggage(`a=${'x'.repeat(20_000)}`)).toBe('');
});

// With an expression that backtracks each of them would take longer than any test may.
test.each([
  ['properties without values between blanks', `a=b${';k '.repeat(5_000)}"`],
  ['blanks before the end', `a=${' '.repeat(16_000)}x"`],
  ['blanks after a property', `a=b;k${' '.repeat(16_000)}"`],
  ['a long key', `${'k'.repeat(16_000)}"`],
  ['equals signs', `a${'='.repeat(16_000)}"`],
])('hostile input is read in one go: %s', (_, text) => {
  expect(parseBaggage(`${text.slice(0, 16_384)}`)).toBe('');
  expect(parseBaggage(text.repeat(2))).toBe('');
});
