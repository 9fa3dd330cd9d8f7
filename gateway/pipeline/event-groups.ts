import { isCompositeType, TypeInfo, visit, visitWithTypeInfo } from 'graphql';
import type { RoleGraph } from '../graph/index.ts';
import { fragmentsOf } from '../graphql/syntax/index.ts';
import type { SubscriptionCounts } from './counts.ts';
import { withFragments } from './document/index.ts';
import { EventGroup } from './event-group.ts';
import type { SubscriptionPlan } from './plan/index.ts';
import type { ExecutableRequest } from './requests.ts';
import type { EventResults } from './subscription-run.ts';

/** The groups of equal subscriptions of one plan. Undefined if its subscriptions cannot be shared. */
type GroupsOfPlan = Map<string, EventGroup> | undefined;

/**
 * Lets equal subscriptions share a run. Subscriptions are equal if they have the same operation and variables and if no
 * service can distinguish their clients. All services that contribute to the events must be configured to share
 * subscriptions.
 */
export class EventGroups {
  readonly #byPlan = new WeakMap<SubscriptionPlan, { readonly groups: GroupsOfPlan }>();
  readonly #counts: SubscriptionCounts;

  constructor(counts: SubscriptionCounts) {
    this.#counts = counts;
  }

  /**
   * @param graph the graph of the role. Undefined if a reload has just made it invalid.
   * @returns undefined if the subscription needs its own run.
   */
  join(
    executable: ExecutableRequest,
    plan: SubscriptionPlan,
    graph: () => RoleGraph | undefined,
  ): EventResults | undefined {
    // An explanation describes the calls for one client only, and files belong to one client.
    if (executable.explanation || executable.request.files) return undefined;
    let known = this.#byPlan.get(plan);
    if (!known) {
      known = { groups: isShared(executable, plan, graph()) ? new Map() : undefined };
      this.#byPlan.set(plan, known);
    }
    return known.groups && this.#joinIn(known.groups, executable, plan);
  }

  #joinIn(groups: Map<string, EventGroup>, executable: ExecutableRequest, plan: SubscriptionPlan): EventResults {
    const counts = this.#counts;
    const key = groupKey(executable, plan);
    let group = groups.get(key);
    if (!group) {
      const opened: EventGroup = new EventGroup(plan, executable, {
        isState: plan.parts[0]?.sharing?.events === 'state',
        counts,
        onEnd: () => {
          if (groups.get(key) === opened) groups.delete(key);
        },
      });
      group = opened;
      groups.set(key, group);
    }
    return group.join(executable);
  }
}

/** The key contains everything that can influence a result, besides the plan. */
function groupKey({ session, request, operation, context }: ExecutableRequest, { parts }: SubscriptionPlan): string {
  const { variables, scopes, showsAdminSecret } = session;
  const given = (operation.variableDefinitions ?? []).map(({ variable: { name } }) =>
    Object.hasOwn(request.variables, name.value) ? [name.value, request.variables[name.value]] : [name.value],
  );
  const forwarded = parts.map(({ sharing }) => sharing?.forwardedOf(context));
  return JSON.stringify([given, variables, scopes, showsAdminSecret, forwarded]);
}

/**
 * Whether all services of the events share subscriptions. A field that none of these services has is joined from
 * another service. The field's type identifies that service unless it is a scalar.
 */
function isShared(
  { operation, plans }: ExecutableRequest,
  { document, parts }: SubscriptionPlan,
  graph: RoleGraph | undefined,
): boolean {
  if (!graph || !plans.events || parts.length === 0 || parts.some(({ sharing }) => sharing === undefined)) return false;
  const types = new TypeInfo(graph.internal);
  let isKnown = true;
  visit(
    withFragments(operation, fragmentsOf(document.node)).document,
    visitWithTypeInfo(types, {
      Field: ({ name: { value: name }, selectionSet }) => {
        const parent = types.getParentType();
        if (name === '__typename' || selectionSet) return;
        const isOwn = parts.some(({ schema }) => {
          const type = parent && schema.getType(parent.name);
          return type && 'getFields' in type && isCompositeType(type) && Object.hasOwn(type.getFields(), name);
        });
        isKnown &&= isOwn;
      },
    }),
  );
  return isKnown;
}
