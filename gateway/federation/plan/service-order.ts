import type { PlanNode } from '@graphql-hive/router-query-planner';
import { type DocumentNode, type InterfaceTypeDefinitionNode, Kind, parse, print, visit } from 'graphql';
import { directiveArgument, graphNames, hasTrueArgument } from '../../supergraph/index.ts';
import { hasInterfaceObjects } from './plannable/index.ts';

/** A supergraph with other names of its subgraphs, and the way back. */
export interface RenamedSupergraph {
  readonly sdl: string;
  /** A plan of it, with the subgraphs' own names. */
  restore(plan: PlanNode): PlanNode;
}

/** The subgraphs whose names have to come before that of another one, by their values of `join__Graph`. */
type Predecessors = ReadonlyMap<string, ReadonlySet<string>>;

/**
 * Renames subgraphs so that those with an interface object come after those that have the interface. The planner (0.0.38)
 * reads subgraphs in the order of their names, and finds no way from an interface object to the types of an interface that
 * it reads later.
 */
export function withServiceOrder(sdl: string): RenamedSupergraph {
  const unchanged: RenamedSupergraph = { sdl, restore: (plan) => plan };
  if (!hasInterfaceObjects(sdl)) return unchanged;
  const supergraph = parse(sdl, { noLocation: true });
  const names = graphNames(supergraph);
  const predecessors = predecessorsIn(supergraph);
  const nameOf = (graph: string) => names.get(graph) ?? '';
  if ([...predecessors].every(([graph, others]) => [...others].every((other) => nameOf(other) < nameOf(graph))))
    return unchanged;
  const ranks = ranksOf(predecessors);
  const renamed = new Map([...names].map(([graph, name]) => [name, `${rankText(ranks.get(graph) ?? 0)}${name}`]));
  const own = new Map([...renamed].map(([name, other]) => [other, name]));
  return {
    sdl: print(withServiceNames(supergraph, renamed)),
    restore: (plan) =>
      JSON.parse(JSON.stringify(plan), (key, value) => (key === 'serviceName' ? (own.get(value) ?? value) : value)),
  };
}

/** Of one length, so that all names are in the order of their ranks whatever characters they have. */
function rankText(rank: number): string {
  return `${String(rank).padStart(6, '0')}_`;
}

function predecessorsIn({ definitions }: DocumentNode): Predecessors {
  const found = new Map<string, Set<string>>();
  for (const definition of definitions) {
    if (definition.kind !== Kind.INTERFACE_TYPE_DEFINITION) continue;
    const withInterface = graphsOfInterface(definition, false);
    for (const graph of graphsOfInterface(definition, true))
      found.set(graph, new Set([...(found.get(graph) ?? []), ...withInterface]));
  }
  return found;
}

function graphsOfInterface({ directives = [] }: InterfaceTypeDefinitionNode, areObjects: boolean): readonly string[] {
  return directives.flatMap((join) => {
    const graph = join.name.value === 'join__type' ? directiveArgument(join, 'graph') : undefined;
    return graph !== undefined && hasTrueArgument(join, 'isInterfaceObject') === areObjects ? [graph] : [];
  });
}

/** The length of the longest chain of predecessors. Of those that form a circle, some come before their predecessors. */
function ranksOf(predecessors: Predecessors): ReadonlyMap<string, number> {
  const ranks = new Map<string, number>();
  const rankOf = (graph: string): number => {
    const known = ranks.get(graph);
    if (known !== undefined) return known;
    // For those that it precedes itself.
    ranks.set(graph, 0);
    const rank = Math.max(0, ...[...(predecessors.get(graph) ?? [])].map((other) => 1 + rankOf(other)));
    ranks.set(graph, rank);
    return rank;
  };
  for (const graph of predecessors.keys()) rankOf(graph);
  return ranks;
}

/** Where subgraphs are named: the argument of each directive. */
const NAMING_ARGUMENTS: ReadonlyMap<string, string> = new Map([
  ['join__graph', 'name'],
  ['join__field', 'override'],
]);

function withServiceNames(supergraph: DocumentNode, names: ReadonlyMap<string, string>): DocumentNode {
  return visit(supergraph, {
    Directive: (directive) => {
      const argument = NAMING_ARGUMENTS.get(directive.name.value);
      const given = directive.arguments?.find((one) => one.name.value === argument);
      const name = given?.value.kind === Kind.STRING ? names.get(given.value.value) : undefined;
      if (given === undefined || name === undefined) return false;
      const renamed = { ...given, value: { kind: Kind.STRING, value: name } as const };
      return { ...directive, arguments: (directive.arguments ?? []).map((one) => (one === given ? renamed : one)) };
    },
  });
}
