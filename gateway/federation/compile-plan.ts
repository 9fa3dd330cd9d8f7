import type { FetchNode, PlanNode } from '@graphql-hive/router-query-planner';
import { Kind, type OperationDefinitionNode } from 'graphql';
import { dropImpossible } from './drop-impossible.ts';
import { compileEntityFetch } from './entity-fetch.ts';
import { fetchText, usedVariables } from './entity-request.ts';
import { foldUnits } from './fold-units.ts';
import { keepMembers } from './keep-members.ts';
import { type EntityUnit, type RootUnit, type Unit, unitsOf, unknown } from './plan-units.ts';
import { repairRequirements } from './repair-requirements.ts';
import { compileRootFetch, type RootFetch, rootFetchStep } from './root-fetch.ts';
import type { Step } from './run.ts';
import { scheduleUnits } from './schedule-units.ts';
import type { SupergraphTypes } from './supergraph-types.ts';

/** What compiling a plan needs beside the plan. */
export interface PlanScope {
  readonly types: SupergraphTypes;
  readonly clientVariables: ReadonlyMap<string, string>;
  /** What was planned. */
  readonly operation: OperationDefinitionNode;
}

/**
 * Turns a plan of a query, or of a single mutation, into a step.
 * @throws UnplannableOperation for a node of a kind that the planner is not known to give
 */
export function compilePlan<Context>(node: PlanNode, scope: PlanScope): Step<Context> {
  const planned = unitsOf(node);
  return compileWaves(scheduleUnits(changedUnits(planned, scope)), planned, scope);
}

/**
 * Turns a plan of a subscription into the fetch that its events come from, and a step for each of them.
 * @throws UnplannableOperation for a plan that is none of a subscription
 */
export function compileSubscription<Context>(
  node: PlanNode,
  scope: PlanScope,
): { primary: RootFetch<Context>; step: Step<Context> | undefined } {
  const planned = unitsOf(node);
  const [primary, ...rest] = changedUnits(planned, scope);
  if (primary?.kind !== 'root' || rest.some(({ kind }) => kind === 'root')) throw unknown(node);
  const fetch = planned.includes(primary) ? primary.node : changedFetch(primary);
  return {
    primary: compileRootFetch(fetch, scope.types, scope.clientVariables),
    step: rest.length > 0 ? compileWaves(scheduleUnits(rest), planned, scope) : undefined,
  };
}

function changedUnits(planned: readonly Unit[], { operation, types }: PlanScope): Unit[] {
  const repaired = repairRequirements(planned, types);
  return foldUnits(keepMembers(dropImpossible(repaired, types), operation, types), types);
}

function compileWaves<Context>(
  waves: readonly (readonly Unit[])[],
  planned: readonly Unit[],
  scope: PlanScope,
): Step<Context> {
  return inSequence(waves.map((wave) => compileWave<Context>(wave, planned, scope)));
}

/** The requests of a wave, one for each subgraph and root. */
function compileWave<Context>(wave: readonly Unit[], planned: readonly Unit[], scope: PlanScope): Step<Context> {
  const { types, clientVariables } = scope;
  const steps: Step<Context>[] = [];
  const entities = new Map<string, EntityUnit[]>();
  for (const unit of wave) {
    if (unit.kind === 'entities') entities.set(unit.service, [...(entities.get(unit.service) ?? []), unit]);
    else {
      const node = planned.includes(unit) ? unit.node : changedFetch(unit);
      steps.push(rootFetchStep(compileRootFetch(node, types, clientVariables)));
    }
  }
  for (const units of entities.values()) steps.push(compileEntityFetch(units, types, clientVariables));
  return inParallel(steps);
}

/** The fetch of a unit whose selections are no longer those of its text. */
function changedFetch({ node, selections, variables }: RootUnit): FetchNode {
  const definitions = new Map(variables.map((one) => [one.variable.name.value, one]));
  const operation: OperationDefinitionNode = {
    kind: Kind.OPERATION_DEFINITION,
    operation: (node.operationKind ?? 'query') as OperationDefinitionNode['operation'],
    variableDefinitions: usedVariables(definitions, selections),
    selectionSet: { kind: Kind.SELECTION_SET, selections },
  };
  const { serviceName: _, operationName: _name, ...text } = fetchText(operation, node.serviceName);
  return { kind: 'Fetch', serviceName: node.serviceName, ...text } as FetchNode;
}

/** The fetches of root fields in a plan. */
export function rootFetches(node: PlanNode): FetchNode[] {
  if (node.kind === 'Fetch') return [node];
  if (node.kind === 'Sequence' || node.kind === 'Parallel') return node.nodes.flatMap(rootFetches);
  return [];
}

export function inSequence<Context>(steps: readonly Step<Context>[]): Step<Context> {
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

function inParallel<Context>(steps: readonly Step<Context>[]): Step<Context> {
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
