import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { prefixSearch } from '../../../auth-service/use-cases/administration/prefix-ranges.ts';
import { codePoint } from '../../code-point.ts';

const bytes = (text: string) => Buffer.from(text, 'utf8');

/** Whether the search would find the name: in one of its ranges, in the order of bytes, with the rest behind it. */
function finds(search: string, name: string): boolean {
  const { ranges, rest, rangeLength } = prefixSearch(search);
  const isInRange = ranges.some(
    ({ low, high }) => bytes(name).compare(bytes(low)) >= 0 && bytes(name).compare(bytes(high)) < 0,
  );
  const behind = [...name].slice(rangeLength, rangeLength + [...rest].length).join('');
  return isInRange && behind.toLowerCase() === rest.toLowerCase();
}

test('a search finds its prefix in upper, lower and mixed case, and nothing before or behind it', () => {
  for (const name of ['alice', 'ALICE', 'aLiCe', 'Alice Smith', 'alice\u{10fffe}'])
    expect(finds('Alice', name)).toBe(true);
  for (const name of ['alic', 'alicf', 'bob', 'xalice', 'al ice', '']) expect(finds('Alice', name)).toBe(false);
});

test('a long prefix has no more ranges than a short one, and its end counts too', () => {
  const { ranges, rest, rangeLength } = prefixSearch('christopher');

  expect([ranges.length, rangeLength, rest]).toEqual([64, 6, 'opher']);
  expect([finds('christopher', 'CHRISTOPHER Robin'), finds('christopher', 'christopherus')]).toEqual([true, true]);
  expect(finds('christopher', 'christina')).toBe(false);
  // Digits have no case, so that numbers are found by one range each.
  expect(prefixSearch('0123456789').ranges).toEqual([{ low: '0123456789', high: '012345678:' }]);
});

test('the last characters of all have a range too, or an end that is before them', () => {
  expect(prefixSearch('a\ud7ff').ranges).toContainEqual({ low: 'a\ud7ff', high: 'a\ue000' });
  expect(prefixSearch('1\u{10ffff}').ranges).toEqual([{ low: '1\u{10ffff}', high: '2' }]);
});

test('what begins with the search is found, whatever the characters are', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: codePoint, minLength: 1, maxLength: 12 }),
      fc.string({ unit: codePoint, maxLength: 6 }),
      (search, more) => {
        fc.pre(![...search].every((character) => character === '\u{10ffff}'));
        expect(finds(search, search + more)).toBe(true);
      },
    ),
  );
});
