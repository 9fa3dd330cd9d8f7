import type { FetchNode, PlanNode } from '@graphql-hive/router-query-planner';
import { Kind, type OperationDefinitionNode } from 'graphql';
import type { SupergraphTypes } from '../../supergraph/index.ts';
import {
  type EntityFetch,
  type Fetch,
  fetchesOf,
  foldFetches,
  pruneImpossibleTypes,
  type RootFetch,
  repairRequirements,
  restorePossibleTypes,
  restoreResponseKeys,
  scheduleFetches,
  selectMissingKeys,
  separateTypes,
  unknown,
  withoutRepeatedFetches,
} from '../plan/index.ts';
import { describeFetches, type FetchDescription } from './describe-fetches.ts';
import { compileEntityFetch } from './entity-fetch.ts';
import { fetchText, usedVariables } from './entity-request.ts';
import { type CompiledRootFetch, compileRootFetch, rootFetchStep } from './root-fetch.ts';
import type { FetchStep } from './run.ts';

/** The inputs of compiling beside the plan. */
export interface PlanScope {
  readonly types: SupergraphTypes;
  readonly clientVariables: ReadonlyMap<string, string>;
  /** The planned operation. */
  readonly operation: OperationDefinitionNode;
}

export interface CompiledPlan<Context> {
  readonly step: FetchStep<Context>;
  readonly waves: number;
  readonly fetches: readonly FetchDescription[];
}

/**
 * Turns a plan of a query, or of a single mutation, into a step.
 * @param before how many waves of other plans run before it
 * @throws UnplannableOperation for a node of a kind that the planner is not known to give
 */
export function compilePlan<Context>(node: PlanNode, scope: PlanScope, before: number): CompiledPlan<Context> {
  const planned = fetchesOf(node);
  const waves = scheduleFetches(changedFetches(planned, scope));
  return {
    step: compileWaves(waves, planned, scope),
    waves: waves.length,
    fetches: describeFetches(waves, before),
  };
}

/**
 * Turns a plan of a subscription into the fetch that its events come from, and a step for each of them.
 * @throws UnplannableOperation for a plan of another kind of operation
 */
export function compileSubscription<Context>(
  node: PlanNode,
  scope: PlanScope,
): { primary: CompiledRootFetch<Context>; step: FetchStep<Context> | undefined } {
  const planned = fetchesOf(node);
  const [primary, ...rest] = changedFetches(planned, scope);
  if (primary?.kind !== 'root' || rest.some(({ kind }) => kind === 'root')) throw unknown(node);
  return {
    primary: compileRootFetch(rootNode(primary, planned, scope.types), scope.types, scope.clientVariables),
    step: rest.length > 0 ? compileWaves(scheduleFetches(rest), planned, scope) : undefined,
  };
}

function changedFetches(planned: readonly Fetch[], { operation, types }: PlanScope): Fetch[] {
  const restored = restoreResponseKeys(planned, types);
  const repaired = withoutRepeatedFetches(selectMissingKeys(repairRequirements(restored, operation, types), types));
  return foldFetches(restorePossibleTypes(pruneImpossibleTypes(repaired, types), operation, types), types);
}

function compileWaves<Context>(
  waves: readonly (readonly Fetch[])[],
  planned: readonly Fetch[],
  scope: PlanScope,
): FetchStep<Context> {
  return inSequence(waves.map((wave) => compileWave<Context>(wave, planned, scope)));
}

/** The requests of a wave, one for each subgraph and root. */
function compileWave<Context>(wave: readonly Fetch[], planned: readonly Fetch[], scope: PlanScope): FetchStep<Context> {
  const { types, clientVariables } = scope;
  const steps: FetchStep<Context>[] = [];
  const entities = new Map<string, EntityFetch[]>();
  for (const fetch of wave) {
    if (fetch.kind === 'entities') entities.set(fetch.service, [...(entities.get(fetch.service) ?? []), fetch]);
    else steps.push(rootFetchStep(compileRootFetch(rootNode(fetch, planned, types), types, clientVariables)));
  }
  for (const fetches of entities.values()) steps.push(compileEntityFetch(fetches, types, clientVariables));
  return inParallel(steps);
}

/** The node of a fetch as its subgraph accepts it: the planner's, unless the selections were changed after planning. */
function rootNode(fetch: RootFetch, planned: readonly Fetch[], types: SupergraphTypes): FetchNode {
  const separated = separateTypes(fetch, types);
  return planned.includes(separated) ? separated.node : changedFetch(separated);
}

/** The node of a fetch with the text of its selections, which were changed after planning. */
function changedFetch({ node, selections, variables, outputRewrites }: RootFetch): FetchNode {
  const definitions = new Map(variables.map((one) => [one.variable.name.value, one]));
  const operation: OperationDefinitionNode = {
    kind: Kind.OPERATION_DEFINITION,
    operation: (node.operationKind ?? 'query') as OperationDefinitionNode['operation'],
    variableDefinitions: usedVariables(definitions, selections),
    selectionSet: { kind: Kind.SELECTION_SET, selections },
  };
  const { serviceName: _, operationName: _name, ...text } = fetchText(operation, node.serviceName);
  return { kind: 'Fetch', serviceName: node.serviceName, ...text, outputRewrites: [...outputRewrites] } as FetchNode;
}

/** The fetches of root fields in a plan. */
export function rootFetches(node: PlanNode): FetchNode[] {
  if (node.kind === 'Fetch') return [node];
  if (node.kind === 'Sequence' || node.kind === 'Parallel') return node.nodes.flatMap(rootFetches);
  return [];
}

export function inSequence<Context>(steps: readonly FetchStep<Context>[]): FetchStep<Context> {
  const [only] = steps;
  if (only && steps.length === 1) return only;
  return (run, done) => {
    const begin = (index: number) => {
      const step = steps[index];
      if (step) step(run, () => begin(index + 1));
      else done();
    };
    begin(0);
  };
}

function inParallel<Context>(steps: readonly FetchStep<Context>[]): FetchStep<Context> {
  const [only] = steps;
  if (only && steps.length === 1) return only;
  return (run, done) => {
    let pending = steps.length;
    const end = () => {
      pending--;
      if (pending === 0) done();
    };
    for (const step of steps) step(run, end);
  };
}
