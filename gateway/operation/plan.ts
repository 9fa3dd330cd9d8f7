import { GraphQLError, type OperationDefinitionNode } from 'graphql';
import type { RoleGraph } from '../graph/index.ts';
import type { OperationToPrepare, PreparedOperation, PreparedParts } from '../sources/index.ts';
import type { Document } from './documents.ts';
import { type EventsPlan, eventsPlanOf } from './events-plan.ts';
import { inOnePiece, inParts, withoutCaching } from './one-piece.ts';
import { ownersOf } from './owners.ts';
import { withEnvelopeFields } from './reference-envelope.ts';
import { answerNames, inInternalNames } from './root-type-names.ts';
import { ownerPlan, partsPlan } from './source-plan.ts';
import { splitPlan } from './split.ts';
import { stitchedPlan } from './stitch.ts';
import { type Fragments, fragmentsOf, withFragments } from './sub-operation.ts';

/**
 * How an operation is run. It is decided once for each operation of a cached document and each role's graph:
 *
 * - `forward`, `local`, `join`: one owner answers all of it, as it has prepared it;
 * - `split`: each of several owners answers its own root fields;
 * - `stitch`: the stitched schema is executed.
 */
export interface Plan extends Omit<PreparedOperation, 'kind'> {
  readonly kind: PreparedOperation['kind'] | 'split' | 'stitch';
}

/** The plans of one operation. */
export interface Plans {
  readonly plan: Plan;
  /** Of a login that is answered with the member that the reference contract shows. */
  readonly enveloped: Plan | undefined;
  /** With its `@defer` and `@stream`, where the one source that answers it delivers what they ask for. */
  readonly inParts?: PreparedParts | undefined;
  /** How the events of a subscription are had. */
  readonly events?: EventsPlan;
}

export function plansOf(document: Document, written: OperationDefinitionNode, graph: RoleGraph): Plans {
  const known = document.plans.get(graph)?.get(written);
  if (known) return known;
  const sent = fragmentsOf(document.node);
  const whole = inInternalNames({ operation: withoutCaching(written, sent, graph), fragments: sent }, graph);
  const { operation, fragments } = inOnePiece(whole.operation, whole.fragments);
  const names = answerNames({ operation, fragments }, graph);
  const remember = (plans: Plans): Plans => {
    const ofGraph = document.plans.get(graph) ?? new Map<OperationDefinitionNode, Plans>();
    document.plans.set(graph, ofGraph.set(written, plans));
    return plans;
  };
  if (operation.operation === 'subscription') {
    const events = eventsPlanOf(document, { operation, fragments }, graph);
    return remember({
      plan: noAnswer,
      enveloped: undefined,
      events: names ? { ...events, open: names.events(events.open) } : events,
    });
  }
  const extended = withEnvelopeFields(operation, graph.internal);
  const plan = planOf(operation, fragments, graph);
  const hasParts = operation !== whole.operation && plan.kind === 'forward' && !extended && !names;
  return remember({
    plan: names ? names.plan(plan) : plan,
    // A login alone: nothing of it is a root.
    enveloped: extended && planOf(extended, fragments, graph),
    ...(hasParts && { inParts: partsPlanOf(withFragments(whole.operation, whole.fragments), graph) }),
  });
}

/** An operation that is forwarded when it is in one piece has one owner. */
function partsPlanOf({ operation, document }: OperationToPrepare, graph: RoleGraph): PreparedParts | undefined {
  const fragments = fragmentsOf(document);
  const [owner] = ownersOf(operation, fragments, graph);
  if (!owner || owner === 'graph' || !owner.parts) return undefined;
  const left = inParts({ operation, fragments }, owner.parts.directives);
  if (!left) return undefined;
  const whole = withFragments(left.operation, left.fragments);
  const prepared = owner.parts.prepare(whole);
  return prepared && partsPlan(prepared, whole, graph);
}

/** A subscription has events, and no answer of its own. */
const noAnswer: Plan = {
  kind: 'stitch',
  run: (_variables, _call, done) => done({ data: null, errors: [new GraphQLError('a subscription has no answer')] }),
};

export function planOf(operation: OperationDefinitionNode, fragments: Fragments, graph: RoleGraph): Plan {
  const whole = withFragments(operation, fragments);
  const owners = ownersOf(operation, fragments, graph);
  const [only, ...others] = owners;
  const plan = only && others.length === 0 ? ownerPlan(only, whole, graph) : splitPlan(whole, fragments, graph);
  return plan ?? stitchedPlan(whole, graph);
}
