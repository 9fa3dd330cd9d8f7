import { atOnce } from '../../../platform/index.ts';
import type { Supergraph } from '../../composition/index.ts';
import { openPlanners, type Planners, PlannerUnavailable, type PlanQuery } from '../../federation/index.ts';
import { readSupergraphTypes, resolveOverrides } from '../../supergraph/index.ts';
import type { OperationContext } from '../operation-context.ts';
import type { FederationEngine, SubgraphTargets } from './engine.ts';
import { type OverrideLevel, type OverrideSettings, overrideLevels } from './federation-overrides.ts';
import { type EnginePlanners, openPlannedEngine } from './federation-planned.ts';
import { openStitchedEngine } from './federation-stitched.ts';

export interface FederationEngineOptions {
  /** The labels of progressive overrides in the metadata. */
  readonly overrides?: OverrideSettings;
  /** Planners of the supergraph that are being opened already. It must have no labels. */
  readonly planners?: Promise<Planners | undefined> | undefined;
  /** A number from 0 to below 100, for each request to which percentages apply. */
  readonly draw?: () => number;
}

/**
 * Opens the engine that plans operations as a whole or, where its addon does not load, the one that stitches.
 *
 * @param targets where the subgraphs are, by their names.
 */
export async function openFederationEngine(
  supergraph: Supergraph,
  targets: SubgraphTargets,
  options: FederationEngineOptions = {},
): Promise<FederationEngine> {
  const { overrides = {}, planners: opening, draw = () => Math.random() * 100 } = options;
  const { labels } = supergraph;
  if (labels.length === 0) {
    const planners = await (opening ?? openAvailablePlanners(supergraph.definitions ?? supergraph.sdl));
    return openEngine(supergraph, targets, planners);
  }
  const document = supergraph.document();
  const planners = await openAvailablePlanners(supergraph.definitions ?? supergraph.sdl);
  const levels = overrideLevels(labels, overrides);
  const engines = levels.map(({ active }) =>
    lazily(() => {
      const resolved = resolveOverrides(document, active);
      const read = { ...supergraph, document: () => resolved, types: atOnce(readSupergraphTypes(resolved)) };
      if (!planners) return openEngine(read, targets, undefined);
      const plan: PlanQuery = (text, name) => planners.plan(text, name, active);
      return openEngine(read, targets, { ...planners, plan, planEntities: undefined });
    }),
  );
  const engine = deciding(levels, engines, draw);
  return planners ? { ...engine, setActive: (isActive) => planners.setActive(isActive) } : engine;
}

function openEngine(
  supergraph: Supergraph,
  targets: SubgraphTargets,
  planners: EnginePlanners | undefined,
): FederationEngine {
  const stitched = () => openStitchedEngine(supergraph, targets);
  return planners ? openPlannedEngine(supergraph, targets, planners, lazily(stitched)) : stitched();
}

/** Undefined where the addon of the planner does not load. */
export async function openAvailablePlanners(supergraph: string | readonly string[]): Promise<Planners | undefined> {
  try {
    return await openPlanners(supergraph);
  } catch (error) {
    if (!(error instanceof PlannerUnavailable)) throw error;
    return undefined;
  }
}

/** An engine for each decision about labels; a request draws once which of them runs all of it. */
function deciding(
  levels: readonly OverrideLevel[],
  engines: readonly (() => FederationEngine)[],
  draw: () => number,
): FederationEngine {
  const drawn = new WeakMap<OperationContext, number>();
  const levelFor = (context: OperationContext): number => {
    const known = drawn.get(context);
    if (known !== undefined) return known;
    const number = draw();
    const level = levels.findIndex(({ below }) => number < below);
    drawn.set(context, level);
    return level;
  };
  const [first] = engines;
  if (!first) throw new TypeError('there is always one decision at least');
  const engineFor = (context: OperationContext) => (engines[levelFor(context)] ?? first)();
  const { kind } = first();
  return {
    kind,
    execute: (request) => engineFor(request.context as OperationContext).execute(request),
    ...(kind === 'planned' && {
      compile: (operation) => {
        const prepared = engines.map((engine) => lazily(() => engine().compile?.(operation)));
        const one = prepared[0]?.();
        // Whether an operation can be prepared does not depend on which subgraphs answer it.
        if (!one) return undefined;
        return {
          kind: one.kind,
          run: (variables, context, done) => (prepared[levelFor(context)]?.() ?? one).run(variables, context, done),
        };
      },
      compileSubscription: (operation) => {
        const prepared = engines.map((engine) => engine().compileSubscription?.(operation));
        const [one] = prepared;
        if (!one || prepared.includes(undefined)) return undefined;
        return { open: (variables, context) => (prepared[levelFor(context)] ?? one).open(variables, context) };
      },
    }),
  };
}

function lazily<T>(open: () => T): () => T {
  let opened: { readonly value: T } | undefined;
  return () => {
    opened ??= { value: open() };
    return opened.value;
  };
}
