// Results of the commands of docs/insight.md, as far as pages read them.

/** A part of a long list. */
export interface Page<T> {
  readonly total: number;
  readonly items: readonly T[];
  readonly next_offset: number | null;
}

/** The first items of a list. */
export interface Bounded<T> {
  readonly items: readonly T[];
  readonly omitted: number;
}

export interface MetadataProblem {
  readonly file: string;
  readonly line?: number;
  readonly path?: string;
  readonly message: string;
  /** Other places with the same problem. */
  readonly alsoAt?: readonly { readonly file: string; readonly line?: number }[];
}

export interface SchemaChange {
  readonly breaking: boolean;
  readonly message: string;
}

export interface SourceInsight {
  readonly name: string;
  readonly kind: 'remote_schema' | 'subgraph' | 'action';
  readonly schema: 'open' | 'stale' | 'missing' | 'conflict';
  readonly reason: string | null;
  readonly composed_into: string | null;
  readonly circuit: 'closed' | 'half_open' | 'open';
  readonly in_flight: number;
  readonly waiting: number;
  readonly calls: number;
  readonly outcomes: Readonly<Record<string, number>>;
  readonly error_rate: number | null;
  readonly retries: number;
  readonly shared: number;
  readonly latency: { readonly p50_ms: number | null; readonly p99_ms: number | null; readonly mean_ms: number } | null;
  readonly last_schema_change: {
    readonly at: string;
    readonly total: number;
    readonly breaking: number;
    readonly changes: readonly SchemaChange[];
  } | null;
}

export interface SourcesInsight extends Page<SourceInsight> {
  readonly workers: number;
  readonly problems: Bounded<MetadataProblem>;
}

export interface TypeInsight {
  readonly name: string;
  readonly kind: string;
  readonly description: string | null;
  readonly sources: readonly string[];
  readonly joins: readonly { readonly source: string; readonly key: string }[];
  readonly fields: Bounded<{
    readonly name: string;
    readonly type: string;
    readonly sources: readonly string[];
    /** Whether sessions must meet a condition to select the field. */
    readonly conditional: boolean;
    readonly relationship: { readonly target: string; readonly fields: readonly string[] } | null;
  }>;
}

export interface RoleDifference {
  readonly coordinate: string;
  readonly first: string | null;
  readonly second: string | null;
}

export interface MetadataFile {
  readonly name: string;
  readonly bytes: number;
}

export interface MetadataFileList {
  readonly watched: boolean;
  readonly files: readonly MetadataFile[];
}

export interface MetadataFileText extends MetadataFile {
  readonly text: string | null;
  readonly truncated: boolean;
}

export interface MetadataReport {
  readonly valid: boolean;
  readonly problems: Bounded<MetadataProblem>;
  readonly reload_problems: Bounded<MetadataProblem>;
  readonly warnings: Bounded<MetadataProblem>;
  readonly ignored: Bounded<{ readonly file: string; readonly line?: number; readonly what: string }>;
  readonly hints: Bounded<{ readonly source: string; readonly message: string }>;
  readonly roles: Bounded<{ readonly role: string; readonly fields: Bounded<string> }>;
  readonly operations: Bounded<{ readonly operation: string; readonly roles: Bounded<string> }>;
}

export interface MetadataPreview {
  readonly pending: boolean;
  readonly valid: boolean;
  readonly problems: Bounded<MetadataProblem>;
  readonly missing: Bounded<{ readonly name: string; readonly reason: string }>;
  readonly changes: Bounded<
    SchemaChange & {
      readonly roles?: readonly string[];
      readonly roles_omitted?: number;
      readonly usage?: { readonly verdict: 'used' | 'unused' | 'unknown'; readonly count: number };
    }
  >;
  readonly breaking: number;
  readonly usage_days: number | null;
}
