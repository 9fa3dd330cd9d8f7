import { type GraphQLSchema, OperationTypeNode, validateSchema } from 'graphql';

/**
 * The validation errors of a schema that becomes a part of the graph. A missing query root type is none: the graph as a
 * whole always has one.
 */
export function schemaValidationProblems(schema: GraphQLSchema): readonly string[] {
  const problems = validateSchema(schema)
    .map((error) => error.message)
    .filter((message) => message !== 'Query root type must be provided.');
  return [...problems, ...sharedRootTypes(schema)];
}

/** Root types are all different (GraphQL section 3.3.1), which graphql-js does not look at. */
function sharedRootTypes(schema: GraphQLSchema): readonly string[] {
  const operations = new Map<string, OperationTypeNode[]>();
  for (const operation of Object.values(OperationTypeNode)) {
    const name = schema.getRootType(operation)?.name;
    if (name !== undefined) operations.set(name, [...(operations.get(name) ?? []), operation]);
  }
  return [...operations]
    .filter(([, sharing]) => sharing.length > 1)
    .map(([name, sharing]) => `"${name}" is the root type of ${sharing.join(' and ')}: each requires its own type`);
}
