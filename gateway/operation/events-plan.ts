import { getNamedType, isCompositeType, TypeInfo, visit, visitWithTypeInfo } from 'graphql';
import type { RoleGraph } from '../graph/index.ts';
import {
  type OperationToPrepare,
  type PreparedSubscription,
  type Subschema,
  stitchedEvents,
} from '../sources/index.ts';
import { type Document, rootFieldsOf } from './documents.ts';
import type { WholeOperation } from './one-piece.ts';
import { isWithin } from './source-plan.ts';
import { withFragments } from './sub-operation.ts';

/** How the events of a subscription are had. It is decided once, as a plan is. */
export interface EventsPlan {
  readonly document: Document;
  /** The parts of sources that its events are made of. */
  readonly parts: readonly Subschema[];
  readonly open: PreparedSubscription['open'];
}

/**
 * What a source has prepared, where the subscription is all its own; else its events are stitched, which
 * joins to each what other sources have to add.
 */
export function eventsPlanOf(
  document: Document,
  { operation, fragments }: WholeOperation,
  graph: RoleGraph,
): EventsPlan {
  const whole = withFragments(operation, fragments);
  // There is one root field, validation has seen to that.
  const [field] = rootFieldsOf(operation, fragments);
  const owner = field && graph.subschemaOf(field.operation, field.name);
  const prepared = owner && isWithin(owner, whole) ? owner.prepareSubscription?.(whole) : undefined;
  return {
    document,
    parts: prepared && owner ? [owner] : partsOf(whole, graph, owner),
    open: prepared?.open ?? stitchedEventsOf(whole, graph),
  };
}

function stitchedEventsOf(whole: OperationToPrepare, graph: RoleGraph): PreparedSubscription['open'] {
  const prepared = graph.stitched.prepareSubscription(whole);
  return (variables, call) => stitchedEvents(prepared(variables), call);
}

/** The part that has the root field, and those that have any type of the fields that are selected. */
function partsOf(
  { document }: OperationToPrepare,
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
  return subschemas.filter((part) => part === owner || has(part));
}
