import { transformSupergraphToPublicSchema } from '@theguild/federation-composition';
import {
  buildASTSchema,
  type DocumentNode,
  type GraphQLSchema,
  Kind,
  type NamedTypeNode,
  type SchemaDefinitionNode,
} from 'graphql';

/** Builds the API schema of a supergraph, without federation directives and `@inaccessible` elements. */
export function buildPublicSchema(supergraph: DocumentNode): GraphQLSchema {
  return buildASTSchema(publicDocument(supergraph), { assumeValidSDL: true });
}

/** The public schema as type definitions. */
export function publicDocument(supergraph: DocumentNode): DocumentNode {
  const reduced = transformSupergraphToPublicSchema(supergraph);
  const names = new Set<string>();
  for (const definition of reduced.definitions) {
    if (definition.kind === Kind.OBJECT_TYPE_DEFINITION || definition.kind === Kind.INTERFACE_TYPE_DEFINITION) {
      names.add(definition.name.value);
    }
  }
  // The transformation removes inaccessible types but not their names in unions and `implements`.
  const known = (types: readonly NamedTypeNode[] | undefined) =>
    (types ?? []).filter(({ name }) => names.has(name.value));
  const definitions = reduced.definitions.map((node) => {
    if (node.kind === Kind.UNION_TYPE_DEFINITION) return { ...node, types: known(node.types) };
    if (node.kind === Kind.OBJECT_TYPE_DEFINITION || node.kind === Kind.INTERFACE_TYPE_DEFINITION)
      return { ...node, interfaces: known(node.interfaces) };
    return node;
  });
  return { ...reduced, definitions: [...rootTypes(supergraph), ...definitions] };
}

/**
 * The schema definition with the names of the root types, which the transformation omits. The definition is not needed
 * if the names are the usual ones. This gateway's composition uses these; other tools may not.
 */
function rootTypes({ definitions }: DocumentNode): readonly SchemaDefinitionNode[] {
  const schema = definitions.find((one) => one.kind === Kind.SCHEMA_DEFINITION);
  const isUsual = (schema?.operationTypes ?? []).every(
    ({ operation, type }) => type.name.value.toLowerCase() === operation,
  );
  return !schema || isUsual ? [] : [{ ...schema, directives: [] }];
}
