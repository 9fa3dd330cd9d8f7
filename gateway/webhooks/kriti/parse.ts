import { Cursor } from './cursor.ts';
import { FUNCTION_NAMES } from './functions.ts';
import { textUntilEnd, textUntilQuote } from './parse-text.ts';
import type { Case, Expression, KeyStep, Operator, TemplateValue } from './syntax.ts';

/** The maximum nesting of a template, and the maximum number of operators in a row. */
const MAX_NESTING = 100;
const MAX_TEMPLATE_LENGTH = 100_000;

const IDENTIFIER = /\$?[A-Za-z_][\w$-]*|\$/y;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const SINGLE_QUOTED = /'(?:[^'\\]|\\[\s\S])*'/y;
const NEXT_WORD = /[A-Za-z]+(?![\w$-])/y;
const BLOCK_WORDS = ['if', 'elif', 'else', 'end', 'range', 'in', 'not'];
const CONSTANTS: Readonly<Record<string, TemplateValue>> = { true: true, false: false, null: null };

/** Binary operators by precedence, the loosest first. `not` is between the second and the third level. */
const OPERATORS: readonly (readonly Operator[])[] = [['||'], ['&&'], ['==', '!=', '<=', '>=', '<', '>', 'in'], ['??']];
const COMPARISONS = 2;

/** The state of parsing a template. */
interface Parsing {
  readonly cursor: Cursor;
  /** The variables that may be used here. */
  readonly scope: ReadonlySet<string>;
  readonly depth: number;
}

/**
 * Parses a template: JSON that may contain `{{ … }}` as a value or as a part of a text.
 *
 * @throws KritiSyntaxError
 */
export function parseJsonTemplate(source: string, variables: readonly string[]): Expression {
  const parsing = begin(source, variables);
  const value = expression(parsing);
  parsing.cursor.skipBlank();
  if (!parsing.cursor.atEnd) parsing.cursor.failExpecting('the end of the template');
  return value;
}

/**
 * Parses a text that may contain `{{ … }}`, such as a URL.
 *
 * @throws KritiSyntaxError
 */
export function parseBareText(source: string, variables: readonly string[]): Extract<Expression, { kind: 'text' }> {
  const parsing = begin(source, variables);
  return { kind: 'text', at: 0, parts: textUntilEnd(parsing.cursor, (at) => hole(parsing, at)) };
}

function begin(source: string, variables: readonly string[]): Parsing {
  const cursor = new Cursor(source);
  if (source.length > MAX_TEMPLATE_LENGTH) cursor.fail(`a template may have ${MAX_TEMPLATE_LENGTH} characters at most`);
  return { cursor, scope: new Set(variables), depth: 0 };
}

function expression(parsing: Parsing): Expression {
  return operation(deeper(parsing), 0);
}

function deeper(parsing: Parsing): Parsing {
  if (parsing.depth >= MAX_NESTING) parsing.cursor.fail(`a template may nest ${MAX_NESTING} levels deep at most`);
  return { ...parsing, depth: parsing.depth + 1 };
}

function operation(parsing: Parsing, level: number): Expression {
  const operators = OPERATORS[level];
  if (!operators) return operand(parsing);
  const next = () => (level + 1 === COMPARISONS ? negation(parsing) : operation(parsing, level + 1));
  let left = next();
  for (let count = 1; ; count++) {
    const { cursor } = parsing;
    cursor.skipBlank();
    const at = cursor.position;
    const operator = operators.find((candidate) =>
      candidate === 'in' ? takeWord(cursor, 'in') : cursor.take(candidate),
    );
    if (!operator) return left;
    if (count > MAX_NESTING) cursor.fail(`more than ${MAX_NESTING} operators in a row`, at);
    left = { kind: 'operation', operator, left, right: next(), at };
  }
}

/** Without brackets, `not` negates the whole comparison. `not(…)` is an ordinary function call. */
function negation(parsing: Parsing): Expression {
  const { cursor } = parsing;
  cursor.skipBlank();
  const at = cursor.position;
  if (!takeWord(cursor, 'not')) return operation(parsing, COMPARISONS);
  cursor.skipBlank();
  if (cursor.sees('(')) {
    cursor.position = at;
    return operation(parsing, COMPARISONS);
  }
  return { kind: 'call', function: 'not', argument: negation(deeper(parsing)), at };
}

function operand(parsing: Parsing): Expression {
  const { cursor } = parsing;
  cursor.skipBlank();
  const at = cursor.position;
  if (cursor.take('{{')) return hole(parsing, at);
  if (cursor.take('{')) return map(parsing, at);
  if (cursor.take('[')) return parseList(parsing, at);
  if (cursor.take('"'))
    return { kind: 'text', parts: textUntilQuote(cursor, at, (holeAt) => hole(parsing, holeAt)), at };
  if (cursor.take('(')) {
    const inner = expression(parsing);
    cursor.expect(')');
    return withSteps(inner, parsing);
  }
  const quoted = cursor.match(SINGLE_QUOTED);
  if (quoted !== undefined) return { kind: 'literal', value: quoted.slice(1, -1).replace(/\\(.)/gs, '$1'), at };
  const number = cursor.match(NUMBER);
  if (number !== undefined) return { kind: 'literal', value: Number(number), at };
  const name = cursor.match(IDENTIFIER);
  if (name === undefined) return cursor.failExpecting('a value');
  return parseNamed(name, parsing, at);
}

function parseNamed(name: string, parsing: Parsing, at: number): Expression {
  const { cursor, scope } = parsing;
  if (Object.hasOwn(CONSTANTS, name)) return { kind: 'literal', value: CONSTANTS[name] ?? null, at };
  cursor.skipBlank();
  const isCall = cursor.sees('(');
  if (scope.has(name) && !isCall) return withSteps({ kind: 'variable', name, at }, parsing);
  if (FUNCTION_NAMES.includes(name)) return withSteps(call(name, parsing, at), parsing);
  if (BLOCK_WORDS.includes(name)) cursor.fail(`expected a value, found "${name}"`, at);
  if (isCall) cursor.fail(`unknown function "${name}": expected one of ${FUNCTION_NAMES.join(', ')}`, at);
  return cursor.fail(`unknown variable "${name}": expected one of ${[...scope].join(', ')}`, at);
}

/** Parses `f(x)`, or `f x` as older templates write it. */
function call(name: string, parsing: Parsing, at: number): Expression {
  const { cursor } = parsing;
  if (!cursor.take('(')) return { kind: 'call', function: name, argument: operand(deeper(parsing)), at };
  const argument = expression(parsing);
  cursor.expect(')');
  return { kind: 'call', function: name, argument, at };
}

function withSteps(from: Expression, parsing: Parsing): Expression {
  const { cursor } = parsing;
  const steps: KeyStep[] = [];
  for (;;) {
    cursor.skipBlank();
    const at = cursor.position;
    const optional = cursor.sees('?.') || cursor.sees('?[');
    if (optional) cursor.position++;
    if (cursor.take('.')) steps.push({ key: parseFieldName(cursor), optional, at });
    else if (cursor.take('[')) {
      const key = expression(parsing);
      cursor.expect(']');
      steps.push({ key, optional, at });
    } else return steps.length > 0 ? { kind: 'path', from, steps, at: from.at } : from;
  }
}

function parseFieldName(cursor: Cursor): Expression {
  cursor.skipBlank();
  const at = cursor.position;
  const value = cursor.match(IDENTIFIER) ?? cursor.failExpecting('the name of a field');
  return { kind: 'literal', value, at };
}

function map(parsing: Parsing, at: number): Expression {
  const { cursor } = parsing;
  const entries: [string, Expression][] = [];
  cursor.skipBlank();
  if (cursor.take('}')) return { kind: 'map', entries, at };
  do {
    cursor.expect('"', 'a key in double quotes');
    const start = cursor.position;
    const parts = textUntilQuote(cursor, start - 1, (holeAt) => hole(parsing, holeAt));
    if (parts.some((part) => typeof part !== 'string')) cursor.fail('a key cannot contain {{ … }}', start);
    cursor.expect(':');
    entries.push([parts.join(''), expression(parsing)]);
    cursor.skipBlank();
  } while (cursor.take(','));
  cursor.expect('}', '"," or "}"');
  return { kind: 'map', entries, at };
}

function parseList(parsing: Parsing, at: number): Expression {
  const { cursor } = parsing;
  const items: Expression[] = [];
  cursor.skipBlank();
  if (cursor.take(']')) return { kind: 'list', items, at };
  do {
    items.push(expression(parsing));
    cursor.skipBlank();
  } while (cursor.take(','));
  cursor.expect(']', '"," or "]"');
  return { kind: 'list', items, at };
}

/** Parses the expression between `{{` and `}}`. A block continues to its `{{ end }}`. */
function hole(parsing: Parsing, at: number): Expression {
  const { cursor } = parsing;
  cursor.skipBlank();
  if (takeWord(cursor, 'if')) return parseConditional(parsing, at);
  if (takeWord(cursor, 'range')) return parseRange(parsing, at);
  const value = expression(parsing);
  cursor.expect('}}');
  return value;
}

function parseConditional(parsing: Parsing, at: number): Expression {
  const { cursor } = parsing;
  const cases: Case[] = [];
  do {
    const condition = expression(parsing);
    cursor.expect('}}');
    cases.push({ condition, value: expression(parsing) });
    cursor.expect('{{', '"{{ elif … }}" or "{{ else }}"');
    cursor.skipBlank();
  } while (takeWord(cursor, 'elif'));
  if (!takeWord(cursor, 'else')) cursor.failExpecting('"elif" or "else"');
  cursor.expect('}}');
  const otherwise = expression(parsing);
  endBlock(cursor);
  return { kind: 'if', cases, otherwise, at };
}

function parseRange(parsing: Parsing, at: number): Expression {
  const { cursor } = parsing;
  const index = binder(cursor);
  cursor.expect(',');
  const item = binder(cursor);
  cursor.expect(':=');
  const over = expression(parsing);
  cursor.expect('}}');
  const scope = new Set([...parsing.scope, index, item].filter((name) => name !== '_'));
  const body = expression({ ...parsing, scope });
  endBlock(cursor);
  return { kind: 'range', index: index === '_' ? undefined : index, item, over, body, at };
}

function binder(cursor: Cursor): string {
  cursor.skipBlank();
  const at = cursor.position;
  const name = cursor.match(IDENTIFIER) ?? cursor.failExpecting('the name of a variable');
  if (Object.hasOwn(CONSTANTS, name) || BLOCK_WORDS.includes(name)) cursor.fail(`"${name}" cannot name a variable`, at);
  return name;
}

function endBlock(cursor: Cursor): void {
  cursor.expect('{{', '"{{ end }}"');
  cursor.skipBlank();
  if (!takeWord(cursor, 'end')) cursor.failExpecting('"end"');
  cursor.expect('}}');
}

function takeWord(cursor: Cursor, word: string): boolean {
  const before = cursor.position;
  if (cursor.match(NEXT_WORD) === word) return true;
  cursor.position = before;
  return false;
}
