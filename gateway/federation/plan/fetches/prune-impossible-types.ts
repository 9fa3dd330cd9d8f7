import { Kind, type SelectionNode } from 'graphql';
import type { SupergraphTypes } from '../../../supergraph/index.ts';
import { type Fetch, rootName } from './plan-fetches.ts';

/**
 * Removes fragments that a subgraph would reject: where its field has a single object type and the field of others a wider
 * type, the planner selects the members of the wider type of it too.
 */
export function pruneImpossibleTypes(fetches: readonly Fetch[], types: SupergraphTypes): readonly Fetch[] {
  return fetches.map((fetch) => {
    const root = fetch.kind === 'entities' ? undefined : rootName(fetch.node.operationKind);
    const selections = possible(fetch.selections, root, fetch.service, types);
    return selections === fetch.selections ? fetch : { ...fetch, selections };
  });
}

/** @param type undefined where only fragments say it. */
function possible(
  selections: readonly SelectionNode[],
  type: string | undefined,
  service: string,
  types: SupergraphTypes,
): readonly SelectionNode[] {
  let isChanged = false;
  const kept = selections.flatMap((selection): SelectionNode[] => {
    if (selection.kind === Kind.FRAGMENT_SPREAD || !selection.selectionSet) return [selection];
    const own =
      selection.kind === Kind.INLINE_FRAGMENT
        ? (selection.typeCondition?.name.value ?? type)
        : type && types.subgraphType(service, type, selection.name.value)?.replace(/[[\]!]/g, '');
    if (selection.kind === Kind.INLINE_FRAGMENT && isImpossible(type, own, types)) {
      isChanged = true;
      return [];
    }
    const below = selection.selectionSet.selections;
    const changed = possible(below, own, service, types);
    if (changed === below) return [selection];
    isChanged = true;
    return [{ ...selection, selectionSet: { kind: Kind.SELECTION_SET, selections: changed } }];
  });
  if (!isChanged) return selections;
  // Null has to stay distinguishable from an object.
  return kept.length > 0 ? kept : [{ kind: Kind.FIELD, name: { kind: Kind.NAME, value: '__typename' } }];
}

/** An abstract type of the supergraph may be an object type in a subgraph; fragments on it are kept. */
function isImpossible(type: string | undefined, condition: string | undefined, types: SupergraphTypes): boolean {
  if (type === undefined || condition === undefined || types.isAbstract(type)) return false;
  return !types.isA(type, condition);
}
