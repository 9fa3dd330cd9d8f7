import type { SubschemaConfig } from '@graphql-tools/delegate';
import type { GraphQLDirective, GraphQLSchema } from 'graphql';
import type { Durations, Logger } from '../../platform/index.ts';
import type { Assertions } from '../assertions/index.ts';
import type { Environment, ValuePath } from '../metadata/index.ts';
import type { RootTypeNames } from '../schemas/index.ts';
import type { ResilienceSettings, ResilientClient, UpstreamConnections } from '../upstream/index.ts';
import type {
  CompiledOperation,
  CompiledSubscription,
  IncrementalOperation,
  OperationDocument,
} from './compiled-operation.ts';
import type { CustomizedSchema } from './customization/index.ts';
import type { OperationContext } from './operation-context.ts';
import type { SchemaStore } from './schema-store.ts';

/** A part of a source, as stitching takes it. */
export type Subschema = SubschemaConfig<unknown, unknown, unknown, OperationContext> & {
  /** Object types whose fields pass as the source answers them, whatever their types say. */
  readonly uncheckedTypes?: ReadonlySet<string>;
  /** The visible part of its schema, where that is not all of it. */
  readonly visible?: GraphQLSchema;
  /** The source's own names, where customization changes them. */
  readonly customized?: CustomizedSchema;
  /** Directives that operations may hold for its sake, beside those that every operation may. */
  readonly directives?: readonly GraphQLDirective[];
  /**
   * Compiles an operation whose root fields are all the source's own; undefined for one that only the stitched schema can run. Root
   * `__typename` may be part of it, and is answered as the graph would.
   */
  readonly compile?: (operation: OperationDocument) => CompiledOperation | undefined;
  /** Its support of incremental delivery; without it, each response is one payload. */
  readonly incremental?: IncrementalSupport;
  /** The same for a subscription; without it, or where it gives undefined, the stitched schema takes its events. */
  readonly compileSubscription?: (operation: OperationDocument) => CompiledSubscription | undefined;
};

/** How a source supports incremental delivery. */
export interface IncrementalSupport {
  /** Which of `@defer` and `@stream` it supports, with their arguments. */
  readonly directives: readonly GraphQLDirective[];
  /**
   * Compiles an operation that has no other incremental directives, and that is `forward` without them; undefined where its answer has
   * to come at once.
   */
  compile(operation: OperationDocument): IncrementalOperation | undefined;
}

/** Something that answers root fields of the graph: a remote schema, or the actions. */
export interface Source {
  readonly name: string;
  readonly kind: 'remote-schema' | 'federation' | 'actions';
  /** The remote schemas that it stands for, where they are not it alone. */
  readonly members?: readonly string[];
  /** Its whole schema, independent of the role, in the graph's names. */
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
  readonly clients?: readonly ResilientClient[];
  /** What an operator should know of how it is served. */
  readonly warning?: string;
  /** What those should know who describe or run it, a line each. It may take seconds to find out. */
  hints?(): readonly string[];
  /**
   * Tells it whether new operations run on it. What it holds for them alone, it gives up some time after they no longer
   * do; those that began before are answered all the same.
   */
  setActive?(isActive: boolean): void;
  /** The part of it that `role` may see, the same object for the same part; undefined when there is none. */
  subschemaFor(role: string): Subschema | undefined;
}

/** What a source is opened with, beside its metadata. */
export interface SourceDependencies {
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
  /** Where it is measured how long composing subgraphs takes. */
  readonly compositions?: Durations | undefined;
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
export class SourceUnsupported extends SourceUnreachable {
  constructor(problem: string) {
    super(problem);
    this.name = 'SourceUnsupported';
  }
}

/** Composing subgraphs, or opening what plans over them, was ended from outside: none of them is to blame. */
export class CompositionInterrupted extends Error {
  constructor(cause: Error) {
    super(`composing the subgraphs was interrupted: ${cause.message}`, { cause });
    this.name = 'CompositionInterrupted';
  }
}
