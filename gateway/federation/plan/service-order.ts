import type { PlanNode } from '@graphql-hive/router-query-planner';
import {
  type ConstDirectiveNode,
  type DocumentNode,
  type EnumValueDefinitionNode,
  type InterfaceTypeDefinitionNode,
  Kind,
  parse,
  print,
  visit,
} from 'graphql';
import { directiveArgument, hasTrueArgument } from '../../supergraph/index.ts';

/** A supergraph with other names of its subgraphs, and the way back. */
export interface RenamedSupergraph {
  readonly sdl: string;
  /** A plan of it, with the subgraphs' own names. */
  restore(plan: PlanNode): PlanNode;
}

/** The subgraphs whose names have to come before that of another one. */
type Predecessors = ReadonlyMap<string, ReadonlySet<string>>;

/**
 * Renames subgraphs so that those with an interface object come after those that have the interface. The planner (0.0.38)
 * reads subgraphs in the order of their names, and finds no way from an interface object to the types of an interface that
 * it reads later.
 */
export function withServiceOrder(sdl: string): RenamedSupergraph {
  const unchanged: RenamedSupergraph = { sdl, restore: (plan) => plan };
  if (!sdl.includes('isInterfaceObject: true')) return unchanged;
  const supergraph = parse(sdl, { noLocation: true });
  const names = serviceNames(supergraph);
  const predecessors = predecessorsIn(supergraph);
  const nameOf = (graph: string) => names.get(graph) ?? '';
  if ([...predecessors].every(([graph, others]) => [...others].every((other) => nameOf(other) < nameOf(graph))))
    return unchanged;
  const renamed = new Map(
    [...names].map(([graph, name]) => [graph, SORTED_LAST.repeat(rankOf(graph, predecessors, [])) + name]),
  );
  const own = new Map([...names].map(([graph, name]) => [renamed.get(graph), name]));
  return {
    sdl: print(withServiceNames(supergraph, renamed)),
    restore: (plan) =>
      JSON.parse(JSON.stringify(plan), (key, value) => (key === 'serviceName' ? (own.get(value) ?? value) : value)),
  };
}

/** It comes after the other characters that names of subgraphs have. */
const SORTED_LAST = '~';

/** By their values of `join__Graph`. */
function serviceNames({ definitions }: DocumentNode): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  for (const definition of definitions)
    if (definition.kind === Kind.ENUM_TYPE_DEFINITION && definition.name.value === 'join__Graph')
      for (const value of definition.values ?? [])
        for (const directive of value.directives ?? [])
          names.set(value.name.value, directiveArgument(directive, 'name') ?? '');
  return names;
}

function predecessorsIn({ definitions }: DocumentNode): Predecessors {
  const found = new Map<string, Set<string>>();
  for (const definition of definitions) {
    if (definition.kind !== Kind.INTERFACE_TYPE_DEFINITION) continue;
    const withInterface = graphsOf(definition, false);
    for (const graph of graphsOf(definition, true))
      found.set(graph, new Set([...(found.get(graph) ?? []), ...withInterface]));
  }
  return found;
}

function graphsOf({ directives = [] }: InterfaceTypeDefinitionNode, areObjects: boolean): readonly string[] {
  return directives.flatMap((join) => {
    const graph = join.name.value === 'join__type' ? directiveArgument(join, 'graph') : undefined;
    return graph !== undefined && hasTrueArgument(join, 'isInterfaceObject') === areObjects ? [graph] : [];
  });
}

/** The length of the longest chain of predecessors, which may be circular. */
function rankOf(graph: string, predecessors: Predecessors, after: readonly string[]): number {
  const chain = [...after, graph];
  const before = [...(predecessors.get(graph) ?? [])].filter((other) => !chain.includes(other));
  return Math.max(0, ...before.map((other) => 1 + rankOf(other, predecessors, chain)));
}

function withServiceNames(supergraph: DocumentNode, names: ReadonlyMap<string, string>): DocumentNode {
  return visit(supergraph, {
    EnumTypeDefinition: (type) => (type.name.value === 'join__Graph' ? undefined : false),
    EnumValueDefinition: (value: EnumValueDefinitionNode) => ({
      ...value,
      directives: (value.directives ?? []).map((one) => withName(one, names.get(value.name.value) ?? '')),
    }),
  });
}

function withName(directive: ConstDirectiveNode, name: string): ConstDirectiveNode {
  const given = (directive.arguments ?? []).map((one) =>
    one.name.value === 'name' ? { ...one, value: { kind: Kind.STRING, value: name } as const } : one,
  );
  return { ...directive, arguments: given };
}
