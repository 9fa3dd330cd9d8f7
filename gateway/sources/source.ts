import type { GraphQLDirective, GraphQLSchema } from 'graphql';
import type { Durations, Logger, Sealer } from '../../platform/index.ts';
import type { Assertions } from '../access/assertions/index.ts';
import type { RootTypeNames } from '../graphql/schemas/index.ts';
import type { Jobs } from '../jobs/engine/index.ts';
import type { Environment, ValuePath } from '../metadata/index.ts';
import type { ResilienceSettings, ResilientClient, UpstreamConnections } from '../upstream/index.ts';
import type {
  CompiledOperation,
  CompiledSubscription,
  IncrementalOperation,
  OperationDocument,
} from './compiled-operation.ts';
import type { CustomizedSchema } from './customization/index.ts';
import type { EventSharing } from './event-sharing.ts';
import type { SchemaStore } from './schema-store.ts';
import { boundedProblems, joinedReasons } from './service-text.ts';

/** How a stitched service returns objects of a type by a root field. */
export interface StitchedLookup {
  /** The root field of queries. */
  readonly field: string;
  /** What has to be known of an object, as the text of its selections; empty where nothing has to be. */
  readonly key: string;
  /** Whether the field takes many objects, and returns a list in their order. */
  readonly isMany: boolean;
  /** The names of the arguments that it is given. */
  readonly arguments: readonly string[];
  /** The arguments for objects, of which `key` and what a field requires is known. @param objects one, unless the field takes many */
  argumentsFor(objects: readonly Readonly<Record<string, unknown>>[]): Readonly<Record<string, unknown>>;
}

/** How the objects of one type of a stitched service are joined with those of others. */
export interface TypeJoins {
  /** By what its objects are known, as the text of selections; undefined where that is not said. */
  readonly key: string | undefined;
  readonly lookups: readonly StitchedLookup[];
  /** What fields need of other services, by their names, as the text of selections. */
  readonly requires: ReadonlyMap<string, string>;
  /** Whether the definition of the type, or of a field of it, goes before those of others. */
  isCanonical(field?: string): boolean;
}

/** The part of a source that a role sees. */
export interface Subschema {
  /** The name of its source. */
  readonly source: string;
  readonly schema: GraphQLSchema;
  /** How objects of its types are joined with those of others, by type. It is planned even where it answers alone. */
  readonly joins?: ReadonlyMap<string, TypeJoins>;
  /** Whether its root types have other names than those of the graph: an operation that names them is planned first. */
  readonly hasOwnRoots?: boolean;
  /** Object types whose values are not checked against their types. */
  readonly uncheckedTypes?: ReadonlySet<string>;
  /** The visible part of its schema, where some of it is hidden. */
  readonly visible?: GraphQLSchema;
  /** The source's own names, where customization changes them. */
  readonly customized?: CustomizedSchema;
  /** Directives that operations on it may contain, beside those of the specification. */
  readonly directives?: readonly GraphQLDirective[];
  /**
   * Compiles an operation whose root fields are all the source's own; undefined for one that has to be planned first. Root
   * `__typename` may be part of it, and is answered as the graph would.
   */
  readonly compile?: (operation: OperationDocument) => CompiledOperation | undefined;
  /** Its support of incremental delivery; without it, each response is one payload. */
  readonly incremental?: IncrementalSupport;
  /** Set where equal subscriptions to it share one stream. */
  readonly sharing?: EventSharing | undefined;
  /** Compiles a subscription. */
  readonly compileSubscription?: (operation: OperationDocument) => CompiledSubscription | undefined;
}

/** How a source supports incremental delivery. */
export interface IncrementalSupport {
  /** Which of `@defer` and `@stream` it supports, with their arguments. */
  readonly directives: readonly GraphQLDirective[];
  /**
   * Compiles an operation that has no other incremental directives, and that is `forward` without them; undefined where
   * its answer has to come at once.
   */
  compile(operation: OperationDocument): IncrementalOperation | undefined;
}

/** Resolves root fields of the graph: a remote schema, or the actions. */
export interface Source {
  readonly name: string;
  readonly kind: 'remote-schema' | 'federation' | 'actions';
  /** The remote schemas that it stands for, where they are not it alone. */
  readonly members?: readonly string[];
  /** Its whole schema, independent of the role, in the graph's names. */
  readonly schema: GraphQLSchema;
  /** The schema as SDL, one text for each definition, where that is known already. */
  readonly definitions?: readonly string[];
  /** The schema in the service's own names. */
  readonly upstream: GraphQLSchema;
  /** Whether its schema may lack deprecated arguments and input fields that its service has, or which inputs are `@oneOf`. */
  readonly hidesInputs?: boolean;
  /** Types that it declares how to join with those of the same name of other sources. */
  readonly mergedTypes?: ReadonlySet<string>;
  /** The SDL of its remote schemas, by their names, from which they can be opened again. */
  readonly sdl?: ReadonlyMap<string, string>;
  /** The clients that call its services. */
  readonly clients?: readonly ResilientClient[];
  /** Restrictions that an operator should know of. */
  readonly warning?: string;
  /** How its types come together of several services; undefined for a source of one service. */
  readonly ownership?: TypeOwnership;
  /** Hints of `portico check` about its schema, a line each. Finding them may take seconds. */
  hints?(): readonly string[];
  /**
   * Sets whether new operations run on it. Some time after it was set to false, it releases what only new operations
   * need; running ones are still answered.
   */
  setActive?(isActive: boolean): void;
  /** The part of it that `role` may see, the same object for the same part; undefined when there is none. */
  subschemaFor(role: string): Subschema | undefined;
}

/** Which services of a source have what of its types, in the source's own names. */
export interface TypeOwnership {
  /** Services that answer a field without needing anything of another one for it. */
  servicesOf(type: string, field: string): readonly string[];
  /** The keys by which objects of a type are fetched from services, as sets of fields. */
  keysOf(type: string): readonly { readonly service: string; readonly key: string }[];
}

/** How large the schema of a service may be. Its service decides about it, and the graphs of all roles are made of it. */
export interface SchemaLimits {
  /** Bytes of the response that has it. */
  readonly maxBytes: number;
  /** Types, fields, arguments, enum values, members of unions and directives together. */
  readonly maxElements: number;
}

export const DEFAULT_SCHEMA_LIMITS: SchemaLimits = { maxBytes: 8 * 1024 * 1024, maxElements: 20_000 };

/** The dependencies of a source, beside its metadata. */
export interface SourceDependencies {
  readonly environment: Environment;
  readonly http: UpstreamConnections;
  /** The resilience settings of sources that have none of their own. */
  readonly resilience?: ResilienceSettings;
  /** The role of requests without a token. It sees only what is granted to it by name. */
  readonly publicRole: string;
  /** The names of the root types for clients. */
  readonly rootTypeNames?: RootTypeNames | undefined;
  /** The secret that signs calls of actions without a secret of their own. */
  readonly webhookSecret?: string | undefined;
  /** Signs service assertions; undefined without a key. */
  readonly assertions?: Assertions | undefined;
  /** Encrypts headers of clients in jobs; undefined without a key. */
  readonly headerSealer?: Pick<Sealer, 'seal' | 'open'> | undefined;
  /** Names of headers that callers authenticate by, as far as the gateway is configured for them. */
  readonly credentialHeaders?: readonly string[];
  /** The remote schema whose requests prove that their caller has shown the admin secret; none when absent. */
  readonly operatorSource?: string | undefined;
  /** Whether errors contain internal details of failed calls. Never in production. */
  readonly showInternals?: boolean;
  readonly log?: Logger;
  /** Whether there is a database for the jobs of asynchronous actions. */
  readonly hasJobsDatabase?: boolean;
  /** What runs them; undefined where the graph is only looked at. */
  readonly jobs?: Jobs | undefined;
  /** Durations of compositions of subgraphs. */
  readonly compositions?: Durations | undefined;
  /** How large the schemas of services may be. */
  readonly schemaLimits?: SchemaLimits;
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

/** A source that cannot be used: its metadata or its responses are invalid. What it says of them is bounded. */
export class SourceError extends Error {
  readonly problems: readonly SourceProblem[];

  constructor(problems: readonly (string | SourceProblem)[]) {
    const all = problems.map((problem) => (typeof problem === 'string' ? { message: problem } : problem));
    super(joinedReasons(all.map(({ message }) => message)));
    this.name = 'SourceError';
    this.problems = boundedProblems(all);
  }
}

/** A source that does not answer. It is retried. */
export class SourceUnreachable extends SourceError {
  constructor(problem: string) {
    super([problem]);
    this.name = 'SourceUnreachable';
  }
}

/** A source that answers, but does not support a query for its schema. It is retried. */
export class SourceUnsupported extends SourceUnreachable {
  constructor(problem: string) {
    super(problem);
    this.name = 'SourceUnsupported';
  }
}

/** The thread that composes subgraphs or plans over them was ended from outside: no subgraph caused it. */
export class CompositionInterrupted extends Error {
  constructor(cause: Error) {
    super(`composing the subgraphs was interrupted: ${cause.message}`, { cause });
    this.name = 'CompositionInterrupted';
  }
}
