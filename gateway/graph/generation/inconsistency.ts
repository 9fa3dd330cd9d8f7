import type { SourceProblem } from '../../sources/index.ts';

/** A source of the metadata that is not part of the graph, with the reason. */
export interface Inconsistency {
  readonly source: string;
  readonly reason: string;
  /**
   * Set where it is no source but a relationship, `source` being its type and name, or an authentication field of it,
   * or the graph of a role, `source` being the role.
   */
  readonly kind?: 'relationship' | 'authentication-field' | 'role';
  /** The reason in parts, where they have places of their own. */
  readonly problems?: readonly SourceProblem[];
}

/** A remote schema that has not been introspected. */
export interface MissingSource extends Inconsistency {
  /** Whether its stored schema is part of the graph, or its schema is unknown. */
  readonly schema: 'stored' | 'unknown';
}
