import { z } from 'zod';
import type { ValuePath } from './yaml-tree.ts';

/** Something in a value that does not fit its shape. */
export interface ShapeProblem {
  readonly path: ValuePath;
  readonly message: string;
}

/**
 * A mapping with exactly the keys of `shape`. A key that is none of them is a problem, with the likely meant one named.
 */
export function mapping<Shape extends z.ZodRawShape>(shape: Shape) {
  const known = Object.keys(shape);
  return z.strictObject(shape, {
    error: (issue) => {
      if (issue.code !== 'unrecognized_keys') return undefined;
      return (issue.keys as string[]).map((key) => unknownKey(key, known)).join('\n');
    },
  });
}

/** Everything that does not fit, each unknown key in its own place. */
export function problemsOfShape(error: z.ZodError): readonly ShapeProblem[] {
  return error.issues.flatMap((issue): readonly ShapeProblem[] => {
    if (issue.code !== 'unrecognized_keys') return [{ path: issue.path, message: inPlainWords(issue.message) }];
    const messages = issue.message.split('\n');
    return issue.keys.map((key, index) => ({ path: [...issue.path, key], message: messages[index] ?? issue.message }));
  });
}

function inPlainWords(message: string): string {
  const missing = /^Invalid input: expected (.+), received undefined$/.exec(message)?.[1];
  return missing ? `is missing: expected ${missing}` : message.replace(/^Invalid (input|option): /, '');
}

function unknownKey(key: string, known: readonly string[]): string {
  const meant = closest(key, known);
  const expected = meant ? `did you mean "${meant}"?` : `expected one of ${known.join(', ')}`;
  return `unknown key ${JSON.stringify(key)}: ${expected}`;
}

/** The word of `words` that is a slip of the finger away from `word`: a third of its letters at most. */
export function closest(word: string, words: readonly string[]): string | undefined {
  let best: string | undefined;
  let least = Math.max(1, Math.floor(word.length / 3)) + 1;
  for (const candidate of words) {
    const distance = editDistance(word.toLowerCase(), candidate.toLowerCase());
    if (distance < least) {
      best = candidate;
      least = distance;
    }
  }
  return best;
}

/** Letters to insert, delete or replace to make one word of the other (Levenshtein). */
function editDistance(one: string, two: string): number {
  let previous = Array.from({ length: two.length + 1 }, (_, index) => index);
  for (let row = 1; row <= one.length; row++) {
    const current = [row];
    for (let column = 1; column <= two.length; column++) {
      const replaced = (previous[column - 1] ?? 0) + (one[row - 1] === two[column - 1] ? 0 : 1);
      current.push(Math.min(replaced, (previous[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1));
    }
    previous = current;
  }
  return previous[two.length] ?? 0;
}
