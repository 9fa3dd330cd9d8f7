import type { OutputRewrite } from '@graphql-hive/router-query-planner';
import { type InlineFragmentNode, Kind, type SelectionNode } from 'graphql';
import type { SupergraphTypes } from '../../supergraph/index.ts';
import { responseKey } from './fold-fetches.ts';

/** Selections of entities, and the original response keys of renamed fields. */
export interface Separated {
  readonly selections: readonly SelectionNode[];
  readonly rewrites: readonly OutputRewrite[];
}

/**
 * Gives fields of different types response keys of their own where a subgraph would reject one for both (GraphQL 5.3.2): a
 * field may be non-null on one type and not on the other, which clients do not see. The planner does so below entities, but
 * not for the entities themselves.
 */
export function separateTypes(
  selections: readonly SelectionNode[],
  service: string,
  types: SupergraphTypes,
): Separated {
  const shapes = new Map<string, string | undefined>();
  const rewrites: OutputRewrite[] = [];
  const separated = selections.map((fragment, index): SelectionNode => {
    const typename = fragment.kind === Kind.INLINE_FRAGMENT ? fragment.typeCondition?.name.value : undefined;
    if (fragment.kind !== Kind.INLINE_FRAGMENT || typename === undefined) return fragment;
    const fields = fragment.selectionSet.selections.map((field): SelectionNode => {
      if (field.kind !== Kind.FIELD) return field;
      const key = responseKey(field);
      const shape = types.subgraphType(service, typename, field.name.value);
      if (!shapes.has(key)) shapes.set(key, shape);
      if (shapes.get(key) === shape) return field;
      const alias = `_t${index}_${key}`;
      rewrites.push({
        KeyRenamer: { path: [{ TypenameEquals: [typename] }, { Key: alias }], renameKeyTo: key },
      });
      return { ...field, alias: { kind: Kind.NAME, value: alias } };
    });
    return withFields(fragment, fields);
  });
  return rewrites.length === 0 ? { selections, rewrites } : { selections: separated, rewrites };
}

function withFields(fragment: InlineFragmentNode, selections: readonly SelectionNode[]): InlineFragmentNode {
  return { ...fragment, selectionSet: { ...fragment.selectionSet, selections } };
}
