import type { PlanNode } from '@graphql-hive/router-query-planner';
import type { FieldNode } from 'graphql';
import type { SupergraphTypes } from '../../supergraph/index.ts';
import { responseKey } from '../plan/index.ts';
import { rootFetches } from './compile-plan.ts';

/**
 * Plans a mutation so that a field is finished, with its joins, before the next one starts (GraphQL 6.2.2): the planner's
 * own plan would join one field while it runs the next. Neighbours that the same subgraph runs are still sent in one
 * request, since the subgraph keeps their order.
 *
 * Fields of several subgraphs are never planned together: the planner (0.0.38) panics, which ends the process, where one of
 * them requires a field that is also selected with other arguments. Nor is a field with requirements below it planned
 * together with others: the planner does not return where a later field selects several such fields.
 *
 * @param hasRequirements whether a field below root fields requires others
 * @returns the plans to run one after the other
 */
export function planMutation(
  fields: readonly FieldNode[],
  plan: (fields: readonly FieldNode[]) => PlanNode | undefined,
  types: SupergraphTypes,
  hasRequirements: (fields: readonly FieldNode[]) => boolean,
): PlanNode[] {
  const merged = mergeFields(fields);
  if (merged.length < 2 || (!hasRequirements(merged) && haveOneService(merged, plan, types))) {
    const whole = plan(merged);
    if (!whole) return [];
    if (merged.length < 2 || whole.kind === 'Fetch') return [whole];
  }
  return groupNeighbours(merged, plan, hasRequirements).flatMap(
    (group) => (group.fields.length > 1 ? plan(group.fields) : group.first) ?? [],
  );
}

function haveOneService(
  [first, ...others]: readonly FieldNode[],
  plan: (fields: readonly FieldNode[]) => PlanNode | undefined,
  { services }: SupergraphTypes,
): boolean {
  const service = first && serviceOf(plan([first]));
  return service !== undefined && others.every(({ name }) => services.answers(service, 'Mutation', name.value));
}

function serviceOf(node: PlanNode | undefined): string | undefined {
  return node && rootFetches(node)[0]?.serviceName;
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

/** Fields that are planned together. */
interface FieldGroup {
  readonly fields: FieldNode[];
  /** The plan of the first field alone. */
  readonly first: PlanNode | undefined;
}

/** Only the last field of a group may need joins: those of an earlier one would have to come before the next field. */
function groupNeighbours(
  fields: readonly FieldNode[],
  plan: (fields: readonly FieldNode[]) => PlanNode | undefined,
  hasRequirements: (fields: readonly FieldNode[]) => boolean,
): FieldGroup[] {
  const groups: FieldGroup[] = [];
  let openFor: string | undefined;
  for (const field of fields) {
    const node = plan([field]);
    const service = serviceOf(node);
    const last = groups.at(-1);
    const isAlone = hasRequirements([field]);
    if (last && service !== undefined && service === openFor && !isAlone) last.fields.push(field);
    else groups.push({ fields: [field], first: node });
    openFor = node?.kind === 'Fetch' && !isAlone ? service : undefined;
  }
  return groups;
}
