import type { GraphQLError, OperationDefinitionNode } from 'graphql';
import type { Session } from '../access/session/index.ts';
import type { Generation } from '../graph/index.ts';
import type { OperationUsage } from '../operations/usage/index.ts';
import type { SentFiles } from '../sources/index.ts';
import type { RequestContext } from '../transports/http/index.ts';
import type { Batch } from './batch.ts';
import type { OperationCounts } from './counts.ts';
import type { Document, DocumentCache, PersistedDocuments, PersistedQuery } from './document/index.ts';
import type { Explanation } from './explanation.ts';
import type { NamedOperation } from './named-operations.ts';
import type { Plans } from './plan/index.ts';
import type { RejectedRequest } from './response/index.ts';
import type { RoleRules } from './validation/index.ts';

// A request on its way through the pipeline: OperationRequest, then ParsedRequest, then ExecutableRequest or
// RejectedRequest.

/** One operation as a client sends it. */
export interface OperationRequest {
  /** Undefined where `persisted` names a document that was sent before. */
  readonly query: string | undefined;
  readonly persisted?: PersistedQuery;
  readonly variables: Readonly<Record<string, unknown>>;
  readonly operationName: string | undefined;
  /** Files that come with it. */
  readonly files?: SentFiles;
}

/** How a transport handles an operation. */
export interface PrepareOptions {
  /** The batch that the operation is part of. */
  readonly batch?: Batch;
  /** Whether it is saved in the metadata: the allow list does not apply to it. */
  readonly isSaved?: boolean;
  /** Whether the transport can deliver a stream of events. */
  readonly mayStream?: boolean;
}

/** The caches and rules of one generation of the graph. */
export interface GenerationCache {
  readonly generation: Generation;
  readonly documents: DocumentCache;
  readonly persisted: PersistedDocuments;
  readonly rules: RoleRules;
}

/** A request whose document is parsed, before its caller is authenticated. */
export interface ParsedRequest {
  readonly kind: 'parsed';
  readonly request: OperationRequest;
  readonly context: RequestContext;
  readonly cache: GenerationCache;
  /** The text of the whole document. */
  readonly query: string;
  readonly document: Document;
}

/** A request without a document that can be run. */
export interface UnparsedRequest {
  readonly kind: 'unparsed';
  readonly request: OperationRequest;
  readonly context: RequestContext;
  readonly error: GraphQLError;
}

/** A request that may be executed: its caller is authenticated, its document and variables are valid. */
export interface ExecutableRequest {
  readonly kind: 'executable';
  readonly session: Session;
  readonly plans: Plans;
  readonly operation: OperationDefinitionNode;
  /** Whether its response may be compressed: it contains no tokens or other secrets (BREACH). */
  readonly mayCompress: boolean;
  /** The text of the whole document. */
  readonly query: string;
  readonly request: OperationRequest;
  /** Its time limit; undefined where only the timeouts of its sources apply. */
  readonly seconds: number | undefined;
  readonly context: RequestContext;
  /** Counts it when it has run. */
  readonly counts: OperationCounts;
  /** Counts it by its name; null where names are not counted. */
  readonly named: NamedOperation | null;
  /** Counts its usage; undefined where usage is not counted. */
  readonly usage: OperationUsage | undefined;
  /** Set where its caller requests an explanation and may have one: its result is not relayed as bytes then. */
  readonly explanation?: Explanation | undefined;
}

export type PreparedRequest = ExecutableRequest | RejectedRequest;
