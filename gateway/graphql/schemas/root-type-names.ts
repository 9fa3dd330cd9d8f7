import { OperationTypeNode } from 'graphql';

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
