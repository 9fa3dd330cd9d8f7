import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { z } from 'zod';
import { configurationPage, PROCESSES } from '../../build/configuration-page.ts';
import { setting } from '../../platform/index.ts';

const PAGE = readFileSync('docs/configuration.md', 'utf8');

/** The page with one more setting of the gateway. */
function pageWith(settings: Record<string, z.ZodType>): string {
  return configurationPage(
    PROCESSES.map((each, index) => (index === 0 ? { ...each, groups: { ...each.groups, Planted: settings } } : each)),
  );
}

test('docs/configuration.md is current: npm run docs writes it', () => {
  expect(PAGE).toBe(configurationPage());
});

test('a setting that is added in code makes the page out of date', () => {
  const page = pageWith({
    PORTICO_PLANTED_SECONDS: setting.integer(7, 0, 60, 'seconds').describe('How long a planted thing grows.'),
  });
  expect(page).not.toBe(PAGE);
  expect(page).toContain(
    '| `PORTICO_PLANTED_SECONDS` | integer, 0 to 60 | seconds | `7` | How long a planted thing grows. |',
  );
});

test('a setting needs a description', () => {
  expect(() => pageWith({ PORTICO_PLANTED: setting.flag(false) })).toThrow(
    'settings without a description: PORTICO_PLANTED',
  );
});

test('type and default come from the schema, and are the same on every machine', () => {
  const page = pageWith({
    PORTICO_CHOICE: z.enum(['red', 'green']).default('green').describe('A choice.'),
    PORTICO_NEEDED: setting.httpUrl().describe('An address.'),
    PORTICO_COMPUTED: setting.integer(3, 1, 9).meta({ description: 'Computed.', default: 'number of cores' }),
    PORTICO_BYTES: setting.integer(2_097_152, 1, 9_999_999, 'bytes').describe('A size.'),
    PORTICO_PARSED: z.string().meta({ type: 'JSON' }).transform(Number).optional().describe('Parsed.'),
  });
  expect(page).toContain('| `PORTICO_CHOICE` | `red`, `green` |  | `green` | A choice. |');
  expect(page).toContain('| `PORTICO_NEEDED` | URL |  | required | An address. |');
  expect(page).toContain('| `PORTICO_COMPUTED` | integer, 1 to 9 |  | number of cores | Computed. |');
  expect(page).toContain('| `PORTICO_BYTES` | integer, 1 to 9999999 | bytes | `2097152` (2 MiB) | A size. |');
  expect(page).toContain('| `PORTICO_PARSED` | JSON |  | none | Parsed. |');
});
