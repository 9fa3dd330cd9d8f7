import { UNSEEN_JOINER } from '../use-cases/legible-name.ts';
import type { Outcome } from './command.ts';

/** Moves the cursor of the operator's terminal, changes the order of what is beside it, or is not seen. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** Of these, names may have the joiners where they are seen. */
const UNPRINTABLE_IN_TABLES = new RegExp(
  String.raw`${UNSEEN_JOINER.source}|(?![\u200c\u200d])${UNPRINTABLE.source}`,
  'gu',
);

/** A value in a table: lists with commas, dates in ISO 8601, nothing as a dash. */
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

/** A list, as a table for people whose columns are those of the first row. */
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

/** Something that was done: the sentence for people, the facts for programs. */
export function messageOutcome(text: string, json: Readonly<Record<string, unknown>>): Outcome {
  return { json, text };
}

/** A result for programs, which a terminal may show too: the same JSON, with escapes for what is not printable. */
export function printableJson(json: unknown): string {
  return JSON.stringify(json).replace(UNPRINTABLE, (characters) =>
    // A character beyond U+FFFF is two escapes (RFC 8259, section 7).
    Array.from({ length: characters.length }, (_, unit) => escapeOf(characters.charCodeAt(unit))).join(''),
  );
}

function escapeOf(unit: number): string {
  return `\\u${unit.toString(16).padStart(4, '0')}`;
}
