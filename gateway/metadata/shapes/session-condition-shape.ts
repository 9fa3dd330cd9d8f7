import { z } from 'zod';
import { isJsonObject, suggestion } from '../../../platform/index.ts';
import { decimalNumber, MAX_DIGITS, type NumberOperator, type SessionCondition } from '../../access/variables/index.ts';
import type { ValuePath } from '../yaml/index.ts';

/** Portico's own: a condition on session variables, such as `x-hasura-plan: { _in: [pro, team] }`. */
export const sessionCondition = z.unknown().transform((value, context): SessionCondition => {
  const problems: { readonly path: ValuePath; readonly message: string }[] = [];
  const condition = conditionOf(value, [], (path, message) => problems.push({ path, message }));
  for (const { path, message } of problems)
    context.issues.push({ code: 'custom', input: value, path: [...path], message });
  return condition;
});

type Report = (path: ValuePath, message: string) => void;

/** Stands for a condition that has a problem. The metadata is then refused. */
const NEVER: SessionCondition = { kind: 'any', conditions: [] };

const COMBINATIONS = ['_and', '_or', '_not'];
const VARIABLE = /^x-hasura-[\w-]+$/i;
const EXAMPLE = 'such as x-hasura-plan: { _in: [pro, team] }';

function conditionOf(value: unknown, path: ValuePath, report: Report): SessionCondition {
  if (!isJsonObject(value) || Object.keys(value).length === 0) {
    report(path, `expected a condition on a session variable, ${EXAMPLE}`);
    return NEVER;
  }
  const conditions = Object.entries(value).map(([key, inner]) => memberOf(key, inner, [...path, key], report));
  return together(conditions);
}

function memberOf(key: string, value: unknown, path: ValuePath, report: Report): SessionCondition {
  if (key === '_not') return { kind: 'not', condition: conditionOf(value, path, report) };
  if (key === '_and' || key === '_or') {
    if (Array.isArray(value) && value.length > 0) {
      const conditions = value.map((item, index) => conditionOf(item, [...path, index], report));
      return { kind: key === '_and' ? 'all' : 'any', conditions };
    }
    report(path, 'expected a list of at least one condition');
    return NEVER;
  }
  if (VARIABLE.test(key)) return variableCondition(key.toLowerCase(), value, path, report);
  report(path, unknownMember(key));
  return NEVER;
}

function unknownMember(key: string): string {
  if (Object.hasOwn(OPERATORS, key))
    return `the operator "${key}" is written below the name of a session variable, ${EXAMPLE}`;
  if (key.startsWith('_'))
    return `unknown key "${key}"${suggestion(key, COMBINATIONS) || `: expected one of ${COMBINATIONS.join(', ')}`}`;
  return `"${key}" is not a session variable, whose name begins with "x-hasura-" and has letters, digits, - and _ only`;
}

function variableCondition(variable: string, value: unknown, path: ValuePath, report: Report): SessionCondition {
  if (!isJsonObject(value) || Object.keys(value).length === 0) {
    const meant = isScalar(value) ? `{ _eq: ${String(value)} }` : `operators such as { _eq: pro }`;
    report(path, `expected ${meant}`);
    return NEVER;
  }
  const conditions = Object.entries(value).map(([operator, operand]): SessionCondition => {
    const read = Object.hasOwn(OPERATORS, operator) ? OPERATORS[operator] : undefined;
    const found = read ? read(operand, variable) : unknownOperator(operator);
    if (typeof found !== 'string') return found;
    report([...path, operator], found);
    return NEVER;
  });
  return together(conditions);
}

function unknownOperator(name: string): string {
  const meant = name === '_exists' ? ': did you mean "_is_null"?' : suggestion(name, OPERATOR_NAMES);
  return `unknown operator "${name}"${meant || `: expected one of ${OPERATOR_NAMES.join(', ')}`}`;
}

/** Reads the operand of an operator. Returns the problem if it does not fit. */
type Operator = (operand: unknown, variable: string) => SessionCondition | string;

const textOperator =
  (kind: 'one-of' | 'none-of'): Operator =>
  (operand, variable) => {
    const text = textOf(operand);
    return typeof text === 'string' ? { kind, variable, values: [text] } : text.problem;
  };

const listOperator =
  (kind: 'one-of' | 'none-of' | 'contains', mayBeSingle: boolean): Operator =>
  (operand, variable) => {
    const items = mayBeSingle && isScalar(operand) ? [operand] : operand;
    if (!Array.isArray(items) || items.length === 0) {
      const expected = mayBeSingle ? 'a text, or a list of at least one text' : 'a list of at least one text';
      return isScalar(operand) ? `expected a list: [${String(operand)}]` : `expected ${expected}`;
    }
    const texts = items.map(textOf);
    const wrong = texts.find((text) => typeof text !== 'string');
    if (wrong) return wrong.problem;
    return { kind, variable, values: texts.filter((text) => typeof text === 'string') };
  };

const numberOperator =
  (operator: NumberOperator): Operator =>
  (than, variable) => {
    if (typeof than !== 'number') return 'expected a number';
    // Session variables with more digits are not numbers either.
    if (decimalNumber(String(than)) === undefined) return `expected a number of at most ${MAX_DIGITS} digits`;
    return { kind: 'number', variable, operator, than };
  };

const OPERATORS: Readonly<Record<string, Operator>> = {
  _eq: textOperator('one-of'),
  _ne: textOperator('none-of'),
  _in: listOperator('one-of', false),
  _nin: listOperator('none-of', false),
  _gt: numberOperator('_gt'),
  _gte: numberOperator('_gte'),
  _lt: numberOperator('_lt'),
  _lte: numberOperator('_lte'),
  _contains: listOperator('contains', true),
  _is_null: (isNull, variable) =>
    typeof isNull === 'boolean' ? { kind: 'null', variable, isNull } : 'expected true or false',
};
const OPERATOR_NAMES = Object.keys(OPERATORS);

/** Returns the text that a session variable is compared with. Numbers and booleans stand for their texts. */
function textOf(value: unknown): string | { readonly problem: string } {
  if (typeof value === 'string') {
    if (!VARIABLE.test(value)) return value;
    return { problem: 'session variables cannot be compared with each other: expected a fixed text' };
  }
  if (typeof value === 'boolean') return String(value);
  if (typeof value !== 'number') return { problem: 'expected a text, a number, true or false' };
  return Math.abs(value) <= Number.MAX_SAFE_INTEGER
    ? String(value)
    : { problem: 'a number this large loses digits: write it in quotes' };
}

function isScalar(value: unknown): value is string | number | boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}

function together(conditions: readonly SessionCondition[]): SessionCondition {
  const [only] = conditions;
  return only && conditions.length === 1 ? only : { kind: 'all', conditions };
}
