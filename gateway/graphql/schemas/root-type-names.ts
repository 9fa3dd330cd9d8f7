import { OperationTypeNode } from 'graphql';

/** The names of the graph's root types. */
export type RootTypeNames = Readonly<Record<OperationTypeNode, string>>;

/** As the GraphQL specification has them by default (section 3.3.1); within the gateway they are always called so. */
export const STANDARD_ROOT_TYPES: RootTypeNames = {
  [OperationTypeNode.QUERY]: 'Query',
  [OperationTypeNode.MUTATION]: 'Mutation',
  [OperationTypeNode.SUBSCRIPTION]: 'Subscription',
};

/** As Hasura v2 calls them. */
export const HASURA_ROOT_TYPES: RootTypeNames = {
  [OperationTypeNode.QUERY]: 'query_root',
  [OperationTypeNode.MUTATION]: 'mutation_root',
  [OperationTypeNode.SUBSCRIPTION]: 'subscription_root',
};
