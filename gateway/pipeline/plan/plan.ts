import { GraphQLError, getOperationAST, type OperationDefinitionNode, parse } from 'graphql';
import type { RoleGraph } from '../../graph/index.ts';
import { type Fragments, fragmentsOf } from '../../graphql/syntax/index.ts';
import type { IncrementalOperation, OperationDocument } from '../../sources/index.ts';
import type { Document } from '../document/index.ts';
import {
  DocumentFact,
  withFragments,
  withIncrementalDirectives,
  withoutCaching,
  withoutIncrementalDirectives,
} from '../document/index.ts';
import { withEnvelopeFields } from '../response/index.ts';
import { introspectionPlan } from './introspection-plan.ts';
import type { Plan } from './operation-plan.ts';
import { ownersOf } from './owners.ts';
import { partOf } from './plan-parts.ts';
import { answerNames, inInternalNames } from './root-type-names.ts';
import { incrementalPlan, ownerPlan } from './source-plan.ts';
import { splitPlan } from './split.ts';
import { type SubscriptionPlan, subscriptionPlanOf } from './subscription-plan.ts';

/** The plans of one operation. */
export interface Plans {
  readonly plan: Plan;
  /** The plan of a login whose response has the member that the reference contract shows. */
  readonly enveloped: Plan | undefined;
  /** The plan with `@defer` and `@stream`, if the operation's only source supports incremental delivery. */
  readonly incremental?: IncrementalOperation | undefined;
  /** The plan for the source stream of a subscription. */
  readonly events?: SubscriptionPlan;
}

/** The plans of a document's operations, by graph. */
const PLANS = new DocumentFact(() => new Map<RoleGraph, Map<OperationDefinitionNode, Plans>>());

/** Returns the plans of an operation, which are created once for each role's graph and stored with the document. */
export function plansOf(document: Document, written: OperationDefinitionNode, graph: RoleGraph): Plans {
  const documentPlans = PLANS.of(document);
  const known = documentPlans.get(graph)?.get(written);
  if (known) return known;
  const sent = fragmentsOf(document.node);
  const whole = inInternalNames({ operation: withoutCaching(written, sent, graph), fragments: sent }, graph);
  const { operation, fragments } = withoutIncrementalDirectives(whole.operation, whole.fragments);
  const names = answerNames({ operation, fragments }, graph);
  const remember = (plans: Plans): Plans => {
    const ofGraph = documentPlans.get(graph) ?? new Map<OperationDefinitionNode, Plans>();
    documentPlans.set(graph, ofGraph.set(written, plans));
    return plans;
  };
  if (operation.operation === 'subscription') {
    const events = subscriptionPlanOf(document, { operation, fragments }, graph);
    return remember({
      plan: noAnswer,
      enveloped: undefined,
      events: names ? { ...events, open: names.events(events.open) } : events,
    });
  }
  const extended = withEnvelopeFields(operation, graph.internal);
  const plan = planOf(operation, fragments, graph);
  const mayBeIncremental = operation !== whole.operation && plan.kind === 'forward' && !extended && !names;
  return remember({
    plan: names ? names.plan(plan) : plan,
    // The operation is a single login, so its response contains no names of root types.
    enveloped: extended && planOf(extended, fragments, graph),
    ...(mayBeIncremental && { incremental: incrementalPlanOf(withFragments(whole.operation, whole.fragments), graph) }),
  });
}

/**
 * Plans an operation with `@defer` and `@stream`. The same operation without these directives must be forwarded, so
 * that it has one owner.
 */
function incrementalPlanOf(
  { operation, document }: OperationDocument,
  graph: RoleGraph,
): IncrementalOperation | undefined {
  const fragments = fragmentsOf(document);
  const [owner] = ownersOf(operation, fragments, graph);
  if (!owner || owner === 'graph' || !owner.incremental) return undefined;
  const left = withIncrementalDirectives({ operation, fragments }, owner.incremental.directives);
  if (!left) return undefined;
  const whole = withFragments(left.operation, left.fragments);
  const prepared = owner.incremental.compile(whole);
  return prepared && incrementalPlan(prepared, whole, graph);
}

/** The plan of a subscription, which never runs, because the events come from the `SubscriptionPlan`. */
const noAnswer: Plan = {
  kind: 'local',
  run: (_variables, _context, done) => done({ data: null, errors: [new GraphQLError('a subscription has no answer')] }),
};

/** Plans an operation in internal names and without incremental directives. */
export function planOf(operation: OperationDefinitionNode, fragments: Fragments, graph: RoleGraph): Plan {
  const whole = withFragments(operation, fragments);
  const owners = ownersOf(operation, fragments, graph);
  const [only, ...others] = owners;
  if (!only || others.length > 0) return splitPlan(whole, fragments, graph) ?? wholePlan(whole, graph);
  const plan = ownerPlan(only, whole, graph);
  return plan ? { ...plan, parts: [partOf(only, whole, plan, 1)] } : wholePlan(whole, graph);
}

/** Plans an operation over all sources of the graph. This works for every valid operation. */
export function joinedPlan(whole: OperationDocument, graph: RoleGraph): Plan {
  return graph.joined.compile(whole, (text) => {
    const document = parse(text, { noLocation: true });
    const operation = getOperationAST(document);
    if (!operation) throw new TypeError('a document without an operation');
    return introspectionPlan({ document, operation }, graph);
  });
}

function wholePlan(whole: OperationDocument, graph: RoleGraph): Plan {
  const plan = joinedPlan(whole, graph);
  return { ...plan, parts: [partOf('graph', whole, plan, 1)] };
}
