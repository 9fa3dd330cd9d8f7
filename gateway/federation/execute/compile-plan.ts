import { UnplannableOperation } from '../errors.ts';
import type { Fetch, OperationPlan } from '../plan/index.ts';
import { describeFetches, type FetchDescription } from './describe-fetches.ts';
import { compileEntityFetch } from './entity-fetch.ts';
import { compileFlattenPath } from './flatten-path.ts';
import { type PlacesOfOneFetch, placesOfOneFetch } from './repeated-objects.ts';
import { type CompiledRootFetch, compileNestedRoot, compileRootFetch, rootFetchStep } from './root-fetch.ts';
import { compileRootFields } from './root-fields-fetch.ts';
import type { FetchStep, PlanRun } from './run.ts';
import type { PlanScope, Services } from './services.ts';

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
  plan: OperationPlan,
  scope: PlanScope<Context>,
  before: number,
): CompiledPlan<Context> {
  const { waves } = plan;
  const places = placesOfOneFetch(plan);
  return {
    step: inSequence(
      waves.map((wave, index) => compileWave(wave, scope, places, index > 0)),
      scope.services,
    ),
    waves: waves.length,
    fetches: describeFetches(waves, before),
  };
}

/**
 * Turns a plan of a subscription into the fetch that its events come from, and a step for each of them.
 * @throws UnplannableOperation for a plan of another kind of operation
 */
export function compileSubscription<Context>(
  plan: OperationPlan,
  scope: PlanScope<Context>,
): { primary: CompiledRootFetch<Context>; step: FetchStep<Context> | undefined } {
  const [[primary, ...others] = [], ...rest] = plan.waves;
  const places = placesOfOneFetch(plan);
  if (!primary || others.length > 0) throw new UnplannableOperation('a subscription has one field');
  return {
    primary: compileRootFetch(primary, scope, places),
    step:
      rest.length > 0
        ? inSequence(
            rest.map((wave) => compileWave(wave, scope, places, true)),
            scope.services,
          )
        : undefined,
  };
}

/** The requests of a wave, one for each service and kind. @param isJoin whether other waves come before */
function compileWave<Context>(
  wave: readonly Fetch[],
  scope: PlanScope<Context>,
  places: PlacesOfOneFetch,
  isJoin: boolean,
): FetchStep<Context> {
  const steps: FetchStep<Context>[] = [];
  const entities = new Map<string, Fetch[]>();
  const rootFields = new Map<string, Fetch[]>();
  const pathOf = ({ path }: Fetch) => compileFlattenPath(path, scope.types);
  const addTo = (byService: Map<string, Fetch[]>, fetch: Fetch) => {
    const known = byService.get(fetch.service);
    if (known) known.push(fetch);
    else byService.set(fetch.service, [fetch]);
  };
  for (const fetch of wave) {
    if (fetch.kind === 'entities') addTo(entities, fetch);
    else if (fetch.kind === 'root-fields') addTo(rootFields, fetch);
    else if (fetch.path.length > 0) steps.push(compileNestedRoot(fetch, pathOf(fetch), scope));
    else steps.push(rootFetchStep(compileRootFetch(fetch, scope, places)));
  }
  for (const fetches of entities.values()) steps.push(compileEntityFetch(fetches, pathOf, scope, places));
  for (const fetches of rootFields.values()) steps.push(compileRootFields(fetches, pathOf, scope));
  const step = inParallel(steps);
  const { beginJoin } = scope.services;
  return isJoin && beginJoin ? recorded(step, beginJoin) : step;
}

/** Records a wave, unless it makes no call. */
function recorded<Context>(
  step: FetchStep<Context>,
  beginJoin: NonNullable<Services<Context>['beginJoin']>,
): FetchStep<Context> {
  return (run, done) => {
    let join: ReturnType<typeof beginJoin>;
    let calls = 0;
    const joining: PlanRun<Context> = {
      ...run,
      get context() {
        join ??= beginJoin(run.context);
        calls++;
        return join?.context ?? run.context;
      },
    };
    step(joining, () => {
      join?.end(calls);
      done();
    });
  };
}

function inSequence<Context>(
  steps: readonly FetchStep<Context>[],
  { isUnneeded }: Services<Context>,
): FetchStep<Context> {
  const [only] = steps;
  if (only && steps.length === 1) return only;
  return (run, done) => {
    const begin = (index: number) => {
      const step = steps[index];
      if (step && !(index > 0 && isUnneeded?.(run.context))) step(run, () => begin(index + 1));
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
