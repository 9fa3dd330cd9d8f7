import type { Sliced } from '../../../../platform/index.ts';
import { UnplannableOperation } from '../errors.ts';
import type { Fetch, OperationPlan } from '../plan/index.ts';
import { type PlacesOfOneFetch, placesOfOneFetch } from '../sharing/index.ts';
import { compileEntityFetch } from './entity-fetch.ts';
import { compileFlattenPath } from './flatten-path.ts';
import { type CompiledRootFetch, compileNestedRoot, compileRootFetch, rootFetchStep } from './root-fetch.ts';
import { compileRootFields } from './root-fields-fetch.ts';
import type { FetchStep, PlanRun } from './run.ts';
import type { PlanScope, Services } from './services.ts';

/**
 * Compiles a plan of a query or of a single mutation into a step.
 * @param before the number of preceding waves
 * @param places the places of the whole operation's plan
 */
export function* compilePlan<Context>(
  plan: OperationPlan,
  scope: PlanScope<Context>,
  before = 0,
  places = placesOfOneFetch(plan),
): Sliced<FetchStep<Context>> {
  const steps: FetchStep<Context>[] = [];
  for (const [index, wave] of plan.waves.entries())
    steps.push(yield* compileWave(wave, scope, places, before + index > 0));
  return inSequence(steps, scope.services);
}

/**
 * Compiles a plan of a subscription into the fetch that provides its events and a step for each event.
 * @throws UnplannableOperation if the plan is not that of a subscription
 */
export function* compileSubscription<Context>(
  plan: OperationPlan,
  scope: PlanScope<Context>,
): Sliced<{ primary: CompiledRootFetch<Context>; step: FetchStep<Context> | undefined }> {
  const [[primary, ...others] = [], ...rest] = plan.waves;
  const places = placesOfOneFetch(plan);
  if (!primary || others.length > 0) throw new UnplannableOperation('a subscription has one field');
  return {
    primary: compileRootFetch(primary, scope, places),
    step: rest.length > 0 ? yield* compilePlan({ waves: rest }, scope, 1, places) : undefined,
  };
}

/** Compiles the requests of a wave, one for each service and kind. @param isJoin whether other waves come before */
function* compileWave<Context>(
  wave: readonly Fetch[],
  scope: PlanScope<Context>,
  places: PlacesOfOneFetch,
  isJoin: boolean,
): Sliced<FetchStep<Context>> {
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
    else {
      yield* turnFor([fetch], scope);
      if (fetch.path.length > 0) steps.push(compileNestedRoot(fetch, pathOf(fetch), scope));
      else steps.push(rootFetchStep(compileRootFetch(fetch, scope, places)));
    }
  }
  for (const fetches of entities.values()) {
    yield* turnFor(fetches, scope);
    steps.push(compileEntityFetch(fetches, pathOf, scope, places));
  }
  for (const fetches of rootFields.values()) {
    yield* turnFor(fetches, scope);
    steps.push(compileRootFields(fetches, pathOf, scope));
  }
  const step = inParallel(steps);
  const { beginJoin } = scope.services;
  return isJoin && beginJoin ? recorded(step, beginJoin) : step;
}

/** Yields before compiling a request if the current slice is used up. */
function* turnFor<Context>(fetches: readonly Fetch[], { steps }: PlanScope<Context>): Sliced<void> {
  for (const { size } of fetches) steps.spend(size);
  if (steps.endSlice()) yield;
}

/** Records a wave if it makes calls. */
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
