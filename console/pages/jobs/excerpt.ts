import type { Loaded } from '../../parts/index.ts';

/** The first entries of a list, as a page of it. What is shown stays as it is while it is loaded again, which is every few seconds. */
export function excerptOf<Entry>(
  loaded: Loaded<unknown>,
  list: { readonly items: readonly Entry[] } | undefined,
): Loaded<{ entries: readonly Entry[]; next: null }> {
  const isLoading = loaded.isLoading && !list;
  return { ...loaded, isLoading, value: list && { entries: list.items, next: null } };
}
