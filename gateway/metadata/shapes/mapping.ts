import { z } from 'zod';
import { unknownKeyMessage } from '../../../platform/index.ts';
import type { ValuePath } from '../yaml/index.ts';

/** A part of a value that does not fit the shape. */
export interface ShapeProblem {
  readonly path: ValuePath;
  readonly message: string;
}

/** A mapping with exactly the keys of `shape`. For an unknown key, the problem suggests a similar one. */
export function mapping<Shape extends z.ZodRawShape>(shape: Shape) {
  const known = Object.keys(shape);
  return z.strictObject(shape, {
    error: (issue) => {
      if (issue.code === 'invalid_type' && typeof issue.input === 'string') return textInPlaceOf(shape, issue.input);
      if (issue.code !== 'unrecognized_keys') return undefined;
      return (issue.keys as string[]).map((key) => unknownKeyMessage(key, known)).join('\n');
    },
  });
}

/**
 * Returns the problem with a text in place of a mapping, such as a list of roles in place of a list of permissions: `[user]`
 * for `[{ role: user }]`.
 */
function textInPlaceOf(shape: z.ZodRawShape, text: string): string {
  const keys = Object.keys(shape);
  const required = keys.filter((key) => !(shape[key] as z.ZodType).safeParse(undefined).success);
  const [only] = required;
  const instead =
    required.length === 1 && /^[\w-]{1,64}$/.test(text)
      ? `write { ${only}: ${text} }`
      : `it has the keys ${(required.length > 0 ? required : keys).join(', ')}`;
  return `expected object, received string: ${instead}`;
}

/** Returns all problems of a value, each unknown key at its own path. */
export function problemsOfShape(error: z.ZodError): readonly ShapeProblem[] {
  return error.issues.flatMap((issue): readonly ShapeProblem[] => {
    if (issue.code !== 'unrecognized_keys') return [{ path: issue.path, message: inPlainWords(issue.message) }];
    const messages = issue.message.split('\n');
    return issue.keys.map((key, index) => ({ path: [...issue.path, key], message: messages[index] ?? issue.message }));
  });
}

/** Hints for values that are typical of a wrong indentation. */
const HINTS: Readonly<Record<string, string>> = {
  'expected object, received null': 'nothing is indented below it',
  'expected array, received object': 'entries of a list begin with "- "',
  'expected array, received string': 'a list of one is written in brackets, or as a line that begins with "- "',
};

function inPlainWords(message: string): string {
  const missing = /^Invalid input: expected (.+), received undefined$/.exec(message)?.[1];
  if (missing) return `is missing: expected ${missing}`;
  const plain = message.replace(/^Invalid (input|option): /, '');
  return HINTS[plain] ? `${plain}: ${HINTS[plain]}` : plain;
}
