import {
  type ConstDirectiveNode,
  GraphQLError,
  type GraphQLScalarType,
  type GraphQLSchema,
  isScalarType,
  Kind,
  type ValueNode,
  valueFromASTUntyped,
} from 'graphql';
import { z } from 'zod';
import { compilePattern, type LinearPattern, UnusablePattern } from '../../../platform/index.ts';
import { mapping, problemsOfShape } from '../shapes/index.ts';

/** The maximum length of texts that are matched with a pattern, in characters, unless the check has a maximum. */
const DEFAULT_MATCHED_LENGTH = 1_000;
const MAX_MATCHED_LENGTH = 10_000;
const MAX_LENGTH = 1_000_000;
/** Longer patterns are not shown in messages. */
const MAX_SHOWN_PATTERN = 100;

const length = z.int().min(0).max(MAX_LENGTH).optional();

const writtenShape = mapping({
  pattern: z.string().optional(),
  min_length: length,
  max_length: length,
  minimum: z.number().optional(),
  maximum: z.number().optional(),
});

/** The values that a custom scalar allows, as written in the metadata. */
export type WrittenCheck = z.output<typeof writtenShape>;

/** What values of a custom scalar must be. */
export interface ScalarCheck {
  readonly written: WrittenCheck;
  readonly isNumber: boolean;
  /** Completes "the value must …". Undefined for an allowed value. Never contains the value. */
  problemOf(value: unknown): string | undefined;
}

/** Portico's own: `check` of a custom scalar. */
export const scalarCheckShape = writtenShape.transform((written, context): ScalarCheck => {
  const report = (message: string, key?: keyof WrittenCheck) => {
    context.addIssue({ code: 'custom', message, path: key === undefined ? [] : [key] });
  };
  const { pattern, min_length: least, max_length: most, minimum, maximum } = written;
  const isText = pattern !== undefined || least !== undefined || most !== undefined;
  const isNumber = minimum !== undefined || maximum !== undefined;
  if (isText && isNumber)
    report('no value can pass: pattern and lengths are for strings, minimum and maximum for numbers');
  // A misspelt condition has been reported already.
  if (!isText && !isNumber && context.issues.length === 0)
    report('expected pattern, min_length, max_length, minimum or maximum');
  const limit = most ?? (pattern === undefined ? MAX_LENGTH : DEFAULT_MATCHED_LENGTH);
  if (least !== undefined && least > limit)
    report(`no value can pass: min_length is greater than the maximum length of ${limit}`, 'min_length');
  if (minimum !== undefined && maximum !== undefined && minimum > maximum)
    report('no value can pass: minimum is greater than maximum', 'minimum');
  if (pattern !== undefined && limit > MAX_MATCHED_LENGTH)
    report(`with a pattern, max_length is at most ${MAX_MATCHED_LENGTH}`, 'max_length');
  const compiled = pattern === undefined ? undefined : compileOrReport(pattern, report);
  return { written, isNumber, problemOf: isNumber ? numberCheck(written) : textCheck(written, limit, compiled) };
});

function compileOrReport(
  pattern: string,
  report: (message: string, key: keyof WrittenCheck) => void,
): LinearPattern | undefined {
  try {
    return compilePattern(pattern);
  } catch (error) {
    if (!(error instanceof UnusablePattern)) throw error;
    report(error.message, 'pattern');
    return undefined;
  }
}

function numberCheck({ minimum = -Infinity, maximum = Infinity }: WrittenCheck): ScalarCheck['problemOf'] {
  return (value) => {
    if (typeof value !== 'number' || !Number.isFinite(value)) return 'be a number';
    if (value < minimum) return `be at least ${minimum}`;
    return value > maximum ? `be at most ${maximum}` : undefined;
  };
}

/** @param limit the maximum length. Lengths count Unicode characters, not UTF-16 units. */
function textCheck(
  { pattern = '', min_length: least = 0 }: WrittenCheck,
  limit: number,
  compiled: LinearPattern | undefined,
): ScalarCheck['problemOf'] {
  const shown = pattern.length > MAX_SHOWN_PATTERN ? 'match its pattern' : `match the pattern ${pattern}`;
  return (value) => {
    if (typeof value !== 'string') return 'be a string';
    // A character has at most two UTF-16 units, so very long texts are not counted.
    const size = value.length > 2 * limit ? Infinity : characterCount(value);
    if (size > limit) return `have at most ${limit} characters`;
    if (size < least) return `have at least ${least} characters`;
    return compiled && !compiled.matches(value) ? shown : undefined;
  };
}

function characterCount(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

/** The arguments of `@check` in `actions.graphql`, by their names in `actions.yaml`. */
const DIRECTIVE_ARGUMENTS: Readonly<Record<string, keyof WrittenCheck>> = {
  pattern: 'pattern',
  minLength: 'min_length',
  maxLength: 'max_length',
  minimum: 'minimum',
  maximum: 'maximum',
};

/** Reads `@check` of a scalar in `actions.graphql`. */
export function readCheckDirective(
  directive: ConstDirectiveNode,
): { readonly check: ScalarCheck } | { readonly problems: readonly string[] } {
  const given = (directive.arguments ?? []).map(({ name: { value: name }, value }) => {
    const key = Object.hasOwn(DIRECTIVE_ARGUMENTS, name) ? DIRECTIVE_ARGUMENTS[name] : undefined;
    return [key ?? name, valueFromASTUntyped(value)] as const;
  });
  const parsed = scalarCheckShape.safeParse(Object.fromEntries(given));
  if (parsed.success) return { check: parsed.data };
  const names = new Map(Object.entries(DIRECTIVE_ARGUMENTS).map(([name, key]) => [key, name]));
  const inDirective = (text: string) =>
    text.replace(/\b(min|max)_length\b/g, (key) => names.get(key as 'min_length') ?? key);
  return {
    problems: problemsOfShape(parsed.error).map(({ path: [key], message }) =>
      inDirective(key === undefined || message.startsWith('unknown key') ? message : `${String(key)}: ${message}`),
    ),
  };
}

/** Makes the scalars of a schema check the values of clients (`parse…`) and of handlers (`serialize`). */
export function checkScalars(schema: GraphQLSchema, checks: ReadonlyMap<string, ScalarCheck>): void {
  for (const [name, check] of checks) {
    const type = schema.getType(name);
    if (isScalarType(type)) checkScalar(type, check);
  }
}

function checkScalar(type: GraphQLScalarType, { problemOf, isNumber }: ScalarCheck): void {
  const checked = (value: unknown, node?: ValueNode): unknown => {
    const problem = problemOf(value);
    if (problem === undefined) return value;
    throw new GraphQLError(`A value of type "${type.name}" must ${problem}.`, node && { nodes: node });
  };
  type.parseValue = (value) => checked(value);
  type.serialize = (value) => checked(value);
  type.parseLiteral = (node) => {
    const isNumber = node.kind === Kind.INT || node.kind === Kind.FLOAT;
    // An enum value is not a string, although its untyped value is one.
    return checked(isNumber || node.kind === Kind.STRING ? valueFromASTUntyped(node) : undefined, node);
  };
  if (isNumber) type.extensions = { ...type.extensions, [NUMBER]: true };
}

/** Marks scalars whose check allows only numbers. */
const NUMBER = Symbol('number');

/** Whether the check of a custom scalar allows only numbers. */
export function isNumberScalar(type: unknown): boolean {
  return isScalarType(type) && NUMBER in type.extensions;
}
