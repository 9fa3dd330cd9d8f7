import { z } from 'zod';

/** The requested part of a long list. */
export const pageArguments = {
  limit: z.int().min(1).max(500).default(100),
  offset: z.int().min(0).max(1_000_000).default(0),
};

export interface Page<T> {
  readonly total: number;
  readonly items: readonly T[];
  /** The offset of the next page. Null after the last one. */
  readonly next_offset: number | null;
}

export function pageOfList<T>(list: readonly T[], { limit, offset }: { limit: number; offset: number }): Page<T> {
  const end = offset + limit;
  return { total: list.length, items: list.slice(offset, end), next_offset: end < list.length ? end : null };
}

/** The most problems in a response. */
export const MAX_PROBLEMS = 500;

/** The first items of a list, and the number of omitted ones. */
export interface Bounded<T> {
  readonly items: readonly T[];
  readonly omitted: number;
}

export function bounded<T>(list: readonly T[], most: number): Bounded<T> {
  return { items: list.slice(0, most), omitted: Math.max(0, list.length - most) };
}
