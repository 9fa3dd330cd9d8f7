import { type GraphQLSchema, OperationTypeNode } from 'graphql';

/** The names of the graph's root types. */
export type RootTypeNames = Readonly<Record<OperationTypeNode, string>>;

/** The default names of the GraphQL specification (section 3.3.1). The gateway uses them internally. */
export const STANDARD_ROOT_TYPES: RootTypeNames = {
  [OperationTypeNode.QUERY]: 'Query',
  [OperationTypeNode.MUTATION]: 'Mutation',
  [OperationTypeNode.SUBSCRIPTION]: 'Subscription',
};

/** The names in Hasura v2. */
export const HASURA_ROOT_TYPES: RootTypeNames = {
  [OperationTypeNode.QUERY]: 'query_root',
  [OperationTypeNode.MUTATION]: 'mutation_root',
  [OperationTypeNode.SUBSCRIPTION]: 'subscription_root',
};

const OPERATION_TYPES = Object.values(OperationTypeNode);

/** The operation whose root type in a schema has a name. Undefined if the type is not a root type. */
export function operationOfRootType(name: string, schema: GraphQLSchema): OperationTypeNode | undefined {
  return OPERATION_TYPES.find((operation) => schema.getRootType(operation)?.name === name);
}

/** The name of a schema's root type in another schema. Undefined if the type is not a root type of both. */
export function rootTypeNameIn(name: string, from: GraphQLSchema, to: GraphQLSchema): string | undefined {
  const operation = operationOfRootType(name, from);
  return operation && to.getRootType(operation)?.name;
}
