import { callFunction, escapeUri } from './functions.ts';
import type { Expression, KeyStep, Operator, TemplateValue } from './syntax.ts';
import { isMap, isTemplateList, kindOf, memberOf, same } from './values.ts';
import type { Work } from './work.ts';

/** The values for evaluating a template. */
export interface Bindings {
  /** The JSON values of the variables that the template was parsed with, such as `$body`. */
  readonly variables: Readonly<Record<string, unknown>>;
  /** Session variables by lower-case name, for `getSessionVariable`. */
  readonly sessionVariables: Readonly<Record<string, string>>;
}

/** One evaluation of a template. */
export interface Evaluation {
  readonly variables: Readonly<Record<string, unknown>>;
  readonly sessionVariables: Readonly<Record<string, string>>;
  readonly work: Work;
}

/** @throws KritiEvaluationError if the values are not what the template expects. */
export function evaluate(expression: Expression, evaluation: Evaluation): TemplateValue {
  const { work } = evaluation;
  work.spend(1, expression.at);
  return work.nested(expression.at, () => resolved(expression, evaluation));
}

function resolved(expression: Expression, evaluation: Evaluation): TemplateValue {
  const { work } = evaluation;
  const { at } = expression;
  const inner = (part: Expression) => evaluate(part, evaluation);
  switch (expression.kind) {
    case 'literal':
      return expression.value;
    case 'text':
      return joinText(
        expression.parts.map((part) => (typeof part === 'string' ? part : insertedText(inner(part), work, part.at))),
        work,
        at,
      );
    case 'list':
      return expression.items.map(inner);
    case 'map':
      return Object.fromEntries(expression.entries.map(([name, value]) => [name, inner(value)]));
    case 'variable':
      return readVariable(expression.name, evaluation, at);
    case 'path':
      return follow(inner(expression.from), expression.steps, evaluation);
    case 'if':
      return inner(chooseBranch(expression, evaluation));
    case 'range':
      return evaluateRange(expression, evaluation);
    case 'call':
      return callFunction(expression.function, inner(expression.argument), {
        sessionVariables: evaluation.sessionVariables,
        work,
        at,
      });
    case 'operation':
      return operate(expression, evaluation);
  }
}

function readVariable(name: string, { variables, work }: Evaluation, at: number): TemplateValue {
  const value = Object.hasOwn(variables, name) ? variables[name] : undefined;
  return value === undefined ? work.fail(`the variable "${name}" has no value`, at) : (value as TemplateValue);
}

function follow(from: TemplateValue, steps: readonly KeyStep[], evaluation: Evaluation): TemplateValue {
  const { work } = evaluation;
  let value = from;
  for (const { key: keyExpression, optional, at } of steps) {
    const key = evaluate(keyExpression, evaluation);
    const found = lookUp(value, key);
    if (optional && (found === undefined || found === null)) return null;
    if (found === undefined) return work.fail(missing(value, key, keyExpression), at);
    value = found;
  }
  return value;
}

function lookUp(value: TemplateValue, key: TemplateValue): TemplateValue | undefined {
  if (isMap(value) && typeof key === 'string') return memberOf(value, key);
  if (isTemplateList(value) && typeof key === 'number') return Number.isInteger(key) ? value[key] : undefined;
  return undefined;
}

/**
 * Describes a missing key. Only a key that the template spells out is named, since a computed one may contain a client's value.
 */
function missing(value: TemplateValue, key: TemplateValue, expression: Expression): string {
  const name = expression.kind === 'literal' || expression.kind === 'text' ? JSON.stringify(key) : kindOf(key);
  if (isMap(value)) return typeof key === 'string' ? `there is no field ${name}` : `an object has no field ${name}`;
  if (isTemplateList(value)) return `the list has no element ${name}`;
  return `expected an object or a list to look ${name} up in, found ${kindOf(value)}`;
}

function chooseBranch(expression: Extract<Expression, { kind: 'if' }>, evaluation: Evaluation): Expression {
  for (const { condition, value } of expression.cases) if (truth(condition, evaluation)) return value;
  return expression.otherwise;
}

function truth(expression: Expression, evaluation: Evaluation): boolean {
  const value = evaluate(expression, evaluation);
  if (typeof value === 'boolean') return value;
  return evaluation.work.fail(`expected a boolean, found ${kindOf(value)}`, expression.at);
}

function evaluateRange(expression: Extract<Expression, { kind: 'range' }>, evaluation: Evaluation): TemplateValue {
  const list = evaluate(expression.over, evaluation);
  if (!isTemplateList(list))
    return evaluation.work.fail(`expected a list to range over, found ${kindOf(list)}`, expression.over.at);
  return list.map((item, index) => {
    const bound = { [expression.item]: item, ...(expression.index !== undefined && { [expression.index]: index }) };
    return evaluate(expression.body, { ...evaluation, variables: { ...evaluation.variables, ...bound } });
  });
}

/** `&&`, `||` and `??` evaluate their right side only if the left one does not decide. */
function operate(expression: Extract<Expression, { kind: 'operation' }>, evaluation: Evaluation): TemplateValue {
  const { operator, left, right, at } = expression;
  if (operator === '&&') return truth(left, evaluation) && truth(right, evaluation);
  if (operator === '||') return truth(left, evaluation) || truth(right, evaluation);
  const one = evaluate(left, evaluation);
  if (operator === '??') return one === null ? evaluate(right, evaluation) : one;
  const two = evaluate(right, evaluation);
  if (operator === '==') return same(one, two, evaluation.work, at);
  if (operator === '!=') return !same(one, two, evaluation.work, at);
  return operator === 'in' ? isIn(one, two, evaluation, at) : compareValues(one, two, operator, evaluation, at);
}

function isIn(one: TemplateValue, two: TemplateValue, { work }: Evaluation, at: number): boolean {
  if (isTemplateList(two)) return two.some((item) => same(one, item, work, at));
  if (!isMap(two)) return work.fail(`expected a list or an object after "in", found ${kindOf(two)}`, at);
  if (typeof one !== 'string') return work.fail(`expected a text before "in", found ${kindOf(one)}`, at);
  return Object.hasOwn(two, one);
}

function compareValues(
  one: TemplateValue,
  two: TemplateValue,
  operator: Operator,
  { work }: Evaluation,
  at: number,
): boolean {
  const comparable =
    (typeof one === 'number' && typeof two === 'number') || (typeof one === 'string' && typeof two === 'string');
  if (!comparable) return work.fail(`cannot compare ${kindOf(one)} and ${kindOf(two)}`, at);
  work.spendOnText(typeof one === 'string' ? one.length : 0, at);
  if (operator === '<') return one < two;
  if (operator === '>') return one > two;
  return operator === '<=' ? one <= two : one >= two;
}

/** Returns a value as part of a text. */
export function insertedText(value: TemplateValue, work: Work, at: number): string {
  if (typeof value === 'object' && value !== null) return work.fail(`cannot put ${kindOf(value)} into a text`, at);
  return String(value);
}

function joinText(parts: readonly string[], work: Work, at: number): string {
  const text = parts.join('');
  work.spendOnText(text.length, at);
  return text;
}

/**
 * Returns the text of a part of a URL. The template's own text and the variables in `trusted` are not escaped. Every other
 * value is, so that it cannot add a path segment, a parameter or a host.
 *
 * @throws KritiEvaluationError, also for a value that is `.` or `..`: escaping cannot keep it from naming another directory.
 */
export function urlText(expression: Expression, evaluation: Evaluation, trusted: ReadonlySet<string>): string {
  const { work } = evaluation;
  const inner = (part: Expression) => work.nested(part.at, () => urlText(part, evaluation, trusted));
  work.spend(1, expression.at);
  switch (expression.kind) {
    case 'literal':
      return insertedText(expression.value, work, expression.at);
    case 'text':
      return joinText(
        expression.parts.map((part) => (typeof part === 'string' ? part : inner(part))),
        work,
        expression.at,
      );
    case 'if':
      return inner(chooseBranch(expression, evaluation));
    case 'operation':
      if (expression.operator === '??')
        return inner(evaluate(expression.left, evaluation) === null ? expression.right : expression.left);
      break;
    case 'call':
      if (expression.function === 'concat' && expression.argument.kind === 'list')
        return joinText(expression.argument.items.map(inner), work, expression.at);
  }
  const text = insertedText(evaluate(expression, evaluation), work, expression.at);
  if (expression.kind === 'variable' && trusted.has(expression.name)) return text;
  if (/^\.+$/.test(text)) return work.fail('a value of a URL cannot consist of dots', expression.at);
  return expression.kind === 'call' && expression.function === 'escapeUri' ? text : escapeUri(text);
}
