import type { SubschemaConfig } from '@graphql-tools/delegate';
import type { GraphQLSchema } from 'graphql';
import type { Environment } from '../metadata/index.ts';
import type { Call } from './call.ts';
import type { UpstreamHttp } from './upstream-http.ts';

/** The role that may do everything. */
export const ADMIN_ROLE = 'admin';

/** Something that answers root fields of the graph: a remote schema, or the actions. */
export interface Source {
  readonly name: string;
  readonly kind: 'remote-schema' | 'actions';
  /** Everything that it offers, whoever asks. */
  readonly schema: GraphQLSchema;
  /** The part of it that `role` may see, ready for stitching; undefined when there is none. */
  subschemaFor(role: string): SubschemaConfig<unknown, unknown, unknown, Call> | undefined;
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
