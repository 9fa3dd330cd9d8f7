import { UNSEEN_JOINER } from '../use-cases/legible-name.ts';
import type { Outcome } from './command.ts';

/** Characters that move the cursor of a terminal, change the direction of neighbouring text, or are invisible. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** Names may contain joiners where they are visible. */
const UNPRINTABLE_IN_TABLES = new RegExp(
  String.raw`${UNSEEN_JOINER.source}|(?![\u200c\u200d])${UNPRINTABLE.source}`,
  'gu',
);

/** Formats a value in a table: lists with commas, dates in ISO 8601, nothing as a dash. */
function formatCell(value: unknown): string {
  return cellText(value).replace(UNPRINTABLE_IN_TABLES, '�') || '-';
}

function cellText(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (value instanceof Date) return value.toISOString();
  if (Array.isArray(value)) return value.join(',');
  if (typeof value !== 'object') return String(value);
  return Object.entries(value)
    .map(([name, text]) => `${name}=${text}`)
    .join(' ');
}

/** Formats a list as a table for people. The first row determines the columns. */
export function listOutcome(rows: readonly Readonly<Record<string, unknown>>[]): Outcome {
  const [first] = rows;
  if (!first) return { json: rows, text: 'none' };
  const names = Object.keys(first);
  const lines = [names, ...rows.map((row) => names.map((name) => formatCell(row[name])))];
  const widths = names.map((_, column) => lines.reduce((most, line) => Math.max(most, line[column]?.length ?? 0), 0));
  const text = lines.map((line) =>
    line
      .map((part, column) => part.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
  return { json: rows, text: text.join('\n') };
}

/** Formats the result of an action: a sentence for people, data for programs. */
export function messageOutcome(text: string, json: Readonly<Record<string, unknown>>): Outcome {
  return { json, text };
}

/** Formats a result as JSON, with escapes for unprintable characters, since a terminal may show it. */
export function printableJson(json: unknown): string {
  return JSON.stringify(json).replace(UNPRINTABLE, (characters) =>
    // A character beyond U+FFFF needs two escapes (RFC 8259, section 7).
    Array.from({ length: characters.length }, (_, unit) => escapeOf(characters.charCodeAt(unit))).join(''),
  );
}

function escapeOf(unit: number): string {
  return `\\u${unit.toString(16).padStart(4, '0')}`;
}
