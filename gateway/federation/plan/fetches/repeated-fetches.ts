import { Kind, print, type SelectionNode } from 'graphql';
import { type EntityFetch, type Fetch, precedes } from './plan-fetches.ts';

/**
 * Removes fetches of entities whose fields another fetch selects as well. The planner (0.0.38) fetches a required field from each of
 * the subgraphs that share it.
 */
export function withoutRepeatedFetches(fetches: readonly Fetch[]): readonly Fetch[] {
  const byPath = new Map<string, PlacedFetch[]>();
  const placed = fetches.flatMap((fetch): PlacedFetch[] => {
    if (fetch.kind !== 'entities' || isRewritten(fetch)) return [];
    return [{ fetch, paths: new Set(fetch.paths.map((path) => JSON.stringify(path))) }];
  });
  for (const one of placed)
    for (const path of one.paths) {
      const others = byPath.get(path);
      if (others) others.push(one);
      else byPath.set(path, [one]);
    }
  const left = new Set(fetches);
  for (const one of placed) {
    const [path = ''] = one.paths;
    const others = byPath.get(path) ?? [];
    if (others.some((other) => other !== one && left.has(other.fetch) && replaces(other, one, left)))
      left.delete(one.fetch);
  }
  return [...left];
}

/** A fetch of entities and their paths as texts. */
interface PlacedFetch {
  readonly fetch: EntityFetch;
  readonly paths: ReadonlySet<string>;
}

/** Whether a fetch selects all of another one, of the same entities and in time for each fetch that follows. */
function replaces(one: PlacedFetch, other: PlacedFetch, fetches: Iterable<Fetch>): boolean {
  for (const path of other.paths) if (!one.paths.has(path)) return false;
  const types = typesOf(one.fetch);
  if (!typesOf(other.fetch).every((type) => types.includes(type))) return false;
  const selected = new Set(one.fetch.selections.flatMap(textsOf));
  if (!other.fetch.selections.flatMap(textsOf).every((text) => selected.has(text))) return false;
  for (const fetch of fetches) if (precedes(other.fetch, fetch) && !precedes(one.fetch, fetch)) return false;
  return true;
}

function isRewritten({ inputRewrites, outputRewrites }: EntityFetch): boolean {
  return inputRewrites.length > 0 || outputRewrites.length > 0;
}

/** The types of the represented objects. */
function typesOf({ requires }: EntityFetch): readonly string[] {
  return requires.map((one) => (one.kind === 'InlineFragment' ? one.typeCondition : ''));
}

/** The fields of a selection, each with its type. */
function textsOf(selection: SelectionNode): readonly string[] {
  if (selection.kind !== Kind.INLINE_FRAGMENT) return [print(selection)];
  const type = selection.typeCondition?.name.value ?? '';
  return selection.selectionSet.selections.map((one) => `${type} ${print(one)}`);
}
