import { describe, expect, test } from '@jest/globals';
import { hashSync } from 'bcryptjs';
import { readImport } from '../../../auth-service/cli/import-file.ts';

const MAX_COST = 15;
const HASH = hashSync('x', 4);
const HEADER = 'username,password_hash,disabled';

const named = (text: string) => readImport(text, MAX_COST).users.map(({ username }) => username);
const problemsOf = (text: string) => readImport(text, MAX_COST).problems;

describe('a CSV file of users', () => {
  test.each([
    ['commas, quotes and line breaks within quotes', `"a, ""b""\nc",${HASH},`, ['a, "b"\nc']],
    ['line breaks of Windows and none at the end', `one,${HASH},\r\ntwo,${HASH},`, ['one', 'two']],
    ['lines that are empty', `\none,${HASH},\n\n`, ['one']],
    ['a last cell that is empty in quotes', `one,${HASH},""`, ['one']],
    ['a last cell that is empty', `one,${HASH},`, ['one']],
  ])('may hold %s', (_what, rows, usernames) => {
    expect(readImport(`${HEADER}\n${rows}`, MAX_COST).problems).toEqual([]);
    expect(named(`${HEADER}\n${rows}`)).toEqual(usernames);
  });

  test.each([
    ['is never closed', `"one,${HASH},`],
    ['stands in the middle of a cell', `o"ne,${HASH},`],
    ['is followed by more', `"one"more,${HASH},`],
    ['is doubled at the end', `"one"",${HASH},`],
  ])('is refused from the line on where a quote %s', (_what, row) => {
    expect(problemsOf(`${HEADER}\nzero,${HASH},\n${row}`)).toEqual([expect.stringMatching(/^line 3: /)]);
  });

  test('is refused in the same way when so much follows the quote that it might all be one cell', () => {
    const rest = `somebody,${HASH},\n`.repeat(150_000);

    expect(problemsOf(`${HEADER}\n"one,${HASH},\n${rest}`)).toEqual([expect.stringMatching(/^line 2: /)]);
  });
});

test.each([
  ['salt', 28],
  ['hash', 59],
])('a bcrypt hash whose %s ends in unused bits is rejected, since it would match no password', (_part, at) => {
  const alphabet = './ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
  const other = alphabet[alphabet.indexOf(HASH[at] ?? '') + 1];
  const hash = HASH.slice(0, at) + other + HASH.slice(at + 1);

  expect(problemsOf(JSON.stringify({ username: 'one', password_hash: HASH }))).toEqual([]);
  expect(problemsOf(JSON.stringify({ username: 'one', password_hash: hash }))).toEqual([
    expect.stringContaining('password_hash: expected a bcrypt hash'),
  ]);
});
