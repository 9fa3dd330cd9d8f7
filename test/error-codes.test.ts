import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { ERROR_STATUS } from '../gateway/errors.ts';

const page = readFileSync(join(import.meta.dirname, '../docs/errors.md'), 'utf8');
const rows = page
  .slice(page.indexOf('## All codes'))
  .split('\n')
  .filter((line) => line.startsWith('| `'))
  .map((line) => line.split(' | '))
  .map(([codes = '', statuses = '', remedy = '']) => ({
    codes: [...codes.matchAll(/`([^`]+)`/g)].map(([, code]) => code ?? ''),
    statuses: statuses.split(', ').map(Number),
    remedy,
  }));

test('the page of errors has each code of the gateway once, with what to do', () => {
  expect(rows.flatMap(({ codes }) => codes).sort()).toEqual(Object.keys(ERROR_STATUS).sort());
  for (const { remedy } of rows) expect(remedy).toMatch(/\w{4}/);
});

test('the page of errors has the status of each', () => {
  for (const { codes, statuses } of rows)
    for (const code of codes)
      expect([code, statuses]).toEqual([
        code,
        expect.arrayContaining([ERROR_STATUS[code as keyof typeof ERROR_STATUS]]),
      ]);
});
