import { getNamedType, isCompositeType, TypeInfo, visit, visitWithTypeInfo } from 'graphql';
import type { RoleGraph } from '../../graph/index.ts';
import type { CompiledSubscription, OperationDocument, Subschema } from '../../sources/index.ts';
import type { WholeOperation } from '../document/index.ts';
import { type Document, rootFieldsOf, withFragments } from '../document/index.ts';
import { isWithin } from './source-plan.ts';

/** The plan for creating the source stream of a subscription (GraphQL section 6.2.3.1). Created once, like a plan. */
export interface SubscriptionPlan {
  readonly document: Document;
  /** The subschemas that contribute to the events. The subschema with the root field comes first. */
  readonly parts: readonly Subschema[];
  readonly open: CompiledSubscription['open'];
}

/**
 * Plans a subscription. If the source resolves all of it, the source compiles it. Otherwise each event is completed
 * with fields of other sources.
 */
export function subscriptionPlanOf(
  document: Document,
  { operation, fragments }: WholeOperation,
  graph: RoleGraph,
): SubscriptionPlan {
  const whole = withFragments(operation, fragments);
  // Validation has ensured that there is exactly one root field.
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

/** The subschema with the root field and all subschemas that have the type of a selected field. */
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
