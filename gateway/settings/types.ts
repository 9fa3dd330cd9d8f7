import { z } from 'zod';
import { setting } from '../../platform/index.ts';

/** The behaviour while a dependency is unavailable. */
export const OPEN_OR_CLOSED = z.enum(['open', 'closed'], { error: 'expected open or closed' });

/** A setting in JSON. */
export function json<T extends object>(parse: (text: string) => T | { problem: string }) {
  return z
    .string()
    .meta({ type: 'JSON' })
    .transform((text, context): T => {
      const parsed = parse(text);
      if (!('problem' in parsed)) return parsed;
      context.addIssue(parsed.problem);
      return z.NEVER;
    });
}

/** Each name is the value of a label, and adds a series for each operation. */
const MAX_LABEL_VALUES = 50;

/** A list of names. Each becomes the value of a label or is compared with one. */
export function listedNames() {
  return setting
    .list()
    .pipe(z.array(z.string()).max(MAX_LABEL_VALUES, { error: `expected at most ${MAX_LABEL_VALUES} names` }))
    .default([]);
}
