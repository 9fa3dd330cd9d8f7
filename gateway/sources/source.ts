import type {
  GraphQLArgument,
  GraphQLDirective,
  GraphQLInputObjectType,
  GraphQLOutputType,
  GraphQLSchema,
} from 'graphql';
import type { Durations, Logger, Sealer } from '../../platform/index.ts';
import type { Assertions } from '../access/assertions/index.ts';
import type { FieldConditions } from '../access/variables/index.ts';
import type { RootTypeNames } from '../graphql/schemas/index.ts';
import type { Jobs } from '../jobs/engine/index.ts';
import type { Environment, KeyField, ValuePath } from '../metadata/index.ts';
import type { ResilienceSettings, ResilientClient, UpstreamConnections } from '../upstream/index.ts';
import type {
  CompiledOperation,
  CompiledSubscription,
  IncrementalOperation,
  OperationDocument,
} from './compiled-operation.ts';
import type { CustomizedSchema } from './customization/index.ts';
import type { EventSharing } from './event-sharing.ts';
import type { HandlerDependencies } from './saved-operation.ts';
import type { SchemaStore } from './schema-store.ts';
import { boundedProblems, joinedReasons } from './service-text.ts';

/** A root field through which a stitched service returns objects of a type. */
export interface StitchedLookup {
  /** The root field of queries. */
  readonly field: string;
  /** The fields of an object that the lookup needs, as the text of its selections. Empty if it needs none. */
  readonly key: string;
  /** Whether the field takes many objects and returns a list in the same order. */
  readonly isMany: boolean;
  /** The names of the arguments that are passed. */
  readonly arguments: readonly string[];
  /**
   * Computes the arguments for objects whose `key` and required fields are known.
   * @param objects one object, unless the field takes many
   */
  argumentsFor(objects: readonly Readonly<Record<string, unknown>>[]): Readonly<Record<string, unknown>>;
}

/** The rules for joining objects of one stitched type with objects of other services. */
export interface TypeJoins {
  /** The key fields of the type's objects, as the text of selections. Undefined if no key is declared. */
  readonly key: string | undefined;
  readonly lookups: readonly StitchedLookup[];
  /** The fields that a field needs from other services, as the text of selections, by field name. */
  readonly requires: ReadonlyMap<string, string>;
  /** Whether the type's or a field's definition takes precedence over the definitions in other services. */
  isCanonical(field?: string): boolean;
}

/** A field that a source adds to an object type, whichever sources have the type. */
export interface TypeField {
  /** The name of the type in the graph. */
  readonly type: string;
  readonly name: string;
  readonly description: string;
  /** The name of the action that resolves the field. */
  readonly action: string;
  /** The fields of an object whose values the source needs, in the graph's names. */
  readonly key: readonly KeyField[];
  /** The arguments that clients may set. */
  readonly clientArguments: readonly GraphQLArgument[];
  readonly output: GraphQLOutputType;
  /** The source's root field that returns a list of values for a list of keys. Clients do not see it. */
  readonly call: { readonly field: string; readonly argument: string; readonly keys: GraphQLInputObjectType };
}

/** The part of a source that a role sees. */
export interface Subschema {
  /** The source's name. */
  readonly source: string;
  readonly schema: GraphQLSchema;
  /**
   * The rules for joining objects with those of other services, by type. Such sources are planned even if one can
   * resolve all.
   */
  readonly joins?: ReadonlyMap<string, TypeJoins>;
  /**
   * Whether the names of root types differ from the graph's. Operations that name a root type must then be planned
   * first.
   */
  readonly hasOwnRoots?: boolean;
  /** The session conditions of the role's fields, in the names of `schema`. The pipeline checks them. */
  readonly sessionConditions?: FieldConditions | undefined;
  /** Object types whose values are not checked against their types. */
  readonly uncheckedTypes?: ReadonlySet<string>;
  /** The fields that the source adds to types. Its types that only these fields use are part of `schema`. */
  readonly typeFields?: readonly TypeField[];
  /** The visible part of the schema, if some of it is hidden. */
  readonly visible?: GraphQLSchema;
  /** The source's own names, if customization changes them. */
  readonly customized?: CustomizedSchema;
  /** Directives that operations on the source may contain, besides those of the specification. */
  readonly directives?: readonly GraphQLDirective[];
  /**
   * Compiles an operation whose root fields all belong to the source. Returns undefined if the operation has to be
   * planned first. The operation may contain `__typename` at the root, which yields the graph's name.
   */
  readonly compile?: (operation: OperationDocument) => CompiledOperation | undefined;
  /** Support for incremental delivery. If undefined, each response is a single payload. */
  readonly incremental?: IncrementalSupport;
  /** Set if equal subscriptions to the source share one stream. */
  readonly sharing?: EventSharing | undefined;
  /** Compiles a subscription. */
  readonly compileSubscription?: (operation: OperationDocument) => CompiledSubscription | undefined;
}

/** A source's support for incremental delivery. */
export interface IncrementalSupport {
  /** The supported directives, `@defer` or `@stream` or both, with their arguments. */
  readonly directives: readonly GraphQLDirective[];
  /**
   * Compiles an operation that has no other incremental directives and would be `forward` without them. Returns
   * undefined if the response cannot be incremental.
   */
  compile(operation: OperationDocument): IncrementalOperation | undefined;
}

/** Resolves root fields of the graph. A source is a remote schema, a group of composed subgraphs, or all actions. */
export interface Source {
  readonly name: string;
  readonly kind: 'remote-schema' | 'federation' | 'actions';
  /** The remote schemas that the source consists of, unless it is a single one. */
  readonly members?: readonly string[];
  /** The whole schema in the graph's names, independent of the role. */
  readonly schema: GraphQLSchema;
  /** The schema as SDL, one text for each definition, if it is already printed. */
  readonly definitions?: readonly string[];
  /** The schema in the service's own names. */
  readonly upstream: GraphQLSchema;
  /** Whether the schema may lack deprecated arguments, deprecated input fields or `@oneOf` that the service has. */
  readonly hidesInputs?: boolean;
  /** Types that the source declares how to join with types of the same name in other sources. */
  readonly mergedTypes?: ReadonlySet<string>;
  /** The SDL of the source's remote schemas, by name. Remote schemas can be reopened from it. */
  readonly sdl?: ReadonlyMap<string, string>;
  /** The clients that call the source's services. */
  readonly clients?: readonly Pick<ResilientClient, 'state'>[];
  /** Restrictions that an operator should know about. */
  readonly warning?: string;
  /** The owners of types that several services contribute to. Undefined for a source with one service. */
  readonly ownership?: TypeOwnership;
  /** Hints of `portico check` about the schema, one per line. Finding them may take seconds. */
  hints?(): readonly string[];
  /**
   * Sets whether new operations run on the source. Some time after `false`, the source releases what only new
   * operations need. Running operations are still completed.
   */
  setActive?(isActive: boolean): void;
  /**
   * The part of the source that `role` may see. Equal parts are the same object. Undefined if the role sees nothing.
   */
  subschemaFor(role: string): Subschema | undefined;
}

/** Ownership of the types in a source, in the source's own names. */
export interface TypeOwnership {
  /** Services that resolve a field without fields of other services. */
  servicesOf(type: string, field: string): readonly string[];
  /** The keys by which services return objects of a type, as sets of fields. */
  keysOf(type: string): readonly { readonly service: string; readonly key: string }[];
}

/**
 * Limits for the schema of a service. The service determines the size, and the graphs of all roles are built from it.
 */
export interface SchemaLimits {
  /** The maximum number of bytes of the response that contains the schema. */
  readonly maxBytes: number;
  /** The maximum total number of types, fields, arguments, enum values, union members and directives. */
  readonly maxElements: number;
}

export const DEFAULT_SCHEMA_LIMITS: SchemaLimits = { maxBytes: 8 * 1024 * 1024, maxElements: 20_000 };

/** The dependencies of a source besides its metadata. */
export interface SourceDependencies {
  readonly environment: Environment;
  readonly http: UpstreamConnections;
  /** The resilience settings of sources that have no settings of their own. */
  readonly resilience?: ResilienceSettings;
  /** The role of requests without a token. The role only sees what permissions explicitly grant it. */
  readonly publicRole: string;
  /** The names of the root types for clients. */
  readonly rootTypeNames?: RootTypeNames | undefined;
  /** The secret that signs calls of actions without a secret of their own. */
  readonly webhookSecret?: string | undefined;
  /** Signs service assertions. Undefined if no key is configured. */
  readonly assertions?: Assertions | undefined;
  /** Encrypts client headers in jobs. Undefined if no key is configured. */
  readonly headerSealer?: Pick<Sealer, 'seal' | 'open'> | undefined;
  /** Names of the headers with which clients authenticate, according to the gateway's settings. */
  readonly credentialHeaders?: readonly string[];
  /**
   * The remote schema whose requests carry a proof that the client has sent the admin secret. If undefined, no requests
   * carry it.
   */
  readonly operatorSource?: string | undefined;
  /** Whether errors contain internal details of failed calls. Never in production. */
  readonly showInternals?: boolean;
  readonly log?: Logger;
  /** Whether a database for the jobs of asynchronous actions is configured. */
  readonly hasJobsDatabase?: boolean;
  /** Where webhooks report the progress of jobs. Undefined if no URL is set. */
  readonly jobProgressUrl?: string | undefined;
  /** Runs the jobs of asynchronous actions. Undefined if the graph is only inspected. */
  readonly jobs?: Jobs | undefined;
  /** Runs the saved operations of handlers. Undefined if the graph is only inspected. */
  readonly handlers?: HandlerDependencies | undefined;
  /** Measures the duration of compositions. */
  readonly compositions?: Durations | undefined;
  /** Limits for the schemas of services. */
  readonly schemaLimits?: SchemaLimits;
  /** Stores the schemas of remote schemas, so that the gateway can start while a service is down. */
  readonly schemas?: SchemaStore | undefined;
}

/** A problem of a source, as one line for an operator. */
export interface SourceProblem {
  readonly message: string;
  /** The path of the affected value within the description of the source. */
  readonly path?: ValuePath;
  /** The line within the text at the path, 1-based. */
  readonly line?: number | undefined;
}

/** A source cannot be used because its metadata or its responses are invalid. Messages that quote these are bounded. */
export class SourceError extends Error {
  readonly problems: readonly SourceProblem[];

  constructor(problems: readonly (string | SourceProblem)[]) {
    const all = problems.map((problem) => (typeof problem === 'string' ? { message: problem } : problem));
    super(joinedReasons(all.map(({ message }) => message)));
    this.name = 'SourceError';
    this.problems = boundedProblems(all);
  }
}

/** A source does not respond. Opening it is retried. */
export class SourceUnreachable extends SourceError {
  constructor(problem: string) {
    super([problem]);
    this.name = 'SourceUnreachable';
  }
}

/** A source responds but does not support a query for its schema. Opening it is retried. */
export class SourceUnsupported extends SourceUnreachable {
  constructor(problem: string) {
    super(problem);
    this.name = 'SourceUnsupported';
  }
}

/** The thread that composes or plans was ended from outside. No subgraph caused this. */
export class CompositionInterrupted extends Error {
  constructor(cause: Error) {
    super(`composing the subgraphs was interrupted: ${cause.message}`, { cause });
    this.name = 'CompositionInterrupted';
  }
}
