import { type GraphQLSchema, validateSchema } from 'graphql';

/**
 * What GraphQL holds against a schema that is to be a part of the graph. That it has no queries is not held against it:
 * the graph as a whole always has some.
 */
export function schemaProblems(schema: GraphQLSchema): readonly string[] {
  return validateSchema(schema)
    .map((error) => error.message)
    .filter((message) => message !== 'Query root type must be provided.');
}
