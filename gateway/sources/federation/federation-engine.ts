import type { Supergraph } from '../../planning/composition/index.ts';
import { readSupergraphTypes, resolveOverrides } from '../../planning/supergraph/index.ts';
import type { OperationContext } from '../operation-context.ts';
import type { FederationEngine, SubgraphTargets } from './engine.ts';
import { type OverrideLevel, type OverrideSettings, overrideLevels } from './federation-overrides.ts';
import { openPlannedEngine } from './federation-planned.ts';

export interface FederationEngineOptions {
  /** The labels of progressive overrides in the metadata. */
  readonly overrides?: OverrideSettings;
  /** Returns a number from 0 to below 100. Called once for each request to which percentages apply. */
  readonly draw?: () => number;
}

/**
 * Opens the engine of a supergraph.
 *
 * @param targets the subgraphs' targets, by name.
 */
export function openFederationEngine(
  supergraph: Supergraph,
  targets: SubgraphTargets,
  { overrides = {}, draw = () => Math.random() * 100 }: FederationEngineOptions = {},
): FederationEngine {
  const { labels } = supergraph;
  if (labels.length === 0) return openPlannedEngine(supergraph, targets);
  const document = supergraph.document();
  const levels = overrideLevels(labels, overrides);
  const engines = levels.map(({ active }) =>
    lazily(() => {
      const types = readSupergraphTypes(resolveOverrides(document, active));
      return openPlannedEngine({ ...supergraph, types }, targets);
    }),
  );
  return deciding(levels, engines, draw);
}

/** Combines one engine per decision about labels. Each request draws once which engine runs all of it. */
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
  return {
    compile: (operation, refusal) => {
      const prepared = engines.map((engine) => lazily(() => engine().compile(operation, refusal)));
      const one = prepared[0]?.();
      // Whether an operation can be compiled does not depend on the subgraphs that resolve it.
      if (!one) return undefined;
      return {
        kind: one.kind,
        describe: (variables) => one.describe?.(variables),
        run: (variables, context, done) => (prepared[levelFor(context)]?.() ?? one).run(variables, context, done),
      };
    },
    compileSubscription: (operation, refusal) => {
      const prepared = engines.map((engine) => engine().compileSubscription(operation, refusal));
      const [one] = prepared;
      if (!one || prepared.includes(undefined)) return undefined;
      return { open: (variables, context) => (prepared[levelFor(context)] ?? one).open(variables, context) };
    },
  };
}

function lazily<T>(open: () => T): () => T {
  let opened: { readonly value: T } | undefined;
  return () => {
    opened ??= { value: open() };
    return opened.value;
  };
}
