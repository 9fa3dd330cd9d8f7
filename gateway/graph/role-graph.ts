import { stitchSchemas } from '@graphql-tools/stitch';
import {
  assertValidSchema,
  type GraphQLObjectType,
  GraphQLSchema,
  GraphQLString,
  GraphQLObjectType as ObjectType,
  type OperationTypeNode,
} from 'graphql';
import type { Call, Subschema } from '../sources/index.ts';
import { executableSchema } from './unchecked-fields.ts';

/** The graph as one role sees it. What the role may not see does not exist in it. */
export interface RoleGraph {
  readonly schema: GraphQLSchema;
  /** The schema to execute operations with that were validated against `schema`. */
  readonly executable: GraphQLSchema;
  /** The part of a source that answers a root field. */
  subschemaOf(operation: OperationTypeNode, name: string): Subschema | undefined;
  /** Whether the role has this root field; the placeholder below is none. */
  hasRootField(operation: OperationTypeNode, name: string): boolean;
}

/** GraphQL demands a query root; a role without queries gets this field, as in Hasura. */
export const PLACEHOLDER = 'no_queries_available';

/** Stitches the parts that a role may see into one schema. */
export function buildRoleGraph(subschemas: readonly Subschema[]): RoleGraph {
  const hasQueries = subschemas.some((subschema) => subschema.schema.getQueryType());
  const schema = stitchSchemas<Call>({
    subschemas: hasQueries ? [...subschemas] : [...subschemas, { schema: placeholderSchema() }],
    mergeDirectives: false,
  });
  assertValidSchema(schema);
  const roots: Record<OperationTypeNode, GraphQLObjectType | null | undefined> = {
    query: hasQueries ? schema.getQueryType() : undefined,
    mutation: schema.getMutationType(),
    subscription: schema.getSubscriptionType(),
  };
  const owners = new Map(subschemas.flatMap((subschema) => rootFieldsOf(subschema).map((key) => [key, subschema])));
  return {
    schema,
    subschemaOf: (operation, name) => owners.get(`${operation} ${name}`),
    executable: executableSchema(schema, subschemas),
    hasRootField: (operation, name) => Object.hasOwn(roots[operation]?.getFields() ?? {}, name),
  };
}

/** As `query orders`. */
function rootFieldsOf({ schema }: Subschema): readonly string[] {
  const fields = (operation: string, type: GraphQLObjectType | null | undefined) =>
    Object.keys(type?.getFields() ?? {}).map((name) => `${operation} ${name}`);
  return [
    ...fields('query', schema.getQueryType()),
    ...fields('mutation', schema.getMutationType()),
    ...fields('subscription', schema.getSubscriptionType()),
  ];
}

function placeholderSchema(): GraphQLSchema {
  const description =
    'There are no queries available to the current role. Either there are no sources or this role doesn’t have access.';
  return new GraphQLSchema({
    query: new ObjectType({ name: 'Query', fields: { [PLACEHOLDER]: { type: GraphQLString, description } } }),
  });
}
