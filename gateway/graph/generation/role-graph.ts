import {
  assertValidSchema,
  extendSchema,
  type GraphQLObjectType,
  GraphQLSchema,
  GraphQLString,
  Kind,
  GraphQLObjectType as ObjectType,
  type OperationTypeNode,
} from 'graphql';
import type { Sliced } from '../../../platform/index.ts';
import { Introspections, type SchemaIntrospection } from '../../graphql/introspection/index.ts';
import { type JoinedPart, joinSchemas, type RootTypeNames, STANDARD_ROOT_TYPES } from '../../graphql/schemas/index.ts';
import type { Subschema } from '../../sources/index.ts';
import { JoinedGraph } from '../joined/index.ts';
import { type Relationship, relationshipField } from '../relationships/index.ts';
import { CACHED_DIRECTIVE } from './cached-directive.ts';
import { INCREMENTAL_DIRECTIVES } from './incremental-directives.ts';
import { withDirectives } from './operation-directives.ts';
import { executableSchema, hasSharedUncheckedTypes } from './unchecked-fields.ts';

/** The graph as one role sees it. What the role may not see does not exist in it. */
export interface RoleGraph {
  /** As clients see it. */
  readonly schema: GraphQLSchema;
  /** The schema with the root types called as sources and plans have them; `schema` itself where clients see the same names. */
  readonly internal: GraphQLSchema;
  /** The schema with the directives that introspection leaves out, which documents are validated against. */
  readonly accepted: GraphQLSchema;
  /** Answers introspections of `schema`. */
  readonly introspection: SchemaIntrospection;
  /** Plans operations over several sources. */
  readonly joined: JoinedGraph;
  /** The subschemas that it was built from. */
  readonly subschemas: readonly Subschema[];
  /** The subschema that resolves a root field. */
  subschemaOf(operation: OperationTypeNode, name: string): Subschema | undefined;
  /** Whether operations on a subschema have to be planned even where it has all of their fields. */
  isAlwaysPlanned(subschema: Subschema): boolean;
  /** Whether the role has this root field; the placeholder below is none. */
  hasRootField(operation: OperationTypeNode, name: string): boolean;
}

/** GraphQL demands a query root; a role without queries gets this field, as in Hasura. */
export const NO_QUERIES_FIELD = 'no_queries_available';

/**
 * Builds the graph of a role from the subschemas that it may see, with the relationships between them.
 *
 * @param introspections those of the generation that it is built for.
 * @param names the names of the root types for clients.
 */
export function* buildRoleGraph(
  subschemas: readonly Subschema[],
  relationships: readonly Relationship[] = [],
  introspections = new Introspections(),
  names: RootTypeNames = STANDARD_ROOT_TYPES,
): Sliced<RoleGraph> {
  const parts = subschemas.map((subschema): JoinedPart => {
    const { joins } = subschema;
    const isCanonical: JoinedPart['isCanonical'] = (type, field) => joins?.get(type)?.isCanonical(field) === true;
    return { schema: visibleOf(subschema), ...(joins && { isCanonical }) };
  });
  const hasQueries = parts.some(({ schema }) => schema.getQueryType());
  const joined = yield* joinSchemas(hasQueries ? parts : [...parts, { schema: placeholderSchema() }]);
  const directives = subschemas.flatMap((subschema) => subschema.directives ?? []);
  const complete = relationships.length > 0 ? withRelationships(joined, relationships) : joined;
  const internal = withDirectives(complete, directives);
  yield;
  assertValidSchema(internal);
  yield;
  const schema =
    names === STANDARD_ROOT_TYPES
      ? internal
      : withDirectives(yield* joinSchemas([{ schema: complete }], names), directives);
  const roots: Record<OperationTypeNode, GraphQLObjectType | null | undefined> = {
    query: hasQueries ? schema.getQueryType() : undefined,
    mutation: schema.getMutationType(),
    subscription: schema.getSubscriptionType(),
  };
  const owners = new Map(subschemas.flatMap((subschema) => rootFieldNames(subschema).map((key) => [key, subschema])));
  const accepted = withDirectives(schema, [...INCREMENTAL_DIRECTIVES, CACHED_DIRECTIVE]);
  yield;
  const executable = executableSchema(internal, subschemas);
  return {
    schema,
    internal,
    accepted,
    introspection: introspections.of(schema),
    subschemas,
    subschemaOf: (operation, name) => owners.get(`${operation} ${name}`),
    joined: new JoinedGraph({ internal, subschemas, relationships }, executable),
    isAlwaysPlanned: (subschema) =>
      subschema.joins !== undefined || subschema.hasOwnRoots === true || hasSharedUncheckedTypes(subschema, subschemas),
    hasRootField: (operation, name) => Object.hasOwn(roots[operation]?.getFields() ?? {}, name),
  };
}

/** The schema with relationships as fields of the types that they are of. */
function withRelationships(schema: GraphQLSchema, relationships: readonly Relationship[]): GraphQLSchema {
  const fields = relationships.flatMap((relationship) => relationshipField(relationship).definitions);
  return extendSchema(schema, { kind: Kind.DOCUMENT, definitions: fields }, { assumeValidSDL: true });
}

function visibleOf({ schema, visible = schema }: Subschema): GraphQLSchema {
  return visible;
}

/** As `query orders`. */
function rootFieldNames(subschema: Subschema): readonly string[] {
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
    query: new ObjectType({ name: 'Query', fields: { [NO_QUERIES_FIELD]: { type: GraphQLString, description } } }),
  });
}
