import type { FieldNode } from 'graphql';
import { type OperationPlan, responseKey } from '../plan/index.ts';

/**
 * Plans a mutation so that a field is finished, with its joins, before the next one starts (GraphQL 6.2.2). Neighbours that
 * the same subgraph runs are sent in one request, since the subgraph keeps their order.
 *
 * @returns the plans to run one after the other
 */
export function planMutation(
  fields: readonly FieldNode[],
  plan: (fields: readonly FieldNode[]) => OperationPlan,
): readonly OperationPlan[] {
  const groups: {
    readonly fields: FieldNode[];
    readonly service: string | undefined;
    readonly alone: OperationPlan;
  }[] = [];
  for (const own of byResponseKey(fields)) {
    const alone = plan(own);
    const { waves } = alone;
    const [first, ...joins] = waves;
    const service = first?.length === 1 ? first[0]?.service : undefined;
    const last = groups.at(-1);
    if (last && last.service !== undefined && last.service === service) last.fields.push(...own);
    else groups.push({ fields: [...own], service, alone });
    // Only the last field of a group may need joins: those of an earlier one would have to come before the next field.
    const group = groups.at(-1);
    if (group && joins.length > 0) groups[groups.length - 1] = { ...group, service: undefined };
  }
  return groups.map((group) => (byResponseKey(group.fields).length > 1 ? plan(group.fields) : group.alone));
}

/** A field that is selected several times under one response key is executed once (GraphQL 6.3.2). */
function byResponseKey(fields: readonly FieldNode[]): readonly (readonly FieldNode[])[] {
  const byKey = new Map<string, FieldNode[]>();
  for (const field of fields) byKey.set(responseKey(field), [...(byKey.get(responseKey(field)) ?? []), field]);
  return [...byKey.values()];
}
