import type { SubschemaConfig } from '@graphql-tools/delegate';
import type { GraphQLSchema } from 'graphql';
import type { Environment, ValuePath } from '../metadata/index.ts';
import type { Call } from './call.ts';
import type { Forward } from './remote-executor.ts';
import type { UpstreamHttp } from './upstream-http.ts';

/** The role that may do everything. */
export const ADMIN_ROLE = 'admin';

/** A part of a source, as stitching takes it. */
export type Subschema = SubschemaConfig<unknown, unknown, unknown, Call> & {
  /** Object types whose fields pass as the source answers them, whatever their types say. */
  readonly uncheckedTypes?: ReadonlySet<string>;
  /** Set where the source has the graph's own names and nothing has to be put in: whole operations can go as they are. */
  readonly forward?: Forward;
};

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
  /** What calls of action webhooks are signed with that have no secret of their own. */
  readonly webhookSecret?: string | undefined;
  /** Whether errors tell clients what happened behind the gateway. Never in production. */
  readonly showInternals?: boolean;
}

/** One line for an operator. */
export interface SourceProblem {
  readonly message: string;
  /** What it is about, within the description of the source. */
  readonly path?: ValuePath;
}

/** A source that cannot be used as it is described or as it answers. */
export class SourceError extends Error {
  readonly problems: readonly SourceProblem[];

  constructor(problems: readonly (string | SourceProblem)[]) {
    const all = problems.map((problem) => (typeof problem === 'string' ? { message: problem } : problem));
    super(all.map(({ message }) => message).join('; '));
    this.name = 'SourceError';
    this.problems = all;
  }
}

/** A source that does not answer. It may, later. */
export class SourceUnreachable extends SourceError {
  constructor(problem: string) {
    super([problem]);
    this.name = 'SourceUnreachable';
  }
}
