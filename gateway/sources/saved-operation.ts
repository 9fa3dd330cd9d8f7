import type { Cancellation, Done, Span } from '../../platform/index.ts';
import type { Session } from '../access/session/index.ts';
import type { HandlerCounts } from './handler-counts.ts';
import type { OperationContext } from './operation-context.ts';

/** A run of a saved operation by a handler. */
export interface SavedOperationCall {
  /** The text of the document. */
  readonly query: string;
  readonly operationName: string | undefined;
  readonly variables: Readonly<Record<string, unknown>>;
  /** The session that the permissions, presets and limits of the operation are taken from. */
  readonly session: Session;
  /** The request or job that the handler works for. */
  readonly origin: Pick<OperationContext, 'requestId' | 'clientAddress' | 'clientHeaders' | 'log'>;
  readonly cancellation: Cancellation;
  /** The parent span of the operation. */
  readonly span: Span | undefined;
  /** How many handlers the operation is nested in, from 1 on. */
  readonly depth: number;
}

/** An error as a client of the operation would receive it. */
export interface SavedOperationError {
  readonly message: string;
  readonly extensions: Readonly<Record<string, unknown>>;
}

export interface SavedOperationResult {
  readonly data: Readonly<Record<string, unknown>> | null;
  /** Empty if the operation succeeded. */
  readonly errors: readonly SavedOperationError[];
  /** Whether the operation was rejected, so that nothing of it was executed. */
  readonly isRejected: boolean;
}

/**
 * Runs a saved operation in this process, with the permissions and limits of its session. It is not counted against a
 * rate limit, since the request that caused it has been. Never throws. Calls `done` exactly once.
 */
export type RunSavedOperation = (call: SavedOperationCall, done: Done<SavedOperationResult>) => void;

/** What handlers need to run their operations. */
export interface HandlerDependencies {
  readonly run: RunSavedOperation;
  /** How deep handlers may be nested. */
  readonly maxDepth: number;
  readonly counts: HandlerCounts;
}
