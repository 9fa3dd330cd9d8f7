import { createHash } from 'node:crypto';

/** A short text for values of any length, which are a part of an index. */
export function digestOf(values: readonly (string | number | boolean)[]): string {
  return createHash('sha256').update(JSON.stringify(values)).digest('base64url');
}
