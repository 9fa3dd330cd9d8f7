import type { GraphQLError, OperationDefinitionNode } from 'graphql';
import type { Session } from '../access/session/index.ts';
import type { SessionCondition } from '../access/variables/index.ts';
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

// A request passes through the pipeline as OperationRequest, then ParsedRequest, then ExecutableRequest or
// RejectedRequest.

/** An operation as a client sends it. */
export interface OperationRequest {
  /** Undefined if `persisted` names a document that was sent before. */
  readonly query: string | undefined;
  readonly persisted?: PersistedQuery;
  readonly variables: Readonly<Record<string, unknown>>;
  readonly operationName: string | undefined;
  /** Files that the client sends with the operation. */
  readonly files?: SentFiles;
}

/** Options of a transport for an operation. */
export interface PrepareOptions {
  /** The batch that contains the operation. */
  readonly batch?: Batch;
  /** Whether the document is saved in the metadata. If so, the allow list does not apply. */
  readonly isSaved?: boolean;
  /** Whether a handler of the metadata runs the operation, so that it is not explained. */
  readonly isNested?: boolean;
  /** Whether the transport can deliver a stream of events. */
  readonly mayStream?: boolean;
  /** The condition that sessions must meet to use this transport. It does not apply to the admin. */
  readonly sessionCondition?: SessionCondition | undefined;
}

/** The caches and rules of one generation of the graph. */
export interface GenerationCache {
  readonly generation: Generation;
  readonly documents: DocumentCache;
  readonly persisted: PersistedDocuments;
  readonly rules: RoleRules;
}

/** A request with a parsed document. The client is not authenticated yet. */
export interface ParsedRequest {
  readonly kind: 'parsed';
  readonly request: OperationRequest;
  readonly context: RequestContext;
  readonly cache: GenerationCache;
  /** The text of the whole document. */
  readonly query: string;
  readonly document: Document;
}

/** A request without an executable document. */
export interface UnparsedRequest {
  readonly kind: 'unparsed';
  readonly request: OperationRequest;
  readonly context: RequestContext;
  readonly error: GraphQLError;
}

/** A request that may be executed. The client is authenticated; the document and variables are valid. */
export interface ExecutableRequest {
  readonly kind: 'executable';
  readonly session: Session;
  readonly plans: Plans;
  readonly operation: OperationDefinitionNode;
  /** Whether the response may be compressed: it contains no tokens or other secrets (BREACH). */
  readonly mayCompress: boolean;
  /** The text of the whole document. */
  readonly query: string;
  readonly request: OperationRequest;
  /** The time limit. Undefined if only the timeouts of sources apply. */
  readonly seconds: number | undefined;
  readonly context: RequestContext;
  /** Counts the operation when it has run. */
  readonly counts: OperationCounts;
  /** Counts the operation by name. Null if it is not counted by name. */
  readonly named: NamedOperation | null;
  /** Counts usage. Undefined if usage is not counted. */
  readonly usage: OperationUsage | undefined;
  /** Set if the request is explained. Its result is then not relayed as bytes. */
  readonly explanation?: Explanation | undefined;
}

export type PreparedRequest = ExecutableRequest | RejectedRequest;
