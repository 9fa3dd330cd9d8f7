import type { Outcome } from './command.ts';

/** A value in a table: lists with commas, dates in ISO 8601, nothing as a dash. */
function cell(value: unknown): string {
  if (value === null || value === undefined || value === '') return '-';
  if (value instanceof Date) return value.toISOString();
  if (Array.isArray(value)) return value.length > 0 ? value.join(',') : '-';
  if (typeof value === 'object')
    return (
      Object.entries(value)
        .map(([name, text]) => `${name}=${text}`)
        .join(' ') || '-'
    );
  // Whatever stands in the database, it cannot move the cursor of the operator's terminal.
  return String(value).replace(/\p{Cc}/gu, '�');
}

/** A list, as a table for people whose columns are those of the first row. */
export function list(rows: readonly Readonly<Record<string, unknown>>[]): Outcome {
  const [first] = rows;
  if (!first) return { json: rows, text: 'none' };
  const names = Object.keys(first);
  const lines = [names, ...rows.map((row) => names.map((name) => cell(row[name])))];
  const widths = names.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  const text = lines.map((line) =>
    line
      .map((part, column) => part.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
  return { json: rows, text: text.join('\n') };
}

/** Something that was done: the sentence for people, the facts for programs. */
export function done(text: string, json: Readonly<Record<string, unknown>>): Outcome {
  return { json, text };
}
