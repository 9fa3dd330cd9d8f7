import { getNamedType, isCompositeType, TypeInfo, visit, visitWithTypeInfo } from 'graphql';
import type { RoleGraph } from '../../graph/index.ts';
import type { CompiledSubscription, OperationDocument, Subschema } from '../../sources/index.ts';
import type { WholeOperation } from '../document/index.ts';
import { type Document, rootFieldsOf, withFragments } from '../document/index.ts';
import { isWithin } from './source-plan.ts';

/** How the source stream of a subscription is created (GraphQL section 6.2.3.1). Decided once, as a plan is. */
export interface SubscriptionPlan {
  readonly document: Document;
  /** The parts of sources that its events are made of, that of the root field first. */
  readonly parts: readonly Subschema[];
  readonly open: CompiledSubscription['open'];
}

/**
 * What the source has compiled, where it resolves the whole subscription; else the events are joined: each is completed with the
 * fields of other sources.
 */
export function subscriptionPlanOf(
  document: Document,
  { operation, fragments }: WholeOperation,
  graph: RoleGraph,
): SubscriptionPlan {
  const whole = withFragments(operation, fragments);
  // Validation has checked that there is exactly one root field.
  const [field] = rootFieldsOf(operation, fragments);
  const owner = field && graph.subschemaOf(field.operation, field.name);
  const isAlone = owner && !graph.isAlwaysPlanned(owner) && isWithin(owner, whole);
  const prepared = isAlone ? owner.compileSubscription?.(whole) : undefined;
  return {
    document,
    parts: prepared && owner ? [owner] : subschemasFor(whole, graph, owner),
    open: prepared?.open ?? graph.joined.compileSubscription(whole).open,
  };
}

/** The part that has the root field, and those that have any type of the fields that are selected. */
function subschemasFor(
  { document }: OperationDocument,
  { internal, subschemas }: RoleGraph,
  owner: Subschema | undefined,
): readonly Subschema[] {
  const types = new Set<string>();
  const info = new TypeInfo(internal);
  visit(
    document,
    visitWithTypeInfo(info, {
      Field: () => {
        const type = info.getType();
        if (type) types.add(getNamedType(type).name);
      },
    }),
  );
  const has = (part: Subschema) => [...types].some((name) => isCompositeType(part.schema.getType(name)));
  const others = subschemas.filter((part) => part !== owner && has(part));
  return owner ? [owner, ...others] : others;
}
