import type { OperationDefinitionNode } from 'graphql';
import type { RoleGraph } from '../../graph/index.ts';
import { type Fragments, isIntrospectionField } from '../../graphql/syntax/index.ts';
import type { Subschema } from '../../sources/index.ts';
import { rootFieldsOf } from '../document/index.ts';

/** The owner of root fields: a subschema, or the graph itself for introspection. */
export type Owner = Subschema | 'graph';

/** The owner of one root field; undefined for one that no source has. */
export function ownerOf(operation: OperationDefinitionNode, name: string, graph: RoleGraph): Owner | undefined {
  return name.startsWith('__') ? 'graph' : graph.subschemaOf(operation.operation, name);
}

/**
 * The owners of an operation's root fields. A single source also resolves the root `__typename`: its root types have
 * the names of the graph's.
 */
export function ownersOf(
  operation: OperationDefinitionNode,
  fragments: Fragments,
  graph: RoleGraph,
): ReadonlySet<Owner | undefined> {
  const names = new Set(rootFieldsOf(operation, fragments).map(({ name }) => name));
  const owners = new Set([...names].map((name) => ownerOf(operation, name, graph)));
  const isAboutSchema = [...names].some(isIntrospectionField);
  if (owners.size === 2 && !isAboutSchema) owners.delete('graph');
  return owners;
}
