import { minuteText } from './since.ts';
import type { UsageSummary } from './summary.ts';
import type { UnusedParts } from './unused.ts';

/** The most clients that a row names. */
const NAMED_CLIENTS = 3;

/** @param limit the most rows of each table. */
export function printUsage(summary: UsageSummary, unused: UnusedParts | undefined, limit: number): string {
  const { from, to, processes, count, unreadableLines, operations, clients, coordinates } = summary;
  if (from === undefined || to === undefined) return 'no usage was recorded';
  return [
    `usage from ${timeText(from)} to ${timeText(to)} (UTC), counted by ${many(processes, 'process', 'processes')}: ${many(count, 'operation', 'operations')} run`,
    ...(unreadableLines > 0 ? [`warning: ${many(unreadableLines, 'line', 'lines')} cannot be read`] : []),
    '',
    ...tableLines(
      ['operation', 'type', 'runs', 'errors', 'last', 'roles', 'clients'],
      operations.map(({ id, name, type, count: runs, errors, last, roles, clients: by }) => [
        name ?? (type === 'other' ? 'other operations' : `(unnamed ${id})`),
        type,
        runs,
        errors,
        timeText(last),
        nameList(roles),
        nameList(by),
      ]),
      limit,
    ),
    '',
    ...tableLines(
      ['client', 'version', 'runs', 'errors', 'operations', 'last'],
      clients.map(({ client, version, count: runs, errors, operations: number, last }) => [
        client ?? '(none)',
        version ?? '',
        runs,
        errors,
        number,
        timeText(last),
      ]),
      limit,
    ),
    '',
    ...tableLines(
      ['used', 'runs', 'operations', 'last', 'clients'],
      coordinates.map(({ coordinate, count: runs, operations: number, last, clients: by }) => [
        coordinate,
        runs,
        number,
        timeText(last),
        nameList(by),
      ]),
      limit,
    ),
    ...(unused ? ['', ...unusedLines(unused)] : []),
  ].join('\n');
}

function unusedLines({ types, fields, arguments: given, inputFields, enumValues }: UnusedParts): readonly string[] {
  const lists = [
    ['type', types],
    ['field', fields],
    ['argument', given],
    ['input field', inputFields],
    ['enum value', enumValues],
  ] as const;
  const lines = lists.flatMap(([kind, names]) => names.map((name) => `unused ${kind}: ${name}`));
  return lines.length > 0 ? lines : ['everything in the schema is used'];
}

/** Formats columns as wide as their content. Numbers are right-aligned. */
function tableLines(
  heads: readonly string[],
  rows: readonly (readonly (string | number)[])[],
  limit: number,
): readonly string[] {
  const shown = rows.slice(0, limit);
  const widths = heads.map((head, column) =>
    Math.max(head.length, ...shown.map((row) => String(row[column] ?? '').length)),
  );
  const isNumber = heads.map((_, column) => shown.length > 0 && typeof shown[0]?.[column] === 'number');
  const line = (cells: readonly (string | number)[]) =>
    cells
      .map((cell, column) =>
        isNumber[column] ? String(cell).padStart(widths[column] ?? 0) : String(cell).padEnd(widths[column] ?? 0),
      )
      .join('  ')
      .trimEnd();
  const more = rows.length - shown.length;
  return [line(heads), ...shown.map(line), ...(more > 0 ? [`and ${more} more: --limit ${rows.length}`] : [])];
}

function nameList(names: readonly string[]): string {
  const more = names.length - NAMED_CLIENTS;
  return names.slice(0, NAMED_CLIENTS).join(', ') + (more > 0 ? ` and ${more} more` : '');
}

function many(count: number, one: string, several: string): string {
  return `${count} ${count === 1 ? one : several}`;
}

function timeText(iso: string): string {
  return minuteText(Date.parse(iso));
}
