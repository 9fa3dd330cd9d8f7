import { Kind, type ObjectTypeDefinitionNode } from 'graphql';
import { fieldNamesOf, parseFieldSet } from '../supergraph/index.ts';
import { directivesOf } from './directives.ts';
import type { Supergraph } from './supergraph.ts';

/** Reports entities that have fields in a subgraph which cannot be joined with the other subgraphs' fields. */
export function unreachableEntities(supergraph: Supergraph): readonly string[] {
  const types = supergraph
    .document()
    .definitions.filter((one): one is ObjectTypeDefinitionNode => one.kind === Kind.OBJECT_TYPE_DEFINITION);
  return types.flatMap((type) => unreachableParts(type, supergraph));
}

interface EntitySubgraph {
  readonly subgraph: string;
  /** The field names of each key by which the subgraph returns the entity. */
  readonly keys: readonly (readonly string[])[];
}

function unreachableParts(type: ObjectTypeDefinitionNode, supergraph: Supergraph): readonly string[] {
  const name = type.name.value;
  const parts = new Map<string, EntitySubgraph>();
  for (const { graph, key, resolvable } of directivesOf(type, 'join__type')) {
    const subgraph = supergraph.subgraphNames.get(String(graph)) ?? String(graph);
    const keys = parts.get(subgraph)?.keys ?? [];
    const isKey = typeof key === 'string' && resolvable !== false;
    parts.set(subgraph, { subgraph, keys: isKey ? [...keys, fieldNamesOf(parseFieldSet(key))] : keys });
  }
  const isEntity = [...parts.values()].some(({ keys }) => keys.length > 0);
  if (!isEntity || parts.size < 2) return [];
  return [...parts.values()].flatMap(({ subgraph, keys }) => {
    const others = [...parts.keys()].filter((other) => other !== subgraph);
    const has = (other: string, field: string) => supergraph.coordinatesOf(other).has(`${name}.${field}`);
    const own = (type.fields ?? [])
      .map((field) => field.name.value)
      .filter((field) => has(subgraph, field) && !others.some((other) => has(other, field)));
    if (own.length === 0) return [];
    if (keys.some((key) => others.some((other) => key.every((field) => has(other, field))))) return [];
    const why =
      keys.length === 0
        ? 'it has no key there'
        : `no other subgraph has the fields of a key there (${keys.map((key) => `"${key.join(' ')}"`).join(', ')})`;
    return [
      `the entity "${name}" has no reachable key in "${subgraph}": ${why}, so only "${subgraph}" itself leads to "${own.join('", "')}"`,
    ];
  });
}
