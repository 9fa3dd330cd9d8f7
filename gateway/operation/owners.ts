import type { OperationDefinitionNode } from 'graphql';
import type { RoleGraph } from '../graph/index.ts';
import type { Subschema } from '../sources/index.ts';
import { rootFieldsOf } from './documents.ts';
import type { Fragments } from './sub-operation.ts';

/** Who answers root fields: a part of a source, or the graph itself, of which introspection asks. */
export type Owner = Subschema | 'graph';

/** Who answers one root field; undefined for one that only the stitched schema has. */
export function ownerOf(operation: OperationDefinitionNode, name: string, graph: RoleGraph): Owner | undefined {
  return name.startsWith('__') ? 'graph' : graph.subschemaOf(operation.operation, name);
}

/**
 * Who answers an operation. Where that is one source, it answers root `__typename` too: its root types are called as the
 * graph's.
 */
export function ownersOf(
  operation: OperationDefinitionNode,
  fragments: Fragments,
  graph: RoleGraph,
): ReadonlySet<Owner | undefined> {
  const names = new Set(rootFieldsOf(operation, fragments).map(({ name }) => name));
  const owners = new Set([...names].map((name) => ownerOf(operation, name, graph)));
  const isAboutSchema = names.has('__schema') || names.has('__type');
  if (owners.size === 2 && !isAboutSchema) owners.delete('graph');
  return owners;
}
