import { z } from 'zod';
import { importedHash, MIN_BCRYPT_COST } from '../passwords/index.ts';
import { type NewUser, normalizeUsername, readRoleSet } from '../use-cases/index.ts';
import { DEFAULT_ROLES } from './subjects.ts';

/** The most problems that are described. Further ones are only counted. */
export const MAX_SHOWN_PROBLEMS = 20;

export type ImportedUser = Omit<NewUser, 'tenantId'>;

/** The content of an import file. A problem names its line and never repeats its text. */
export interface Import {
  users: ImportedUser[];
  /** The number of lines that cannot be imported. */
  refused: number;
  /** Whether the end of the last refused line cannot be found. The lines after it are then not read. */
  truncated: boolean;
  /** The reasons for the first refused lines, or why the whole file is invalid. */
  problems: string[];
}

const record = z.strictObject({
  username: z.string(),
  password_hash: z.string(),
  roles: z.array(z.string()).optional(),
  default_role: z.string().optional(),
  disabled: z.boolean().optional(),
});

type Line = { number: number; value: unknown; isLast?: boolean };

/**
 * Reads users from JSON lines if the file begins with a brace, otherwise from CSV (RFC 4180) with a header line. Password
 * hashes have a cost of at most `maxCost`.
 */
export function readImport(text: string, maxCost: number): Import {
  const lines = text
    .replace(/^\ufeff/, '')
    .trimStart()
    .startsWith('{')
    ? jsonLines(text)
    : csvLines(text);
  const users: ImportedUser[] = [];
  const problems: string[] = [];
  let refused = 0;
  const names = new Set<string>();
  const refuse = (number: number, why: string) => {
    refused += 1;
    if (problems.length < MAX_SHOWN_PROBLEMS) problems.push(`line ${number}: ${why}`);
  };
  for (const { number, value } of lines) {
    const user = importedUserOf(value, maxCost);
    if (typeof user === 'string') refuse(number, user);
    else if (names.has(user.username)) refuse(number, 'the username is there twice');
    else {
      names.add(user.username);
      users.push(user);
    }
  }
  if (users.length === 0 && refused === 0) problems.push('standard input contains no users');
  return { users, refused, truncated: lines.at(-1)?.isLast ?? false, problems };
}

/** Returns the user, or the problem. */
function importedUserOf(value: unknown, maxCost: number): ImportedUser | string {
  if (typeof value === 'string') return value;
  const parsed = record.safeParse(value);
  if (!parsed.success) {
    const { path, code } = parsed.error.issues[0] ?? { path: [], code: undefined };
    if (code === 'unrecognized_keys')
      return 'expected no more than username, password_hash, roles, default_role, disabled';
    return `${path[0] === undefined ? 'the line' : String(path[0])} is missing or of the wrong kind`;
  }
  const { username, password_hash, roles = DEFAULT_ROLES, default_role, disabled = false } = parsed.data;
  const name = normalizeUsername(username);
  const passwordHash = importedHash(password_hash, maxCost);
  if (!name) return 'username: expected 1 to 255 characters';
  if (!passwordHash)
    return `password_hash: expected a bcrypt hash ($2a$, $2b$ or $2y$) of a cost from ${MIN_BCRYPT_COST} to ${maxCost}`;
  try {
    return { username: name, passwordHash, disabled, ...readRoleSet(roles, default_role) };
  } catch (error) {
    return (error as Error).message;
  }
}

function jsonLines(text: string): Line[] {
  return text.split(/\r?\n/).flatMap((line, index) => {
    if (line.trim() === '') return [];
    try {
      return [{ number: index + 1, value: JSON.parse(line.replace(/^\ufeff/, '')) as unknown }];
    } catch {
      return [{ number: index + 1, value: 'expected a JSON object' }];
    }
  });
}

function csvLines(text: string): Line[] {
  const [header, ...rows] = csvRows(text.replace(/^\ufeff/, ''));
  if (!header) return [];
  const names = header.cells.map((name) => name.trim());
  return rows.map(({ number, cells, isBroken }) => {
    if (isBroken) return { number, value: 'a quote is misplaced: the rest cannot be read', isLast: true };
    if (cells.length !== names.length) return { number, value: 'expected as many values as the header has names' };
    const given = names.map((name, column) => [name, cells[column] ?? ''] as const);
    return { number, value: Object.fromEntries(given.flatMap(([name, cell]) => fromCell(name, cell))) };
  });
}

/** An empty cell counts as absent. Roles are separated by spaces. */
function fromCell(name: string, cell: string): [string, unknown][] {
  if (cell === '') return [];
  if (name === 'roles') return [[name, cell.split(' ').filter(Boolean)]];
  if (name === 'disabled') return [[name, cell === 'true' ? true : cell === 'false' ? false : cell]];
  return [[name, cell]];
}

interface CsvRow {
  number: number;
  cells: string[];
  /** Set for a quote in the middle of a cell, or an unclosed one. The rest of the file cannot be split into lines then. */
  isBroken?: boolean;
}

/** An unquoted cell, and the end of a cell. */
const UNQUOTED_FIELD = /[^",\r\n]*/y;
const FIELD_END = /,|\r?\n|$/y;

function csvRows(text: string): CsvRow[] {
  const rows: CsvRow[] = [];
  let row: CsvRow = { number: 1, cells: [] };
  let position = 0;
  let number = 1;
  while (position < text.length) {
    const after = endOfCell(text, position);
    const end = after === undefined ? undefined : matchAt(FIELD_END, text, after);
    if (after === undefined || end === undefined) return [...rows, { number, cells: [], isBroken: true }];
    const cell = text.slice(position, after);
    row.cells.push(cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell);
    position = after + end.length;
    number += linesIn(cell) + linesIn(end);
    if (end === ',' && position < text.length) continue;
    if (end === ',') row.cells.push('');
    if (row.cells.length > 1 || row.cells[0] !== '') rows.push(row);
    row = { number, cells: [] };
  }
  return rows;
}

/** Returns undefined if the quote is never closed. */
function endOfCell(text: string, start: number): number | undefined {
  if (text[start] !== '"') return start + (matchAt(UNQUOTED_FIELD, text, start) ?? '').length;
  for (let quote = text.indexOf('"', start + 1); quote >= 0; quote = text.indexOf('"', quote + 2))
    if (text[quote + 1] !== '"') return quote + 1;
  return undefined;
}

function matchAt(pattern: RegExp, text: string, position: number): string | undefined {
  pattern.lastIndex = position;
  return pattern.exec(text)?.[0];
}

function linesIn(text: string): number {
  return text.split('\n').length - 1;
}
