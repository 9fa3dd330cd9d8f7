import { stitchSchemas } from '@graphql-tools/stitch';
import {
  assertValidSchema,
  type GraphQLObjectType,
  GraphQLSchema,
  GraphQLString,
  GraphQLObjectType as ObjectType,
  type OperationTypeNode,
} from 'graphql';
import { Introspections, type SchemaIntrospection } from '../introspection/index.ts';
import type { Call, Subschema } from '../sources/index.ts';
import { type Relationship, StitchedGraph } from '../stitching/index.ts';
import { INCREMENTAL_DIRECTIVES } from './incremental-directives.ts';
import { withDirectives } from './operation-directives.ts';
import { relationshipField } from './relationship-field.ts';
import { executableSchema, hasSharedUncheckedTypes } from './unchecked-fields.ts';

/** The graph as one role sees it. What the role may not see does not exist in it. */
export interface RoleGraph {
  readonly schema: GraphQLSchema;
  /** The same with directives that clients may use and are not told of: what documents are validated against. */
  readonly accepted: GraphQLSchema;
  /** The schema to execute operations with that were validated against `schema`. */
  readonly executable: GraphQLSchema;
  /** Answers what is asked of `schema` itself. */
  readonly introspection: SchemaIntrospection;
  /** Executes what several sources have to answer together. */
  readonly stitched: StitchedGraph;
  /** The parts of the sources that it is made of. */
  readonly subschemas: readonly Subschema[];
  /** The part of a source that answers a root field. */
  subschemaOf(operation: OperationTypeNode, name: string): Subschema | undefined;
  /** Whether operations on a part of a source have to be stitched, because of what another part says of its types. */
  isStitched(subschema: Subschema): boolean;
  /** Whether the role has this root field; the placeholder below is none. */
  hasRootField(operation: OperationTypeNode, name: string): boolean;
}

/** GraphQL demands a query root; a role without queries gets this field, as in Hasura. */
export const PLACEHOLDER = 'no_queries_available';

/**
 * Stitches the parts that a role may see into one schema, with the relationships between them.
 *
 * @param introspections those of the generation that it is built for.
 */
export function buildRoleGraph(
  subschemas: readonly Subschema[],
  relationships: readonly Relationship[] = [],
  introspections = new Introspections(),
): RoleGraph {
  const hasQueries = subschemas.some((subschema) => visibleOf(subschema).getQueryType());
  const joinedSchema = stitchSchemas<Call>({
    subschemas: hasQueries ? [...subschemas] : [...subschemas, { schema: placeholderSchema() }],
    ...(relationships.length > 0 && { typeDefs: relationships.map(relationshipField) }),
    mergeDirectives: false,
  });
  const schema = withDirectives(
    joinedSchema,
    subschemas.flatMap(({ directives }) => directives ?? []),
  );
  assertValidSchema(schema);
  const roots: Record<OperationTypeNode, GraphQLObjectType | null | undefined> = {
    query: hasQueries ? schema.getQueryType() : undefined,
    mutation: schema.getMutationType(),
    subscription: schema.getSubscriptionType(),
  };
  const owners = new Map(subschemas.flatMap((subschema) => rootFieldsOf(subschema).map((key) => [key, subschema])));
  const executable = executableSchema(schema, subschemas);
  return {
    schema,
    accepted: withDirectives(schema, INCREMENTAL_DIRECTIVES),
    introspection: introspections.of(schema),
    subschemas,
    subschemaOf: (operation, name) => owners.get(`${operation} ${name}`),
    executable,
    stitched: new StitchedGraph({ shown: schema, executable }, subschemas, relationships),
    isStitched: (subschema) => hasSharedUncheckedTypes(subschema, subschemas),
    hasRootField: (operation, name) => Object.hasOwn(roots[operation]?.getFields() ?? {}, name),
  };
}

function visibleOf({ schema, visible = schema }: Subschema): GraphQLSchema {
  return visible;
}

/** As `query orders`. */
function rootFieldsOf(subschema: Subschema): readonly string[] {
  const schema = visibleOf(subschema);
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
