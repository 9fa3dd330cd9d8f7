import { readdirSync, readFileSync } from 'node:fs';
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

/** The statuses that are sent with each code: its own, and those that take its place in single errors. */
function sentStatuses(): ReadonlyMap<string, ReadonlySet<number>> {
  const sent = new Map(Object.entries(ERROR_STATUS).map(([code, status]) => [code, new Set<number>([status])]));
  const gateway = join(import.meta.dirname, '../gateway');
  for (const file of readdirSync(gateway, { recursive: true, encoding: 'utf8' })) {
    if (!file.endsWith('.ts')) continue;
    const source = readFileSync(join(gateway, file), 'utf8');
    for (const [, text = ''] of source.matchAll(/new GatewayError\(([\s\S]*?)\);/g)) {
      const status = /\bstatus: ([^,\s]+)/.exec(text)?.[1];
      if (status === undefined) continue;
      const code = /^\s*'([^']+)'/.exec(text)?.[1];
      // What is not written in place cannot be compared.
      expect([file, code, status]).toEqual([file, expect.any(String), expect.stringMatching(/^\d{3}$/)]);
      sent.get(code as string)?.add(Number(status));
    }
  }
  // REST endpoints tell a service that is too slow from one that is down, see gateway/transports/rest/error-status.ts.
  sent.get('remote-schema-error')?.add(504);
  return sent;
}

test('the page of errors has all statuses of each, and no others', () => {
  const sent = sentStatuses();
  expect([...(sent.get('not-supported') ?? [])].sort()).toEqual([400, 403, 501, 505]);
  for (const { codes, statuses } of rows)
    expect([codes, statuses.toSorted()]).toEqual([
      codes,
      [...new Set(codes.flatMap((code) => [...(sent.get(code) ?? [])]))].sort(),
    ]);
});
