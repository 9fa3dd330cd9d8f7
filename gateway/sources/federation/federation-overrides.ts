import type { RemoteSchemaMetadata } from '../../metadata/index.ts';
import type { SourceProblem } from '../source.ts';

/** The metadata's settings of progressive override labels: on, off, or a percentage of the requests. */
export type OverrideSettings = NonNullable<RemoteSchemaMetadata['definition']['override_labels']>;

/** A decision about all labels of a graph and its share of the requests. */
export interface OverrideLevel {
  /** The upper end of the level's range of draws, from 0 to 100. The range starts at the previous level's end. */
  readonly below: number;
  /** The labels whose overrides apply. */
  readonly active: ReadonlySet<string>;
}

/**
 * Lists the decisions about labels, of which each request draws one. A request in the range of a 5 percent label is
 * also in the range of a 50 percent label. The number of decisions is therefore one more than the number of
 * percentages, however many labels there are.
 */
export function overrideLevels(labels: readonly string[], settings: OverrideSettings): readonly OverrideLevel[] {
  const percentages = new Map(labels.map((label) => [label, percentageOf(label, settings)]));
  const bounds = new Set([...percentages.values()].filter((one) => one > 0 && one < 100));
  return [...bounds, 100]
    .sort((one, other) => one - other)
    .map((below) => ({
      below,
      active: new Set(labels.filter((label) => (percentages.get(label) ?? 0) >= below)),
    }));
}

/** The percentage of a label. A label `percent(…)` needs no setting. Any other label is off by default. */
function percentageOf(label: string, settings: OverrideSettings): number {
  const set = Object.hasOwn(settings, label) ? settings[label] : undefined;
  if (typeof set === 'boolean') return set ? 100 : 0;
  return set ?? Number(/^percent\(([\d.]+)\)$/.exec(label)?.[1] ?? 0);
}

/** The override labels of a subgraph. */
export interface Overriding {
  readonly name: string;
  /** The labels in its SDL. */
  readonly labels: ReadonlySet<string>;
  readonly settings: OverrideSettings | undefined;
}

/**
 * Merges the override settings of subgraphs. A label means the same in the whole graph.
 * @returns the problems of each subgraph instead if there are any
 */
export function groupOverrides(
  members: readonly Overriding[],
): { settings: OverrideSettings } | { problems: ReadonlyMap<string, readonly SourceProblem[]> } {
  const problems = new Map<string, SourceProblem[]>();
  const all = new Map<string, { by: string; value: boolean | number }>();
  for (const { name, labels, settings = {} } of members) {
    const own = Object.entries(settings).flatMap(([label, value]): SourceProblem[] => {
      const path = ['definition', 'override_labels', label];
      if (!labels.has(label)) return [{ message: unknownLabel(labels), path }];
      const known = all.get(label) ?? { by: name, value };
      all.set(label, known);
      const message = `the subgraph "${known.by}" says ${known.value} for this label: it is one label in the whole graph`;
      return known.value === value ? [] : [{ message, path }];
    });
    if (own.length > 0) problems.set(name, own);
  }
  if (problems.size > 0) return { problems };
  return { settings: Object.fromEntries([...all].map(([label, { value }]) => [label, value])) };
}

/** The problem of a setting for an unknown label. */
export function unknownLabel(labels: ReadonlySet<string>): string {
  const known = labels.size > 0 ? `its labels are "${[...labels].join('", "')}"` : 'it has no labels';
  return `no @override has this label: ${known}`;
}
