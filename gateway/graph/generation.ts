import type { Metadata } from '../metadata/index.ts';
import type { Source } from '../sources/index.ts';
import { buildRoleGraph, type RoleGraph, type Subschema } from './role-graph.ts';

/** A source that is described and not part of the graph, and why. */
export interface Inconsistency {
  readonly source: string;
  readonly reason: string;
}

/** Role graphs that are kept at most. Roles come from signed tokens, but their number is the issuer's to choose. */
const MAX_ROLES = 1_000;

/**
 * One state of the graph, complete and unchanging: the metadata and the sources that it was built from. A change makes
 * a new generation; operations that run on the old one finish on it.
 */
export class Generation {
  readonly metadata: Metadata;
  readonly sources: readonly Source[];
  readonly inconsistencies: readonly Inconsistency[];
  readonly #publicRole: string;
  readonly #graphs = new Map<string, RoleGraph>();
  /** What each graph was stitched from. */
  readonly #parts = new Map<RoleGraph, readonly Subschema[]>();

  constructor(parts: {
    metadata: Metadata;
    sources: readonly Source[];
    inconsistencies: readonly Inconsistency[];
    publicRole: string;
  }) {
    this.metadata = parts.metadata;
    this.sources = parts.sources;
    this.inconsistencies = parts.inconsistencies;
    this.#publicRole = parts.publicRole;
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

  #graphWith(subschemas: readonly Subschema[]): RoleGraph | undefined {
    for (const [graph, parts] of this.#parts) {
      const same =
        parts.length === subschemas.length && parts.every((part, i) => part.schema === subschemas[i]?.schema);
      if (same) return graph;
    }
    return undefined;
  }
}
