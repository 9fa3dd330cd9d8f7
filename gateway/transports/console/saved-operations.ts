import { inSlices, type Sliced } from '../../../platform/index.ts';
import { introspectionDisabled } from '../../errors.ts';
import { type Generation, type LiveGraph, operationErrors, type RoleGraph } from '../../graph/index.ts';

/** A saved operation of a query collection. */
export interface SavedOperation {
  readonly collection: string;
  readonly name: string;
  readonly query: string;
}

/**
 * Returns the saved operations that a role can run. They reveal no more than the role's schema. They are computed once for each
 * graph of a generation, in slices, since each operation is validated.
 *
 * @throws GatewayError 403 `not-supported` for a role that may not introspect, since it may not know its schema.
 */
export function savedOperations(graph: LiveGraph): (role: string) => Promise<readonly SavedOperation[]> {
  const generations = new WeakMap<Generation, WeakMap<RoleGraph, Promise<readonly SavedOperation[]>>>();
  return async (role) => {
    const { current } = graph;
    if (current.metadata.introspectionDisabledFor.has(role)) throw introspectionDisabled(role);
    const roleGraph = current.graphOf(role);
    const known = generations.get(current) ?? new WeakMap<RoleGraph, Promise<readonly SavedOperation[]>>();
    generations.set(current, known);
    const found = known.get(roleGraph) ?? inSlices(runnable(current, roleGraph));
    known.set(roleGraph, found);
    return found;
  };
}

function* runnable({ metadata }: Generation, { accepted }: RoleGraph): Sliced<readonly SavedOperation[]> {
  const found: SavedOperation[] = [];
  for (const { name: collection, definition } of metadata.queryCollections)
    for (const { name, query } of definition.queries) {
      if (operationErrors(query, accepted).length === 0) found.push({ collection, name, query });
      yield;
    }
  return found;
}
