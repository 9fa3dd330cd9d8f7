import { GraphQLError, type GraphQLSchema, parse, validate } from 'graphql';
import { type MetadataProblem, namedRoles } from '../metadata/index.ts';
import { ADMIN_ROLE } from '../sources/index.ts';
import type { Generation } from './generation.ts';

/**
 * Saved operations that nobody could run. Nothing is said while a source is missing, because its fields are missing too
 * then.
 *
 * @returns the problem of each, by the operation's text.
 */
export function brokenOperations(generation: Generation): ReadonlyMap<string, MetadataProblem> {
  const broken = new Map<string, MetadataProblem>();
  if (generation.missing.length > 0) return broken;
  const { metadata } = generation;
  const errorsFor = (role: string, query: string) => operationErrors(query, generation.graphOf(role).accepted);
  metadata.queryCollections.forEach((collection, index) => {
    collection.definition.queries.forEach(({ name, query }, position) => {
      const errors = errorsFor(ADMIN_ROLE, query);
      if (errors.length === 0) return;
      // An argument that the whole graph demands may be preset for a role.
      if (namedRoles(metadata).some((role) => errorsFor(role, query).length === 0)) return;
      const place = metadata.place('queryCollections', [index, 'definition', 'queries', position]);
      broken.set(query, { ...place, message: `"${name}" is valid for no role: ${errors.join('; ')}` });
    });
  });
  return broken;
}

/** What is wrong with an operation on a schema, its syntax included. */
export function operationErrors(query: string, schema: GraphQLSchema): readonly string[] {
  try {
    return validate(schema, parse(query)).map((error) => error.message);
  } catch (error) {
    return [error instanceof GraphQLError ? error.message : String(error)];
  }
}
