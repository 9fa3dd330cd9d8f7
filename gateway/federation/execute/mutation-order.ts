import type { PlanNode } from '@graphql-hive/router-query-planner';
import type { FieldNode } from 'graphql';
import { responseKey } from '../plan/index.ts';
import { rootFetches } from './compile-plan.ts';

/**
 * Plans a mutation so that a field is finished, with its joins, before the next one starts (GraphQL 6.2.2): the planner's
 * own plan would join one field while it runs the next. Neighbours that the same subgraph runs are still sent in one
 * request, since the subgraph keeps their order.
 * @returns the plans to run one after the other
 */
export function planMutation(
  fields: readonly FieldNode[],
  plan: (fields: readonly FieldNode[]) => PlanNode | undefined,
): PlanNode[] {
  const merged = mergeFields(fields);
  const whole = plan(merged);
  if (!whole) return [];
  if (merged.length < 2 || whole.kind === 'Fetch') return [whole];
  const nodes: PlanNode[] = [];
  for (const group of groupNeighbours(merged, plan)) {
    const node = plan(group);
    if (node) nodes.push(node);
  }
  return nodes;
}

/** A field that is selected several times under one response key is executed once (GraphQL 6.3.2). */
function mergeFields(fields: readonly FieldNode[]): FieldNode[] {
  const merged = new Map<string, FieldNode>();
  for (const field of fields) {
    const key = responseKey(field);
    const known = merged.get(key);
    if (!known) merged.set(key, field);
    else if (known.selectionSet && field.selectionSet) {
      const selections = [...known.selectionSet.selections, ...field.selectionSet.selections];
      merged.set(key, { ...known, selectionSet: { ...known.selectionSet, selections } });
    }
  }
  return [...merged.values()];
}

/** Only the last field of a group may need joins: those of an earlier one would have to come before the next field. */
function groupNeighbours(
  fields: readonly FieldNode[],
  plan: (fields: readonly FieldNode[]) => PlanNode | undefined,
): FieldNode[][] {
  const groups: FieldNode[][] = [];
  let openFor: string | undefined;
  for (const field of fields) {
    const node = plan([field]);
    const service = node && rootFetches(node)[0]?.serviceName;
    const last = groups.at(-1);
    if (last && service !== undefined && service === openFor) last.push(field);
    else groups.push([field]);
    openFor = node?.kind === 'Fetch' ? service : undefined;
  }
  return groups;
}
