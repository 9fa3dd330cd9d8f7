import { listItems } from './list-variable.ts';

/** A condition on session variables, as plain data. The names of variables are in lower case. */
export type SessionCondition =
  | { readonly kind: 'all'; readonly conditions: readonly SessionCondition[] }
  | { readonly kind: 'any'; readonly conditions: readonly SessionCondition[] }
  | { readonly kind: 'not'; readonly condition: SessionCondition }
  | { readonly kind: 'null'; readonly variable: string; readonly isNull: boolean }
  | {
      /** The text is one of the values, or none of them. */
      readonly kind: 'one-of' | 'none-of';
      readonly variable: string;
      readonly values: readonly string[];
    }
  | { readonly kind: 'number'; readonly variable: string; readonly operator: NumberOperator; readonly than: number }
  | { readonly kind: 'contains'; readonly variable: string; readonly values: readonly string[] };

export type NumberOperator = '_gt' | '_gte' | '_lt' | '_lte';

/** The conditions of fields, by `Type.field`. All conditions of a field must hold. */
export type FieldConditions = ReadonlyMap<string, readonly SessionCondition[]>;

type SessionVariables = Readonly<Record<string, string>>;

/** Whether a condition holds for the variables of a session. What cannot be decided does not hold. */
export function holds(condition: SessionCondition, variables: SessionVariables): boolean {
  return outcome(condition, variables) === true;
}

/** The names of the session variables that a condition reads, each once. */
export function conditionVariables(condition: SessionCondition): readonly string[] {
  if (condition.kind === 'not') return conditionVariables(condition.condition);
  if (condition.kind === 'all' || condition.kind === 'any')
    return [...new Set(condition.conditions.flatMap(conditionVariables))];
  return [condition.variable];
}

/**
 * Decides a condition in three-valued logic, as SQL does. Undefined means undecided: the variable is missing, or it is
 * not a number or a list although the operator needs one. `_not` of undecided is undecided, so a missing variable never
 * satisfies a negated condition either.
 */
function outcome(condition: SessionCondition, variables: SessionVariables): boolean | undefined {
  if (condition.kind === 'all' || condition.kind === 'any')
    return combined(condition.conditions, variables, condition.kind === 'any');
  if (condition.kind === 'not') {
    const inner = outcome(condition.condition, variables);
    return inner === undefined ? undefined : !inner;
  }
  const { variable } = condition;
  const text = Object.hasOwn(variables, variable) ? variables[variable] : undefined;
  if (condition.kind === 'null') return (text === undefined) === condition.isNull;
  if (text === undefined) return undefined;
  switch (condition.kind) {
    case 'one-of':
      return condition.values.includes(text);
    case 'none-of':
      return !condition.values.includes(text);
    case 'number': {
      const number = decimalNumber(text);
      return number === undefined ? undefined : compared(number, condition.operator, condition.than);
    }
    case 'contains': {
      const items = listItems(text);
      return items && condition.values.every((value) => items.includes(value));
    }
  }
}

/** @param deciding the outcome of one condition that decides the whole: true for `_or`, false for `_and`. */
function combined(
  conditions: readonly SessionCondition[],
  variables: SessionVariables,
  deciding: boolean,
): boolean | undefined {
  let isUndecided = false;
  for (const condition of conditions) {
    const one = outcome(condition, variables);
    if (one === deciding) return deciding;
    isUndecided ||= one === undefined;
  }
  return isUndecided ? undefined : !deciding;
}

/** The most digits of a number that a double represents exactly. */
export const MAX_DIGITS = 15;
const DECIMAL = /^-?\d+(?:\.\d+)?$/;

/** Reads a plain decimal number. Other notations, such as `1e3`, and numbers that would be rounded are not numbers. */
export function decimalNumber(text: string): number | undefined {
  // The sign and the point do not count.
  if (text.length > MAX_DIGITS + 2 || !DECIMAL.test(text)) return undefined;
  return text.replace(/[-.]/g, '').length > MAX_DIGITS ? undefined : Number(text);
}

function compared(number: number, operator: NumberOperator, than: number): boolean {
  if (operator === '_gt') return number > than;
  if (operator === '_gte') return number >= than;
  return operator === '_lt' ? number < than : number <= than;
}
