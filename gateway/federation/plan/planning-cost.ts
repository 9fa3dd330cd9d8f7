import { Kind, type SelectionSetNode } from 'graphql';
import type { SupergraphTypes } from '../../supergraph/index.ts';
import { UnplannableOperation } from '../errors.ts';

/** The maximal cost of an operation that is planned. Planning at that cost takes some tenths of a second. */
const MOST_COST = 10_000;
/** An object is a step of its own to the planner, which compares every step with the others. */
const COST_OF_OBJECT = 10;
const COST_OF_LEAF = 2;

/**
 * Rejects an operation that would take long to plan, before its document is printed: a few bytes can become millions of
 * selections, since a field of an interface may be planned once for each type, and the fields below it once for each again.
 * Planning takes time in proportion to the square of the cost, and blocks.
 * @param selectionSet with its fragments inlined; parts of it may be shared
 * @throws UnplannableOperation
 */
export function checkCost(selectionSet: SelectionSetNode, root: string, types: SupergraphTypes): void {
  let left = MOST_COST;
  const spend = (cost: number) => {
    left -= cost;
    if (left < 0) throw new UnplannableOperation(TOO_LARGE);
  };
  /**
   * @param times how often the planner plans the objects
   * @param opened into how many types the planner expands the fragment around it, where it does
   */
  const walk = ({ selections }: SelectionSetNode, type: string | undefined, times: number, opened?: number): void => {
    for (const selection of selections) {
      if (selection.kind === Kind.FRAGMENT_SPREAD) continue;
      if (selection.kind === Kind.INLINE_FRAGMENT) {
        spend(1);
        const condition = selection.typeCondition?.name.value;
        if (condition === undefined || condition === type || !isAbstract(type)) {
          walk(selection.selectionSet, type, times, opened);
        } else if (types.isAbstract(condition)) {
          const both = types.objectsOf(condition).filter((one) => types.isA(one, type));
          walk(selection.selectionSet, condition, times, Math.max(both.length, 1));
        } else walk(selection.selectionSet, condition, times);
        continue;
      }
      const name = selection.name.value;
      const below = selection.selectionSet;
      const met = times * (opened ?? typesOf(type, name, below !== undefined));
      spend(met * (below ? COST_OF_OBJECT : COST_OF_LEAF));
      if (below) walk(below, type && types.fieldType(type, name), met);
    }
  };
  const isAbstract = (type: string | undefined): type is string => type !== undefined && types.isAbstract(type);
  const typesOf = (type: string | undefined, field: string, isObject: boolean): number => {
    if (!isAbstract(type)) return 1;
    const objects = types.objectsOf(type);
    // Where the planner fails, `split-requirements.ts` plans objects type by type.
    const isCut = isObject && objects.some((one) => types.requires(one, field) || types.isRequired(one, field));
    return isCut || (field !== '__typename' && types.isPlannedByType(type, field)) ? Math.max(objects.length, 1) : 1;
  };
  walk(selectionSet, root, 1);
}

const TOO_LARGE =
  'the operation is too large to be planned: it selects too much, with fields of interfaces counted for each type';
