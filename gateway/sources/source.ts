import type { SubschemaConfig } from '@graphql-tools/delegate';
import type { GraphQLDirective, GraphQLSchema } from 'graphql';
import type { Logger } from '../../platform/index.ts';
import type { Assertions } from '../assertions/index.ts';
import type { Environment, ValuePath } from '../metadata/index.ts';
import type { ResilienceSettings } from '../resilience/index.ts';
import type { RootTypeNames } from '../schemas/index.ts';
import type { Call } from './call.ts';
import type { CustomizedSchema } from './customization.ts';
import type {
  OperationToPrepare,
  PreparedOperation,
  PreparedParts,
  PreparedSubscription,
} from './prepared-operation.ts';
import type { SchemaStore } from './schema-store.ts';
import type { SourceGuard } from './source-guard.ts';
import type { UpstreamConnections } from './upstream-http.ts';

/** The role that may do everything. */
export const ADMIN_ROLE = 'admin';

/** A part of a source, as stitching takes it. */
export type Subschema = SubschemaConfig<unknown, unknown, unknown, Call> & {
  /** Object types whose fields pass as the source answers them, whatever their types say. */
  readonly uncheckedTypes?: ReadonlySet<string>;
  /** What is to be seen of its schema, where that is not all of it. */
  readonly visible?: GraphQLSchema;
  /** What its names are for the source, where they may differ. */
  readonly customized?: CustomizedSchema;
  /** Directives that operations may hold for its sake, beside those that every operation may. */
  readonly directives?: readonly GraphQLDirective[];
  /**
   * Makes an operation ready that is all the source's own; undefined for one that only the stitched schema can run. Root
   * `__typename` may be part of it, and is answered as the graph would.
   */
  readonly prepare?: (operation: OperationToPrepare) => PreparedOperation | undefined;
  /** What it knows of `@defer` and `@stream`; without it, all of an answer comes at once. */
  readonly parts?: PartsDelivery;
  /** The same for a subscription; without it, or where it gives undefined, the stitched schema takes its events. */
  readonly prepareSubscription?: (operation: OperationToPrepare) => PreparedSubscription | undefined;
};

/** How a source delivers answers in parts. */
export interface PartsDelivery {
  /** Those of `@defer` and `@stream` that it knows, with the arguments that it takes. */
  readonly directives: readonly GraphQLDirective[];
  /**
   * Makes an operation ready that has no other ones, and that is `forward` without them; undefined where its answer has
   * to come at once.
   */
  prepare(operation: OperationToPrepare): PreparedParts | undefined;
}

/** Something that answers root fields of the graph: a remote schema, or the actions. */
export interface Source {
  readonly name: string;
  readonly kind: 'remote-schema' | 'federation' | 'actions';
  /** The remote schemas that it stands for, where they are not it alone. */
  readonly members?: readonly string[];
  /** Everything that it offers, whoever asks, in the graph's names. */
  readonly schema: GraphQLSchema;
  /** The same as SDL, where it is known: to print it takes long where it is large. */
  readonly schemaSdl?: string;
  /** The same in its own names. */
  readonly upstream: GraphQLSchema;
  /** Types that it says how to join with those of the same name of other sources. */
  readonly mergedTypes?: ReadonlySet<string>;
  /** What its remote schemas say of themselves, by their names, as SDL that they can be opened from again. */
  readonly sdl?: ReadonlyMap<string, string>;
  /** What its services are called through. */
  readonly guards?: readonly SourceGuard[];
  /** What an operator should know of how it is served. */
  readonly warning?: string;
  /** What those should know who describe or run it, a line each. It may take seconds to find out. */
  hints?(): readonly string[];
  /**
   * Tells it whether new operations run on it. What it holds for them alone, it gives up some time after they no longer
   * do; those that began before are answered all the same.
   */
  setInForce?(isInForce: boolean): void;
  /** The part of it that `role` may see, the same object for the same part; undefined when there is none. */
  subschemaFor(role: string): Subschema | undefined;
}

/** What a source is opened with, beside its metadata. */
export interface Surroundings {
  readonly environment: Environment;
  readonly http: UpstreamConnections;
  /** How sources are called that say nothing of it. */
  readonly resilience?: ResilienceSettings;
  /** The role of requests without a token. What is not granted to it by name, it does not get. */
  readonly publicRole: string;
  /** What clients know the root types of the graph by. */
  readonly rootTypeNames?: RootTypeNames | undefined;
  /** What calls of action webhooks are signed with that have no secret of their own. */
  readonly webhookSecret?: string | undefined;
  /** Signs for sources that want to know that a request comes from this gateway; undefined without a key. */
  readonly assertions?: Assertions | undefined;
  /** Whether errors tell clients what happened behind the gateway. Never in production. */
  readonly showInternals?: boolean;
  readonly log?: Logger;
  /** Where schemas of remote schemas are stored, for starts while a service is down. */
  readonly schemas?: SchemaStore | undefined;
}

/** One line for an operator. */
export interface SourceProblem {
  readonly message: string;
  /** What it is about, within the description of the source. */
  readonly path?: ValuePath;
  /** The line within the text that the path leads to, 1-based. */
  readonly line?: number | undefined;
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

/** A source that answers, and not to what it was asked. It may be another one later. */
export class SourceRefuses extends SourceUnreachable {
  constructor(problem: string) {
    super(problem);
    this.name = 'SourceRefuses';
  }
}

/** Composing subgraphs, or opening what plans over them, was ended from outside: none of them is to blame. */
export class CompositionInterrupted extends Error {
  constructor(cause: Error) {
    super(`composing the subgraphs was interrupted: ${cause.message}`, { cause });
    this.name = 'CompositionInterrupted';
  }
}
