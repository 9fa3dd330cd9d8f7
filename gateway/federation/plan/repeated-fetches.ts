import { Kind, print, type SelectionNode } from 'graphql';
import { type EntityFetch, type Fetch, precedes } from './plan-fetches.ts';

/**
 * Removes fetches of entities whose fields another fetch selects as well. The planner (0.0.38) fetches a required field from each of
 * the subgraphs that share it.
 */
export function withoutRepeatedFetches(fetches: readonly Fetch[]): readonly Fetch[] {
  let left = fetches;
  for (const fetch of fetches)
    if (fetch.kind === 'entities' && left.some((other) => other !== fetch && replaces(other, fetch, left)))
      left = left.filter((one) => one !== fetch);
  return left;
}

/** Whether a fetch selects all of another one, of the same entities and in time for each fetch that follows. */
function replaces(one: Fetch, other: EntityFetch, fetches: readonly Fetch[]): boolean {
  if (one.kind !== 'entities' || isRewritten(one) || isRewritten(other)) return false;
  const paths = new Set(one.paths.map((path) => JSON.stringify(path)));
  if (!other.paths.every((path) => paths.has(JSON.stringify(path)))) return false;
  const types = typesOf(one);
  if (!typesOf(other).every((type) => types.includes(type))) return false;
  const selected = new Set(one.selections.flatMap(textsOf));
  if (!other.selections.flatMap(textsOf).every((text) => selected.has(text))) return false;
  return fetches.every((fetch) => !precedes(other, fetch) || precedes(one, fetch));
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
