import type { SubschemaConfig } from '@graphql-tools/delegate';
import type { GraphQLSchema } from 'graphql';
import type { Environment } from '../metadata/index.ts';
import type { Call } from './call.ts';
import type { UpstreamHttp } from './upstream-http.ts';

/** The role that may do everything. */
export const ADMIN_ROLE = 'admin';

/** A part of a source, as stitching takes it. */
export type Subschema = SubschemaConfig<unknown, unknown, unknown, Call>;

/** Something that answers root fields of the graph: a remote schema, or the actions. */
export interface Source {
  readonly name: string;
  readonly kind: 'remote-schema' | 'actions';
  /** Everything that it offers, whoever asks, in the graph's names. */
  readonly schema: GraphQLSchema;
  /** The same in its own names. */
  readonly upstream: GraphQLSchema;
  /** The part of it that `role` may see, the same object for the same part; undefined when there is none. */
  subschemaFor(role: string): Subschema | undefined;
}

/** What a source is opened with, beside its metadata. */
export interface Surroundings {
  readonly environment: Environment;
  readonly http: UpstreamHttp;
  /** The role of requests without a token. What is not granted to it by name, it does not get. */
  readonly publicRole: string;
}

/** A source that cannot be used as it is described or as it answers. Each problem is one line for an operator. */
export class SourceError extends Error {
  constructor(readonly problems: readonly string[]) {
    super(problems.join('; '));
    this.name = 'SourceError';
  }
}

/** A source that does not answer. It may, later. */
export class SourceUnreachable extends SourceError {
  constructor(problem: string) {
    super([problem]);
    this.name = 'SourceUnreachable';
  }
}
