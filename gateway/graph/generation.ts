import { setImmediate } from 'node:timers/promises';
import type { Metadata } from '../metadata/index.ts';
import type { Source, Subschema } from '../sources/index.ts';
import { buildRoleGraph, type RoleGraph } from './role-graph.ts';

/** A source that is described and not part of the graph, and why. */
export interface Inconsistency {
  readonly source: string;
  readonly reason: string;
}

/** Role graphs that are kept at most. Roles come from signed tokens, but their number is the issuer's to choose. */
const MAX_ROLES = 1_000;
const MAX_BUILT_AHEAD = 50;

/**
 * One state of the graph, complete and unchanging: the metadata and the sources that it was built from. A change makes
 * a new generation; operations that run on the old one finish on it.
 */
export class Generation {
  readonly metadata: Metadata;
  readonly sources: readonly Source[];
  /** Sources that do not answer and are asked until they do. */
  readonly missing: readonly Inconsistency[];
  /** Sources that are left out because they offer what another one offers already. */
  readonly conflicts: readonly Inconsistency[];
  readonly #publicRole: string;
  readonly #graphs = new Map<string, RoleGraph>();
  /** What each graph was stitched from. */
  readonly #parts = new Map<RoleGraph, readonly Subschema[]>();

  constructor(parts: {
    metadata: Metadata;
    sources: readonly Source[];
    missing: readonly Inconsistency[];
    conflicts: readonly Inconsistency[];
    publicRole: string;
  }) {
    this.metadata = parts.metadata;
    this.sources = parts.sources;
    this.missing = parts.missing;
    this.conflicts = parts.conflicts;
    this.#publicRole = parts.publicRole;
  }

  /** Everything that is described and not part of the graph. */
  get inconsistencies(): readonly Inconsistency[] {
    return [...this.missing, ...this.conflicts];
  }

  /** The graph of requests without a token. Its root fields are the authentication fields. */
  get publicGraph(): RoleGraph {
    return this.graphOf(this.#publicRole);
  }

  /** The graph as `role` sees it, stitched when it is first asked for. Roles that see the same share one graph. */
  graphOf(role: string): RoleGraph {
    const known = this.#graphs.get(role);
    if (known) return known;
    const subschemas = this.sources.flatMap((source) => source.subschemaFor(role) ?? []);
    const graph = this.#graphWith(subschemas) ?? buildRoleGraph(subschemas);
    if (this.#graphs.size >= MAX_ROLES) {
      this.#graphs.clear();
      this.#parts.clear();
    }
    this.#graphs.set(role, graph);
    this.#parts.set(graph, subschemas);
    return graph;
  }

  /** Builds the graphs of roles before they are asked for. If there are many, it is left to when they are. */
  async buildGraphs(roles: readonly string[]): Promise<void> {
    if (roles.length > MAX_BUILT_AHEAD) return;
    for (const role of [this.#publicRole, ...roles]) {
      this.graphOf(role);
      // Operations of others go on in between.
      await setImmediate();
    }
  }

  #graphWith(subschemas: readonly Subschema[]): RoleGraph | undefined {
    for (const [graph, parts] of this.#parts) {
      const same = parts.length === subschemas.length && parts.every((part, i) => part === subschemas[i]);
      if (same) return graph;
    }
    return undefined;
  }
}
