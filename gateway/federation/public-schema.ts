import { transformSupergraphToPublicSchema } from '@theguild/federation-composition';
import { buildASTSchema, type DocumentNode, type GraphQLSchema, Kind, type NamedTypeNode, visit } from 'graphql';

/** What clients see of a supergraph: without the directives of federation, and without what is inaccessible. */
export function buildPublicSchema(supergraph: DocumentNode): GraphQLSchema {
  const reduced = transformSupergraphToPublicSchema(supergraph);
  const names = new Set<string>();
  for (const definition of reduced.definitions) {
    if (definition.kind === Kind.OBJECT_TYPE_DEFINITION || definition.kind === Kind.INTERFACE_TYPE_DEFINITION) {
      names.add(definition.name.value);
    }
  }
  // The reduction takes inaccessible types out, but leaves unions and interfaces that name them.
  const known = (types: readonly NamedTypeNode[] | undefined) =>
    (types ?? []).filter(({ name }) => names.has(name.value));
  const closed: DocumentNode = visit(reduced, {
    UnionTypeDefinition: (node) => ({ ...node, types: known(node.types) }),
    ObjectTypeDefinition: (node) => ({ ...node, interfaces: known(node.interfaces) }),
    InterfaceTypeDefinition: (node) => ({ ...node, interfaces: known(node.interfaces) }),
  });
  return buildASTSchema(closed, { assumeValidSDL: true });
}
