import { expect, test } from '@jest/globals';
import { listOutcome, printableJson } from '../../../auth-service/cli/print.ts';

test('nothing that is listed can move the cursor of a terminal', () => {
  const { text } = listOutcome([
    { name: 'a\u001b[2Jb', roles: ['c\u001b[2Jd', 'e'], claims: { 'f\u001bg': 'h\u0007i' } },
  ]);

  expect(text.split('\n')).toHaveLength(2);
  expect(text.replaceAll('\n', '')).not.toMatch(/\p{Cc}/u);
  expect(text).toContain('c�[2Jd,e');
});

test('nor change the order of what is beside it, or stay unseen', () => {
  const { text } = listOutcome([{ name: '\u202eresu', other: 'ali\u200bce', third: 'a\u2028b' }]);

  expect(text).toContain('�resu  ali�ce  a�b');
});

test('a name is listed as it is, with the joiners that are seen in it', () => {
  const name = 'علی\u200cرضا';

  expect(listOutcome([{ name, other: 'क्\u200dष' }]).text).toContain(`${name}  क्\u200dष`);
  expect(listOutcome([{ name: 'bo\u200cb', other: 'علی\u200d\u200c' }]).text).toContain('bo�b  علی\u200d�');
});

test('JSON has escapes in place of them, and is the same value', () => {
  const value = { name: 'a\u009b2Jb\u202ec\u2028d\u{e0001}', plain: 'zoë 山' };

  expect(printableJson(value)).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}]/u);
  expect(printableJson(value)).toContain('"zoë 山"');
  expect(JSON.parse(printableJson(value))).toEqual(value);
});

test('a list may be as long as it likes', () => {
  const { text } = listOutcome(Array.from({ length: 200_000 }, (_, id) => ({ id })));

  expect(text.endsWith('\n199999')).toBe(true);
});
