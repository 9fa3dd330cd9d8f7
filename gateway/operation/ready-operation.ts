import type { OperationDefinitionNode } from 'graphql';
import type { Session } from '../session/index.ts';
import type { SentFiles } from '../sources/index.ts';
import type { Client } from './client.ts';
import type { OperationCounts } from './counts.ts';
import type { PublicError } from './errors.ts';
import type { PersistedQuery } from './persisted.ts';
import type { Plans } from './plan.ts';

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

/** An operation that may be run now: its caller is known, the document is valid, the variables fit. */
export interface ReadyOperation {
  readonly session: Session;
  readonly plans: Plans;
  readonly operation: OperationDefinitionNode;
  /** Whether its answer may be compressed: it holds no tokens and the like. */
  readonly mayCompress: boolean;
  /** The text of the whole document. */
  readonly query: string;
  readonly request: OperationRequest;
  /** How long it may run; undefined for as long as its sources let it. */
  readonly seconds: number | undefined;
  readonly client: Client;
  /** Where it is counted when it has run. */
  readonly counts: OperationCounts;
}

/** An operation that its caller may send, and that is wrong in itself. Nothing of it is run. */
export interface InvalidOperation {
  readonly errors: readonly PublicError[];
  /** Set where it may be valid later: after how many seconds it is worth trying again. */
  readonly retryAfterSeconds?: number;
}
