import { GraphQLError, type GraphQLSchema, Kind, parse, validate } from 'graphql';
import { ADMIN_ROLE } from '../../access/session/index.ts';
import { hasDatabases, type Metadata, type MetadataProblem, namedRoles } from '../../metadata/index.ts';
import type { Generation } from './generation.ts';

/** A saved operation that no role can run. */
export interface BrokenOperation {
  /** The position of the operation's collection. `position` is the operation's position in it. */
  readonly index: number;
  readonly position: number;
  readonly query: string;
  /** The errors of the operation on the whole graph. */
  readonly errors: readonly string[];
}

/**
 * Finds saved operations that no role can run. Returns none while a source is missing, because its fields are missing
 * too.
 */
export function brokenOperations(generation: Generation): readonly BrokenOperation[] {
  if (generation.missing.length > 0) return [];
  const { metadata } = generation;
  const errorsFor = (role: string, query: string): readonly string[] => {
    const graph = generation.graphIfValid(role);
    return graph ? operationErrors(query, graph.accepted) : [`the graph of role "${role}" is not valid`];
  };
  return metadata.queryCollections.flatMap((collection, index) =>
    collection.definition.queries.flatMap(({ query }, position) => {
      const errors = errorsFor(ADMIN_ROLE, query);
      // A permission may preset an argument that the whole graph requires.
      if (errors.length === 0 || namedRoles(metadata).some((role) => errorsFor(role, query).length === 0)) return [];
      return [{ index, position, query, errors }];
    }),
  );
}

/**
 * Reports broken operations: problems if a REST endpoint or an enforced allow list needs the operation, otherwise
 * warnings. Operations on database fields, which the gateway ignores, are reported together.
 */
export function brokenOperationProblems(
  broken: readonly BrokenOperation[],
  metadata: Metadata,
  enforceAllowList: boolean,
): { problems: readonly MetadataProblem[]; warnings: readonly MetadataProblem[] } {
  const ofEndpoints = new Set(metadata.restEndpoints.map(({ query }) => query));
  const allowed = new Set(enforceAllowList ? metadata.allowList.map(({ collection }) => collection) : []);
  const isNeeded = ({ index, query }: BrokenOperation) =>
    ofEndpoints.has(query) || allowed.has(metadata.queryCollections[index]?.name ?? '');
  return {
    problems: problemsOfOperations(broken.filter(isNeeded), metadata),
    warnings: problemsOfOperations(
      broken.filter((one) => !isNeeded(one)),
      metadata,
    ),
  };
}

function problemsOfOperations(broken: readonly BrokenOperation[], metadata: Metadata): readonly MetadataProblem[] {
  const mayBeOfDatabases = hasDatabases(metadata.ignored);
  const ofDatabases = broken.filter(({ errors }) => mayBeOfDatabases && errors.some(isMissingRootField));
  const place = ({ index, position }: BrokenOperation) =>
    metadata.place('queryCollections', [index, 'definition', 'queries', position]);
  const nameOf = ({ index, position }: BrokenOperation) =>
    metadata.queryCollections[index]?.definition.queries[position]?.name ?? '';
  const alone = ofDatabases.length > 1 ? broken.filter((one) => !ofDatabases.includes(one)) : broken;
  const problems = alone.map((one) => ({
    ...place(one),
    message: `"${nameOf(one)}" is not valid for any role: ${one.errors.join('; ')}`,
  }));
  const [first] = ofDatabases;
  if (!first || ofDatabases.length < 2) return problems;
  const message = `${ofDatabases.length} saved operations request fields that no service has, such as fields of databases, and are ignored: ${operationNames(ofDatabases, metadata)}`;
  return [...problems, { ...place(first), message }];
}

/** Reports operations that may only be broken because sources are not part of the graph. */
export function unknowableOperations(
  broken: readonly BrokenOperation[],
  absent: readonly string[],
  metadata: Metadata,
): readonly MetadataProblem[] {
  const [first] = broken;
  if (!first) return [];
  const names = absent.map((one) => `"${one}"`).join(', ');
  const which =
    broken.length === 1
      ? 'a saved operation that no role can run is'
      : `${broken.length} saved operations that no role can run are`;
  return [
    {
      ...metadata.place('queryCollections', [first.index]),
      message: `${which} not looked at while ${names} ${absent.length === 1 ? 'is' : 'are'} not part of the graph: ${operationNames(broken, metadata)}`,
    },
  ];
}

function operationNames(broken: readonly BrokenOperation[], { queryCollections }: Metadata): string {
  const names = broken
    .slice(0, NAMED)
    .map(({ index, position }) => `"${queryCollections[index]?.definition.queries[position]?.name ?? ''}"`);
  return names.join(', ') + (broken.length > NAMED ? `, and ${broken.length - NAMED} more` : '');
}

/** The maximum number of operations that a message names. */
const NAMED = 5;

function isMissingRootField(error: string): boolean {
  return /^Cannot query field "\w+" on type "(Query|Mutation|Subscription|(query|mutation|subscription)_root)"|is not configured to execute|^no (query|mutation|subscription)s exist$/.test(
    error,
  );
}

/** The errors of an operation on a schema, including syntax errors. */
export function operationErrors(query: string, schema: GraphQLSchema): readonly string[] {
  try {
    const document = parse(query);
    // graphql-js reports no error for an operation whose root type is missing in the schema.
    const rootless = document.definitions.flatMap((definition) =>
      definition.kind === Kind.OPERATION_DEFINITION && !schema.getRootType(definition.operation)
        ? [`no ${definition.operation}s exist`]
        : [],
    );
    return [...rootless, ...validate(schema, document).map((error) => error.message)];
  } catch (error) {
    return [error instanceof GraphQLError ? error.message : String(error)];
  }
}
