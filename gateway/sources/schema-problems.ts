import { type GraphQLSchema, OperationTypeNode, validateSchema } from 'graphql';

/**
 * The validation errors of a schema that becomes part of the graph. A missing query root type is not an error, since
 * the whole graph always has one.
 */
export function schemaValidationProblems(schema: GraphQLSchema): readonly string[] {
  const problems = validateSchema(schema)
    .map((error) => error.message)
    .filter((message) => message !== 'Query root type must be provided.');
  return [...problems, ...sharedRootTypes(schema)];
}

/** Reports root types that are not distinct (GraphQL section 3.3.1). graphql-js does not check this. */
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
