import type { SupergraphTypes } from '../../supergraph/index.ts';
import { UnplannableOperation } from '../errors.ts';
import type { Fetch, OperationPlan } from '../plan/index.ts';
import { describeFetches, type FetchDescription } from './describe-fetches.ts';
import { compileEntityFetch } from './entity-fetch.ts';
import type { VariableDefinitions } from './entity-request.ts';
import { compileFlattenPath } from './flatten-path.ts';
import { type CompiledRootFetch, compileNestedRoot, compileRootFetch, rootFetchStep } from './root-fetch.ts';
import type { FetchStep } from './run.ts';

/** The inputs of compiling beside the plan. */
export interface PlanScope {
  readonly types: SupergraphTypes;
  readonly clientVariables: VariableDefinitions;
}

export interface CompiledPlan<Context> {
  readonly step: FetchStep<Context>;
  readonly waves: number;
  readonly fetches: readonly FetchDescription[];
}

/**
 * Turns a plan of a query, or of a single mutation, into a step.
 * @param before how many waves of other plans run before it
 */
export function compilePlan<Context>(
  { waves }: OperationPlan,
  scope: PlanScope,
  before: number,
): CompiledPlan<Context> {
  return {
    step: inSequence(waves.map((wave) => compileWave<Context>(wave, scope))),
    waves: waves.length,
    fetches: describeFetches(waves, before),
  };
}

/**
 * Turns a plan of a subscription into the fetch that its events come from, and a step for each of them.
 * @throws UnplannableOperation for a plan of another kind of operation
 */
export function compileSubscription<Context>(
  { waves: [first = [], ...rest] }: OperationPlan,
  scope: PlanScope,
): { primary: CompiledRootFetch<Context>; step: FetchStep<Context> | undefined } {
  const [primary, ...others] = first;
  if (!primary || others.length > 0) throw new UnplannableOperation('a subscription has one field');
  return {
    primary: compileRootFetch(primary, scope.types, scope.clientVariables),
    step: rest.length > 0 ? inSequence(rest.map((wave) => compileWave<Context>(wave, scope))) : undefined,
  };
}

/** The requests of a wave, one for each subgraph and root. */
function compileWave<Context>(wave: readonly Fetch[], { types, clientVariables }: PlanScope): FetchStep<Context> {
  const steps: FetchStep<Context>[] = [];
  const entities = new Map<string, Fetch[]>();
  const pathOf = ({ path }: Fetch) => compileFlattenPath(path, types);
  for (const fetch of wave) {
    if (fetch.kind === 'entities') {
      const known = entities.get(fetch.service);
      if (known) known.push(fetch);
      else entities.set(fetch.service, [fetch]);
    } else if (fetch.path.length > 0) steps.push(compileNestedRoot(fetch, pathOf(fetch), types, clientVariables));
    else steps.push(rootFetchStep(compileRootFetch(fetch, types, clientVariables)));
  }
  for (const fetches of entities.values()) steps.push(compileEntityFetch(fetches, pathOf, types, clientVariables));
  return inParallel(steps);
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
