import { stitchSchemas } from '@graphql-tools/stitch';
import {
  type GraphQLObjectType,
  GraphQLSchema,
  GraphQLString,
  GraphQLObjectType as ObjectType,
  type OperationTypeNode,
} from 'graphql';
import type { Call, Subschema } from '../sources/index.ts';

/** The graph as one role sees it. What the role may not see does not exist in it. */
export interface RoleGraph {
  readonly schema: GraphQLSchema;
  /** Whether the role has this root field; the placeholder below is none. */
  hasRootField(operation: OperationTypeNode, name: string): boolean;
}

/** GraphQL demands a query root; a role without queries gets this field, as in Hasura. */
const PLACEHOLDER = 'no_queries_available';

/** Stitches the parts that a role may see into one schema. */
export function buildRoleGraph(subschemas: readonly Subschema[]): RoleGraph {
  const hasQueries = subschemas.some((subschema) => subschema.schema.getQueryType());
  const schema = stitchSchemas<Call>({
    subschemas: hasQueries ? [...subschemas] : [...subschemas, { schema: placeholderSchema() }],
    mergeDirectives: false,
  });
  const roots: Record<OperationTypeNode, GraphQLObjectType | null | undefined> = {
    query: hasQueries ? schema.getQueryType() : undefined,
    mutation: schema.getMutationType(),
    subscription: schema.getSubscriptionType(),
  };
  return {
    schema,
    hasRootField: (operation, name) => Object.hasOwn(roots[operation]?.getFields() ?? {}, name),
  };
}

function placeholderSchema(): GraphQLSchema {
  const description =
    'There are no queries available to the current role. Either there are no sources or this role doesn’t have access.';
  return new GraphQLSchema({
    query: new ObjectType({ name: 'Query', fields: { [PLACEHOLDER]: { type: GraphQLString, description } } }),
  });
}
