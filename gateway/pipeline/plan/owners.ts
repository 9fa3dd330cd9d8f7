import type { OperationDefinitionNode } from 'graphql';
import type { RoleGraph } from '../../graph/index.ts';
import { type Fragments, isIntrospectionField } from '../../graphql/syntax/index.ts';
import type { Subschema } from '../../sources/index.ts';
import { rootFieldsOf } from '../document/index.ts';

/** The owner of root fields: a subschema, or the graph itself for introspection. */
export type Owner = Subschema | 'graph';

/** The owner of a root field. Undefined if no source has the field. */
export function ownerOf(operation: OperationDefinitionNode, name: string, graph: RoleGraph): Owner | undefined {
  return name.startsWith('__') ? 'graph' : graph.subschemaOf(operation.operation, name);
}

/**
 * The owners of an operation's root fields. A single source also resolves `__typename` at the root, since its root
 * types have the graph's names.
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
