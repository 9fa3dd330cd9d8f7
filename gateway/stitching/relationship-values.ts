import { fieldMeant } from '../metadata/index.ts';

/** Whether anything in a value stands for a field. */
export function holdsFields(value: unknown): boolean {
  if (fieldMeant(value) !== undefined) return true;
  return typeof value === 'object' && value !== null && Object.values(value).some(holdsFields);
}

/** A value with the fields' values in the place of what stands for them. */
export function filledIn(value: unknown, read: (field: string) => unknown): unknown {
  const field = fieldMeant(value);
  if (field !== undefined) return read(field);
  if (Array.isArray(value)) return value.map((item) => filledIn(item, read));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, filledIn(inner, read)]));
}
