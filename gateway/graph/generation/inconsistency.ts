import type { SourceProblem } from '../../sources/index.ts';

/** A source of the metadata that is not part of the graph, with the reason. */
export interface Inconsistency {
  readonly source: string;
  readonly reason: string;
  /**
   * Set if this is not a source. For `relationship`, `source` contains the type and the name. For
   * `authentication-field`, `source` contains the source of the field. For `role`, `source` contains the role.
   */
  readonly kind?: 'relationship' | 'authentication-field' | 'role';
  /** The parts of the reason, if they have separate locations. */
  readonly problems?: readonly SourceProblem[];
}

/** A remote schema that has not been introspected. */
export interface MissingSource extends Inconsistency {
  /** Whether the graph contains the stored schema, or the schema is unknown. */
  readonly schema: 'stored' | 'unknown';
}
