import type { OperationTypeNode } from 'graphql';
import { atOnce, inSlices, type Sliced } from '../../../platform/index.ts';
import { ADMIN_ROLE } from '../../access/session/index.ts';
import { invalidRoleGraph } from '../../errors.ts';
import { Introspections } from '../../graphql/introspection/index.ts';
import { type RootTypeNames, STANDARD_ROOT_TYPES } from '../../graphql/schemas/index.ts';
import { type Metadata, type MetadataProblem, namedRoles } from '../../metadata/index.ts';
import type { Source, Subschema } from '../../sources/index.ts';
import type { SourceState } from '../../upstream/index.ts';
import { AuthenticationFields, type UnmarkedField, unmarkedAuthenticationFields } from './authentication-fields.ts';
import { type AwaitedSources, awaitedSources } from './awaited-sources.ts';
import type { Inconsistency, MissingSource } from './inconsistency.ts';
import { buildRoleGraph, type RoleGraph } from './role-graph.ts';
import { type BrokenRelationship, roleRelationships } from './role-relationships.ts';

/**
 * The maximum number of cached role graphs. Roles come from signed tokens, whose issuer may use any number of roles.
 */
const MAX_ROLE_GRAPHS = 1_000;
const MAX_BUILT_AHEAD = 50;

/**
 * An immutable state of the graph, built from metadata and sources. A change creates a new generation. Running
 * operations finish on the old one.
 */
export class Generation {
  readonly metadata: Metadata;
  readonly sources: readonly Source[];
  /** Unavailable sources. Their introspection is retried. */
  readonly missing: readonly MissingSource[];
  /** The possible elements of sources with an unknown schema. Undefined if there are no such sources. */
  readonly awaited: AwaitedSources | undefined;
  /** Sources that are left out because they conflict with another source. */
  readonly conflicts: readonly Inconsistency[];
  readonly #broken: readonly BrokenRelationship[];
  /** The root fields that ignore access tokens. */
  readonly authenticationFields: AuthenticationFields;
  readonly #publicRole: string;
  readonly #rootTypeNames: RootTypeNames;
  readonly #introspections: Introspections;
  readonly #graphs: Map<string, RoleGraph>;
  /** The subschemas that each graph was built from. */
  readonly #parts: Map<RoleGraph, readonly Subschema[]>;
  readonly #invalid: InvalidParts;
  readonly #onInvalidRole: (role: string, error: Error) => void;

  /**
   * @param previous a generation whose graphs are reused if their sources are unchanged.
   * @param onInvalidRole called for a role whose parts form no valid schema, once for all roles with the same parts.
   */
  constructor(parts: {
    previous?: Generation | undefined;
    metadata: Metadata;
    sources: readonly Source[];
    missing: readonly MissingSource[];
    conflicts: readonly Inconsistency[];
    publicRole: string;
    rootTypeNames?: RootTypeNames | undefined;
    onInvalidRole: (role: string, error: Error) => void;
  }) {
    this.metadata = parts.metadata;
    this.sources = parts.sources;
    this.missing = parts.missing;
    this.conflicts = parts.conflicts;
    this.#publicRole = parts.publicRole;
    this.#rootTypeNames = parts.rootTypeNames ?? STANDARD_ROOT_TYPES;
    const alike = parts.previous?.isOf(parts.metadata, parts.sources) ? parts.previous : undefined;
    this.#introspections = alike ? alike.#introspections : new Introspections();
    this.#graphs = alike ? alike.#graphs : new Map();
    this.#parts = alike ? alike.#parts : new Map();
    this.#invalid = alike ? alike.#invalid : new InvalidParts();
    this.#onInvalidRole = parts.onInvalidRole;
    this.awaited = awaitedSources(parts);
    this.authenticationFields = new AuthenticationFields({ ...parts, awaited: this.awaited });
    const { broken } = roleRelationships(this.metadata, this.sources, ADMIN_ROLE);
    // A source that is not available may have the type of an action's field.
    const isComplete = this.awaited === undefined && this.conflicts.length === 0;
    this.#broken = broken.filter(({ isForAnySource }) => isComplete || !isForAnySource);
  }

  /** Counts of introspections of its schemas, for metrics. */
  get introspections(): Pick<Introspections, 'counts' | 'kept'> {
    return this.#introspections;
  }

  /** Whether the generation was built from this metadata and these sources. */
  isOf(metadata: Metadata, sources: readonly Source[]): boolean {
    if (metadata !== this.metadata || sources.length !== this.sources.length) return false;
    return sources.every((source, index) => source === this.sources[index]);
  }

  /** Problems of relationships between available sources. */
  get relationshipProblems(): readonly MetadataProblem[] {
    return this.#broken.flatMap(({ described, problems, place }) =>
      problems.map(({ message, path }) => ({ ...place(path), message: `${described}: ${message}` })),
    );
  }

  /**
   * Roles whose parts of the sources are valid separately but form no valid schema together. Only graphs that have been
   * built are covered. See `buildGraphs`.
   */
  get roleProblems(): readonly MetadataProblem[] {
    return this.#invalidRoles.map(({ role, reason }) => {
      const granting = this.metadata.remoteSchemas.map(({ permissions = [] }) =>
        permissions.findIndex((permission) => permission.role === role),
      );
      const remote = granting.findIndex((permission) => permission >= 0);
      const path = remote < 0 ? [] : [remote, 'permissions', granting[remote] ?? 0];
      return { ...this.metadata.place('remoteSchemas', path), message: `role "${role}": ${reason}` };
    });
  }

  get #invalidRoles(): readonly { role: string; reason: string }[] {
    if (this.#invalid.isEmpty) return [];
    return [...new Set([this.#publicRole, ...namedRoles(this.metadata), ADMIN_ROLE])].flatMap((role) => {
      const reason = this.#invalid.reasonAgainst(this.subschemasFor(role));
      return reason === undefined
        ? []
        : [{ role, reason: `the parts of the sources that it can access do not form a valid schema: ${reason}` }];
    });
  }

  /** Authentication fields in the metadata that the public role may not access. */
  get authenticationProblems(): readonly MetadataProblem[] {
    return this.authenticationFields.problems.map(({ place, message }) => ({ ...place, message }));
  }

  /** Public fields that look like authentication fields but are not marked either way in the metadata. */
  get unmarkedAuthenticationFields(): readonly UnmarkedField[] {
    const { metadata, sources } = this;
    return unmarkedAuthenticationFields({ metadata, sources, publicRole: this.#publicRole });
  }

  /** All parts of the metadata that are not part of the graph. */
  get inconsistencies(): readonly Inconsistency[] {
    const broken = this.#broken.map(
      ({ type, name, problems }): Inconsistency => ({
        source: `${type}.${name}`,
        reason: problems.map(({ message }) => message).join('; '),
        kind: 'relationship',
      }),
    );
    const unknown = this.authenticationFields.problems.map(
      ({ source, message }): Inconsistency => ({ source, reason: message, kind: 'authentication-field' }),
    );
    const invalid = this.#invalidRoles.map(
      ({ role, reason }): Inconsistency => ({ source: role, reason, kind: 'role' }),
    );
    return [...this.missing, ...this.conflicts, ...broken, ...unknown, ...invalid];
  }

  /** The states of the sources' services. */
  get states(): readonly SourceState[] {
    return this.sources.flatMap(({ clients = [] }) => clients.map((client) => client.state()));
  }

  /** The graph of requests without a token. Undefined if it is invalid. */
  get publicGraph(): RoleGraph | undefined {
    return this.graphIfValid(this.#publicRole);
  }

  /** Whether clients without a token may access a root field, now or as soon as the field's source is available. */
  isPublicField(operation: OperationTypeNode, name: string): boolean {
    if (this.publicGraph?.hasRootField(operation, name)) return true;
    return this.awaited?.mayHaveRootField(this.#publicRole, operation, name) ?? false;
  }

  /**
   * Returns the graph of a role, which is built at its first use. Roles that see the same share one graph.
   *
   * @throws GatewayError if the parts that the role sees form no valid schema.
   */
  graphOf(role: string): RoleGraph {
    const graph = this.graphIfValid(role);
    if (graph) return graph;
    throw invalidRoleGraph(role);
  }

  /** Returns the graph of a role like `graphOf`, or undefined if `graphOf` throws. */
  graphIfValid(role: string): RoleGraph | undefined {
    return this.#graphs.get(role) ?? atOnce(this.#build(role));
  }

  /** @returns undefined if the graph is invalid. An invalid graph must only affect its own role. */
  *#build(role: string): Sliced<RoleGraph | undefined> {
    const subschemas = this.subschemasFor(role);
    if (this.#invalid.reasonAgainst(subschemas) !== undefined) return undefined;
    let graph = this.#graphWith(subschemas);
    try {
      graph ??= yield* buildRoleGraph(
        subschemas,
        roleRelationships(this.metadata, this.sources, role).relationships,
        this.#introspections,
        this.#rootTypeNames,
      );
    } catch (thrown) {
      const error = thrown instanceof Error ? thrown : new Error(String(thrown));
      if (this.#invalid.add(subschemas, error.message)) this.#onInvalidRole(role, error);
      return undefined;
    }
    // A request may have built the graph in the meantime.
    const built = this.#graphs.get(role);
    if (built) return built;
    if (this.#graphs.size >= MAX_ROLE_GRAPHS) {
      this.#graphs.clear();
      this.#parts.clear();
    }
    this.#graphs.set(role, graph);
    this.#parts.set(graph, subschemas);
    return graph;
  }

  /** The parts of the sources that `role` may see. Unchanged sources keep their parts across generations. */
  subschemasFor(role: string): readonly Subschema[] {
    return this.sources.flatMap((source) => source.subschemaFor(role) ?? []);
  }

  /** Roles whose graphs have been used. */
  get builtRoles(): readonly string[] {
    return [...this.#graphs.keys()];
  }

  /**
   * Builds the graphs of the first roles ahead of their first use, without blocking operations. Graphs of further roles
   * are built at their first use. Invalid graphs are reported to `onInvalidRole`.
   */
  async buildGraphs(roles: readonly string[]): Promise<void> {
    const ahead = [...new Set([this.#publicRole, ...roles])].slice(0, MAX_BUILT_AHEAD);
    for (const role of ahead) if (!this.#graphs.has(role)) await inSlices(this.#build(role));
  }

  #graphWith(subschemas: readonly Subschema[]): RoleGraph | undefined {
    for (const [graph, parts] of this.#parts) if (areSameSubschemas(parts, subschemas)) return graph;
    return undefined;
  }
}

/** The maximum number of known invalid combinations. A dropped combination is found again when it is used. */
const MAX_INVALID_PARTS = 1_000;

/** Combinations of parts that form no valid schema and are not joined again. */
class InvalidParts {
  readonly #known: { readonly parts: readonly Subschema[]; readonly reason: string }[] = [];

  get isEmpty(): boolean {
    return this.#known.length === 0;
  }

  /** @returns whether the combination is new. */
  add(parts: readonly Subschema[], reason: string): boolean {
    if (this.reasonAgainst(parts) !== undefined) return false;
    if (this.#known.length >= MAX_INVALID_PARTS) this.#known.shift();
    this.#known.push({ parts, reason });
    return true;
  }

  /** @returns undefined if the combination is not known to be invalid. */
  reasonAgainst(parts: readonly Subschema[]): string | undefined {
    return this.#known.find((one) => areSameSubschemas(one.parts, parts))?.reason;
  }
}

function areSameSubschemas(one: readonly Subschema[], other: readonly Subschema[]): boolean {
  return one.length === other.length && one.every((part, index) => part === other[index]);
}
