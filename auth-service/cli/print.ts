import type { Outcome } from './command.ts';

/** A value in a table: lists with commas, dates in ISO 8601, nothing as a dash. */
function formatCell(value: unknown): string {
  // No value of the database may move the cursor of the operator's terminal, or change the order of what is beside it.
  return cellText(value).replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '�') || '-';
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
