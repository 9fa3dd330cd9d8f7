import { pruneSchema } from '@graphql-tools/utils';
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
import type { FieldConditions } from '../../access/variables/index.ts';
import { Introspections, type SchemaIntrospection } from '../../graphql/introspection/index.ts';
import { type JoinedPart, joinSchemas, type RootTypeNames, STANDARD_ROOT_TYPES } from '../../graphql/schemas/index.ts';
import type { Subschema } from '../../sources/index.ts';
import { JoinedGraph } from '../joined/index.ts';
import { type Relationship, relationshipField } from '../relationships/index.ts';
import { CACHED_DIRECTIVE } from './cached-directive.ts';
import { INCREMENTAL_DIRECTIVES } from './incremental-directives.ts';
import { withDirectives } from './operation-directives.ts';
import { roleConditions } from './role-conditions.ts';
import { executableSchema, hasSharedUncheckedTypes } from './unchecked-fields.ts';

/** The graph that one role sees. Elements that the role may not see are not part of it. */
export interface RoleGraph {
  /** The schema as clients see it. */
  readonly schema: GraphQLSchema;
  /**
   * The schema with the root type names that sources and plans use. The same as `schema` if clients see these names.
   */
  readonly internal: GraphQLSchema;
  /** The schema including directives that introspection omits. Documents are validated against it. */
  readonly accepted: GraphQLSchema;
  /** Executes introspection queries on `schema`. */
  readonly introspection: SchemaIntrospection;
  /** Plans operations over several sources. */
  readonly joined: JoinedGraph;
  /** The session conditions of the role's fields, in the names of `schema`. Undefined if there are none. */
  readonly sessionConditions: FieldConditions | undefined;
  /** The subschemas from which the graph was built. */
  readonly subschemas: readonly Subschema[];
  /** The subschema that resolves a root field. */
  subschemaOf(operation: OperationTypeNode, name: string): Subschema | undefined;
  /** Whether operations on a subschema have to be planned even if it has all of their fields. */
  isAlwaysPlanned(subschema: Subschema): boolean;
  /** Whether the role has this root field. The placeholder `no_queries_available` does not count. */
  hasRootField(operation: OperationTypeNode, name: string): boolean;
}

/** The placeholder field of roles without queries, as in Hasura. GraphQL demands a query root type. */
export const NO_QUERIES_FIELD = 'no_queries_available';

/**
 * Builds the graph of a role from the subschemas that it may see and the relationships between them.
 *
 * @param introspections the introspections of the generation.
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
  const related = relationships.length > 0 ? withRelationships(joined, relationships) : joined;
  const complete = withoutUnusedTypes(related, subschemas, relationships);
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
    sessionConditions: roleConditions({ schema, internal, subschemas, relationships }),
    subschemas,
    subschemaOf: (operation, name) => owners.get(`${operation} ${name}`),
    joined: new JoinedGraph({ internal, subschemas, relationships }, executable),
    isAlwaysPlanned: (subschema) =>
      subschema.joins !== undefined || subschema.hasOwnRoots === true || hasSharedUncheckedTypes(subschema, subschemas),
    hasRootField: (operation, name) => Object.hasOwn(roots[operation]?.getFields() ?? {}, name),
  };
}

/** Adds relationships as fields to their types. */
function withRelationships(schema: GraphQLSchema, relationships: readonly Relationship[]): GraphQLSchema {
  const fields = relationships.flatMap((relationship) => relationshipField(relationship).definitions);
  return extendSchema(schema, { kind: Kind.DOCUMENT, definitions: fields }, { assumeValidSDL: true });
}

/** Removes the types of fields that a source adds to types which the role does not see. */
function withoutUnusedTypes(
  schema: GraphQLSchema,
  subschemas: readonly Subschema[],
  relationships: readonly Relationship[],
): GraphQLSchema {
  const adding = subschemas.find(({ source, typeFields = [] }) =>
    typeFields.some(
      ({ type, name }) => !relationships.some((one) => one.target === source && one.type === type && one.name === name),
    ),
  );
  if (!adding) return schema;
  const others = subschemas.filter((one) => one !== adding);
  const isRemovable = (name: string) =>
    adding.schema.getType(name) !== undefined && !others.some((other) => other.schema.getType(name));
  return pruneSchema(schema, { skipPruning: ({ name }) => !isRemovable(name) });
}

function visibleOf({ schema, visible = schema }: Subschema): GraphQLSchema {
  return visible;
}

/** Names such as `query orders`. */
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
