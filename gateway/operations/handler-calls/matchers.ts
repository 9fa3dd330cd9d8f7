import { isJsonObject } from '../../../platform/index.ts';

/** A difference between an expected and an actual value. */
export interface Difference {
  /** Such as `items[0].price`. Empty for the value itself. */
  readonly path: string;
  readonly problem: string;
}

const MATCHED_TYPES = ['string', 'number', 'integer', 'boolean', 'list', 'object', 'null'] as const;

type MatchedType = (typeof MATCHED_TYPES)[number];

/** A longer text is not searched, because an expression may take exponential time for it. */
const MAX_MATCHED_TEXT = 10_000;
const MAX_DIFFERENCES = 20;

/**
 * Compares a value with an expectation. An object with one key is a matcher: `{ $any: true }` for any value,
 * `{ $type: string }` for any value of a type, `{ $regex: '^\d+$' }` for a text. GraphQL names cannot begin with `$`.
 * An absent field equals null, because the gateway returns null for both.
 */
export function differencesBetween(expected: unknown, actual: unknown): readonly Difference[] {
  const found: Difference[] = [];
  compare(expected, actual, '', found);
  return found.slice(0, MAX_DIFFERENCES);
}

/** Returns the problems with the matchers of an expectation. */
export function matcherProblems(expected: unknown, path = ''): readonly string[] {
  const problem = matcherProblem(expected);
  if (problem !== undefined) return [`${path === '' ? '' : `${path}: `}${problem}`];
  if (Array.isArray(expected)) return expected.flatMap((item, index) => matcherProblems(item, `${path}[${index}]`));
  if (!isJsonObject(expected) || matcherIn(expected)) return [];
  return Object.entries(expected).flatMap(([key, value]) => matcherProblems(value, at(path, key)));
}

function matcherProblem(expected: unknown): string | undefined {
  if (!isJsonObject(expected)) return undefined;
  const key = Object.keys(expected).find((one) => one.startsWith('$'));
  if (key === undefined) return undefined;
  const value = expected[key];
  if (Object.keys(expected).length > 1) return `expected ${key} to be the only key`;
  if (key === '$any') return value === true ? undefined : 'expected $any: true';
  if (key === '$type')
    return MATCHED_TYPES.includes(value as MatchedType)
      ? undefined
      : `$type: expected one of ${MATCHED_TYPES.join(', ')}`;
  if (key !== '$regex') return `unknown matcher ${key}: expected $any, $type or $regex`;
  if (typeof value !== 'string') return '$regex: expected a text';
  try {
    new RegExp(value, 'u');
    return undefined;
  } catch (error) {
    return `$regex: ${(error as Error).message}`;
  }
}

/** Returns the only entry of a matcher. */
function matcherIn(expected: Readonly<Record<string, unknown>>): readonly [string, unknown] | undefined {
  const [entry, ...others] = Object.entries(expected);
  return entry?.[0].startsWith('$') && others.length === 0 ? entry : undefined;
}

function compare(expected: unknown, actual: unknown, path: string, found: Difference[]): void {
  if (found.length >= MAX_DIFFERENCES) return;
  const report = (problem: string) => found.push({ path, problem });
  if (Array.isArray(expected)) {
    if (!Array.isArray(actual)) report(`expected a list, found ${shown(actual)}`);
    else if (actual.length !== expected.length) report(`expected ${expected.length} items, found ${actual.length}`);
    else for (const [index, item] of expected.entries()) compare(item, actual[index], `${path}[${index}]`, found);
    return;
  }
  if (!isJsonObject(expected)) {
    if ((expected ?? null) !== (actual ?? null)) report(`expected ${shown(expected)}, found ${shown(actual)}`);
    return;
  }
  const matcher = matcherIn(expected);
  if (matcher) {
    if (!matches(matcher, actual)) report(`expected ${matcher[0]}: ${shown(matcher[1])}, found ${shown(actual)}`);
    return;
  }
  if (!isJsonObject(actual)) {
    report(`expected an object, found ${shown(actual)}`);
    return;
  }
  const keys = new Set([...Object.keys(expected), ...Object.keys(actual)]);
  for (const key of keys) compare(ownValue(expected, key), ownValue(actual, key), at(path, key), found);
}

function ownValue(object: Readonly<Record<string, unknown>>, key: string): unknown {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

function matches([name, value]: readonly [string, unknown], actual: unknown): boolean {
  if (name === '$any') return true;
  if (name === '$type') return isOfType(actual ?? null, value as MatchedType);
  if (typeof actual !== 'string' || actual.length > MAX_MATCHED_TEXT) return false;
  return new RegExp(value as string, 'u').test(actual);
}

function isOfType(value: unknown, type: MatchedType): boolean {
  switch (type) {
    case 'null':
      return value === null;
    case 'list':
      return Array.isArray(value);
    case 'object':
      return isJsonObject(value);
    case 'integer':
      return Number.isInteger(value);
    default:
      return typeof value === type;
  }
}

const MAX_SHOWN = 100;

function shown(value: unknown): string {
  if (value === undefined) return 'nothing';
  const text = JSON.stringify(value);
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text;
}

function at(path: string, key: string): string {
  return path === '' ? key : `${path}.${key}`;
}
