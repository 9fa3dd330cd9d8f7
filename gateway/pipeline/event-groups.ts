import { isCompositeType, TypeInfo, visit, visitWithTypeInfo } from 'graphql';
import type { RoleGraph } from '../graph/index.ts';
import { fragmentsOf } from '../graphql/syntax/index.ts';
import type { SubscriptionCounts } from './counts.ts';
import { withFragments } from './document/index.ts';
import { EventGroup } from './event-group.ts';
import type { SubscriptionPlan } from './plan/index.ts';
import type { ExecutableRequest } from './requests.ts';
import type { EventResults } from './subscription-run.ts';

/** The groups of equal subscriptions of one plan; undefined where each subscription runs by itself. */
type GroupsOfPlan = Map<string, EventGroup> | undefined;

/**
 * Lets equal subscriptions share one run: those of the same operation with the same variables, of callers that are the same to
 * every service that events are made of. All of these services have to say in the metadata that their subscriptions are shared.
 */
export class EventGroups {
  readonly #byPlan = new WeakMap<SubscriptionPlan, { readonly groups: GroupsOfPlan }>();
  readonly #counts: SubscriptionCounts;

  constructor(counts: SubscriptionCounts) {
    this.#counts = counts;
  }

  /**
   * @param graph of the caller's role; undefined where a reload has just made it invalid.
   * @returns undefined where the subscription runs by itself.
   */
  join(
    executable: ExecutableRequest,
    plan: SubscriptionPlan,
    graph: () => RoleGraph | undefined,
  ): EventResults | undefined {
    // What is explained has happened for its caller alone, and files are the caller's.
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

/** Everything that a result can depend on, beside the plan. */
function groupKey({ session, request, operation, context }: ExecutableRequest, { parts }: SubscriptionPlan): string {
  const { variables, scopes, showsAdminSecret } = session;
  const given = (operation.variableDefinitions ?? []).map(({ variable: { name } }) =>
    Object.hasOwn(request.variables, name.value) ? [name.value, request.variables[name.value]] : [name.value],
  );
  const forwarded = parts.map(({ sharing }) => sharing?.forwardedOf(context));
  return JSON.stringify([given, variables, scopes, showsAdminSecret, forwarded]);
}

/**
 * Whether all services of the events share subscriptions. A field that none of them has is a join with another one, whose type tells
 * which; of a scalar it does not.
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
