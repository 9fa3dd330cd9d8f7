import type { Sliced } from '../../../platform/index.ts';
import { ADMIN_ROLE } from '../../access/session/index.ts';
import {
  type BrokenOperation,
  brokenOperationProblems,
  type Generation,
  handlerProblems,
  operationErrors,
  type RoleGraph,
  unknowableOperations,
} from '../../graph/index.ts';
import {
  type IgnoredMetadata,
  type MetadataProblem,
  metadataWarnings,
  unenforcedAllowList,
} from '../../metadata/index.ts';
import type { WeighedChange } from './change-usage.ts';
import { brokenDocuments } from './persisted-documents.ts';
import { checkedRoles } from './roles.ts';

/** The report on a graph and its metadata. */
export interface Report {
  readonly valid: boolean;
  readonly problems: readonly MetadataProblem[];
  /**
   * Valid metadata that is probably a mistake, saved operations that no role can run and nothing needs, and persisted documents
   * that no role can run.
   */
  readonly warnings: readonly MetadataProblem[];
  readonly sources: readonly {
    name: string;
    kind: string /** The remote schemas that form one source. */;
    members?: readonly string[];
  }[];
  /** Root fields by role, such as `query orders`. The role `*` stands for every role that the metadata does not name. */
  readonly roles: Readonly<Record<string, readonly string[]>>;
  /** The fields with session conditions by role, such as `Order.margin`. Only of roles that have such fields. */
  readonly conditionalFields: Readonly<Record<string, readonly string[]>>;
  /** REST endpoints with a session condition, by name. */
  readonly conditionalEndpoints: readonly string[];
  /** Root fields that neither need nor verify a token, such as `mutation auth_user_login`. */
  readonly authenticationFields: readonly string[];
  /** The roles that may run each saved operation, by `collection/operation`. */
  readonly operations: Readonly<Record<string, readonly string[]>>;
  /** The number of persisted documents in each file. */
  readonly persistedDocuments: Readonly<Record<string, number>>;
  readonly ignored: readonly IgnoredMetadata[];
  /** Valid metadata that costs more than it seems to, or has no effect. */
  readonly hints: readonly Hint[];
  /** The changes from the other metadata. Absent if nothing was compared. */
  readonly changes?: readonly WeighedChange[];
}

export interface Hint {
  readonly source: string;
  readonly message: string;
}

export interface ReportOptions {
  readonly publicRole: string;
  readonly enforceAllowList: boolean;
  /** The session variables that callers may have. Undefined if unknown. */
  readonly knownVariables: ReadonlySet<string> | undefined;
  /** Notes on settings. */
  readonly settings: Pick<Report, 'warnings' | 'ignored'>;
}

/** Reports on a graph and its saved operations. Builds the graphs of roles that have not been built yet. */
export function* reportOn(
  generation: Generation,
  { publicRole, enforceAllowList, knownVariables, settings }: ReportOptions,
  problems: readonly MetadataProblem[],
): Sliced<Report> {
  const { metadata } = generation;
  const graphs = new Map<string, RoleGraph>();
  for (const role of checkedRoles([metadata], publicRole)) {
    const graph = generation.graphIfValid(role);
    if (graph) graphs.set(role, graph);
    yield;
  }
  const operations: Record<string, readonly string[]> = {};
  const broken: BrokenOperation[] = [];
  for (const [index, collection] of metadata.queryCollections.entries())
    for (const [position, saved] of collection.definition.queries.entries()) {
      const { allowed, errors } = rolesThatMayRun(saved.query, graphs);
      operations[`${collection.name}/${saved.name}`] = allowed;
      if (allowed.length === 0) broken.push({ index, position, query: saved.query, errors });
      yield;
    }
  const absent = absentSources(generation);
  // The problem of a missing source is reported once.
  const found =
    absent.length > 0
      ? { problems: [], warnings: unknowableOperations(broken, absent, metadata) }
      : brokenOperationProblems(broken, metadata, enforceAllowList);
  const wrong = [...problems, ...found.problems, ...handlerProblems(generation)];
  return {
    valid: wrong.length === 0,
    problems: wrong,
    warnings: [
      ...settings.warnings,
      ...metadataWarnings(metadata, knownVariables),
      ...found.warnings,
      ...brokenDocuments(metadata.persistedManifests, graphs),
    ],
    sources: generation.sources.map(({ name, kind, members }) => ({ name, kind, ...(members && { members }) })),
    roles: Object.fromEntries([...graphs].map(([role, graph]) => [role, visibleRootFields(graph)])),
    conditionalFields: Object.fromEntries(
      [...graphs].flatMap(([role, { sessionConditions }]) =>
        sessionConditions ? [[role, [...sessionConditions.keys()].sort()]] : [],
      ),
    ),
    conditionalEndpoints: metadata.restEndpoints.flatMap(({ metadata: { name, session_condition: condition } }) =>
      condition ? [name] : [],
    ),
    authenticationFields: generation.authenticationFields.names,
    operations,
    persistedDocuments: Object.fromEntries(metadata.persistedManifests.map((one) => [one.file, one.documents.length])),
    ignored: [...settings.ignored, ...metadata.ignored, ...unenforcedAllowList(metadata, enforceAllowList)],
    hints: [
      ...generation.sources.flatMap(({ name, hints }) =>
        (hints?.() ?? []).map((message) => ({ source: name, message })),
      ),
      ...generation.unmarkedAuthenticationFields,
    ],
  };
}

/** Returns the configured sources that are not part of the graph. */
function absentSources({ missing, conflicts }: Generation): readonly string[] {
  const unknown = missing.filter(({ schema }) => schema === 'unknown');
  return [...new Set([...unknown, ...conflicts].map(({ source }) => source))];
}

function rolesThatMayRun(query: string, graphs: ReadonlyMap<string, RoleGraph>) {
  const allowed: string[] = [];
  let errors: readonly string[] = [];
  for (const [role, { accepted }] of graphs) {
    const found = operationErrors(query, accepted);
    if (found.length === 0) allowed.push(role);
    // The admin's schema is the whole graph, so its problems affect all roles.
    if (role === ADMIN_ROLE) errors = found;
  }
  return { allowed, errors };
}

function visibleRootFields({ schema, hasRootField }: RoleGraph): readonly string[] {
  const roots = [
    ['query', schema.getQueryType()],
    ['mutation', schema.getMutationType()],
    ['subscription', schema.getSubscriptionType()],
  ] as const;
  return roots.flatMap(([operation, type]) =>
    Object.keys(type?.getFields() ?? {})
      .filter((field) => hasRootField(operation as Parameters<typeof hasRootField>[0], field))
      .map((field) => `${operation} ${field}`),
  );
}
