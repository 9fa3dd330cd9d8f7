import { GraphQLError, type GraphQLSchema, parse, validate } from 'graphql';
import { type Generation, type SchemaChange, schemaChanges } from '../graph/index.ts';
import type { IgnoredMetadata, Metadata, MetadataProblem } from '../metadata/index.ts';
import { ADMIN_ROLE } from '../sources/index.ts';

/** What `portico check` found. */
export interface Report {
  readonly valid: boolean;
  readonly problems: readonly MetadataProblem[];
  readonly sources: readonly { name: string; kind: string }[];
  /** Root fields by role, as `query orders`. */
  readonly roles: Readonly<Record<string, readonly string[]>>;
  /** The roles that may run each saved operation, as `collection/operation`. */
  readonly operations: Readonly<Record<string, readonly string[]>>;
  readonly ignored: readonly IgnoredMetadata[];
  /** Changes of each role's schema against the other metadata; absent when nothing was compared. */
  readonly changes?: Readonly<Record<string, readonly SchemaChange[]>>;
}

/** Puts together what can be said of a graph, and what is wrong with the operations that are saved for it. */
export function reportOn(generation: Generation, publicRole: string, problems: readonly MetadataProblem[]): Report {
  const { metadata } = generation;
  const roles = rolesOf(metadata, publicRole);
  const schemas = new Map(roles.map((role) => [role, generation.graphOf(role).schema] as const));
  const operations: Record<string, readonly string[]> = {};
  const wrong: MetadataProblem[] = [...problems];
  metadata.queryCollections.forEach((collection, index) => {
    collection.definition.queries.forEach((saved, position) => {
      const { allowed, errors } = rolesThatMayRun(saved.query, schemas);
      operations[`${collection.name}/${saved.name}`] = allowed;
      if (allowed.length > 0) return;
      const place = metadata.place('queryCollections', [index, 'definition', 'queries', position]);
      wrong.push({ ...place, message: `"${saved.name}" is valid for no role: ${errors.join('; ')}` });
    });
  });
  return {
    valid: wrong.length === 0,
    problems: wrong,
    sources: generation.sources.map(({ name, kind }) => ({ name, kind })),
    roles: Object.fromEntries([...schemas].map(([role, schema]) => [role, rootFields(schema)])),
    operations,
    ignored: metadata.ignored,
  };
}

/** What has changed for each role between two graphs. */
export async function changesBetween(
  before: Generation,
  after: Generation,
  publicRole: string,
): Promise<Readonly<Record<string, readonly SchemaChange[]>>> {
  const roles = new Set([...rolesOf(before.metadata, publicRole), ...rolesOf(after.metadata, publicRole)]);
  const changes: Record<string, readonly SchemaChange[]> = {};
  for (const role of roles)
    changes[role] = await schemaChanges(before.graphOf(role).schema, after.graphOf(role).schema);
  return changes;
}

/** Every role that the metadata names, and the two that are always there. */
function rolesOf(metadata: Metadata, publicRole: string): readonly string[] {
  const named = [
    ...metadata.remoteSchemas.flatMap((remote) => remote.permissions ?? []),
    ...metadata.actions.actions.flatMap((action) => action.permissions),
    ...metadata.services.flatMap((service) => service.permissions ?? []),
  ];
  return [...new Set([ADMIN_ROLE, publicRole, ...named.map((permission) => permission.role)])];
}

function rolesThatMayRun(query: string, schemas: ReadonlyMap<string, GraphQLSchema>) {
  const allowed: string[] = [];
  let errors: readonly string[] = [];
  for (const [role, schema] of schemas) {
    const found = documentErrors(query, schema);
    if (found.length === 0) allowed.push(role);
    // The admin's schema is the whole graph: what is wrong there is wrong for everybody.
    if (role === ADMIN_ROLE) errors = found;
  }
  return { allowed, errors };
}

function documentErrors(query: string, schema: GraphQLSchema): readonly string[] {
  try {
    return validate(schema, parse(query)).map((error) => error.message);
  } catch (error) {
    return [error instanceof GraphQLError ? error.message : String(error)];
  }
}

function rootFields(schema: GraphQLSchema): readonly string[] {
  const roots = [
    ['query', schema.getQueryType()],
    ['mutation', schema.getMutationType()],
    ['subscription', schema.getSubscriptionType()],
  ] as const;
  return roots.flatMap(([operation, type]) =>
    Object.keys(type?.getFields() ?? {}).map((field) => `${operation} ${field}`),
  );
}
