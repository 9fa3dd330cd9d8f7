import { CronSyntaxError } from './errors.ts';

/** One of the five fields of a cron expression. */
interface CronField {
  readonly name: string;
  readonly min: number;
  readonly max: number;
  /** Names of the numbers from `min` on, in lower case. */
  readonly names?: readonly string[];
}

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const DAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];

const FIELDS: readonly CronField[] = [
  { name: 'minute', min: 0, max: 59 },
  { name: 'hour', min: 0, max: 23 },
  { name: 'day of month', min: 1, max: 31 },
  { name: 'month', min: 1, max: 12, names: MONTHS },
  // Both 0 and 7 are Sunday.
  { name: 'day of week', min: 0, max: 7, names: DAYS },
];

/** The nicknames that Hasura accepts. */
const NICKNAMES: Readonly<Record<string, string>> = {
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
  '@monthly': '0 0 1 * *',
  '@weekly': '0 0 * * 0',
  '@daily': '0 0 * * *',
  '@hourly': '0 * * * *',
};

const PART = /^(?<from>\*|\d{1,2}|[a-z]{3})(?:-(?<to>\d{1,2}|[a-z]{3}))?(?:\/(?<step>\d{1,2}))?$/;

/**
 * Rewrites an expression as five fields of numbers, `*`, ranges and steps.
 *
 * @throws CronSyntaxError if the expression does not have five valid fields.
 */
export function normalizeExpression(expression: string): string {
  const text = expression.trim().toLowerCase();
  const fields = (NICKNAMES[text] ?? text).split(/[ \t]+/);
  if (fields.length !== FIELDS.length)
    throw notCron(`expected five fields (minute, hour, day of month, month, day of week), found ${fields.length}`);
  return FIELDS.map((field, index) => normalizeField(field, fields[index] as string)).join(' ');
}

function normalizeField(field: CronField, text: string): string {
  return text
    .split(',')
    .map((part) => normalizePart(field, part))
    .join(',');
}

function normalizePart(field: CronField, part: string): string {
  const { from, to, step } = PART.exec(part)?.groups ?? {};
  if (from === undefined || (from === '*' && to !== undefined))
    throw notCron(`expected numbers, ranges, lists and steps in the field ${field.name}`);
  const every = step === undefined ? undefined : Number(step);
  if (every === 0) throw notCron(`the step in the field ${field.name} must not be 0`);
  if (from === '*' && every === undefined) return '*';
  const first = from === '*' ? field.min : numberOf(field, from);
  // "5/10" stands for 5, 15, 25 and so on.
  const last = to !== undefined ? numberOf(field, to) : every !== undefined ? largestOf(field) : first;
  if (last < first) throw notCron(`a range in the field ${field.name} runs backwards`);
  if (every !== undefined && every > last - first) return String(first);
  const range = from === '*' ? '*' : first === last ? String(first) : `${first}-${last}`;
  return every === undefined ? range : `${range}/${every}`;
}

function notCron(message: string): CronSyntaxError {
  return new CronSyntaxError('expression', message);
}

function largestOf({ names, min, max }: CronField): number {
  return names ? min + names.length - 1 : max;
}

function numberOf({ name, min, max, names }: CronField, text: string): number {
  const isNumber = /^\d/.test(text);
  if (!isNumber && !names?.includes(text)) throw notCron(`"${text}" is not a valid name in the field ${name}`);
  const number = isNumber ? Number(text) : min + (names?.indexOf(text) ?? 0);
  if (number < min || number > max) throw notCron(`expected ${min} to ${max} in the field ${name}`);
  return number;
}
