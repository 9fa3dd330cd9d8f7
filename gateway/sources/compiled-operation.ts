import type { DocumentNode, ExecutionResult, OperationDefinitionNode } from 'graphql';
import type { Done } from '../../platform/index.ts';
import type { Variables } from '../graphql/syntax/index.ts';
import type { PassthroughBody } from '../upstream/index.ts';
import type { OperationContext } from './operation-context.ts';

/** A valid operation whose root fields all belong to one source, in the graph's names. */
export interface OperationDocument {
  /** The operation and the fragments that it uses. */
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
}

/**
 * The result of an operation. The bytes of `{"data":{…}}` are relayed unchanged. An `ExecutionResult` is used if there
 * is more than data:
 *
 * - If its data is null and its errors have no path, the source failed the whole operation.
 * - If it has no member `data`, the source rejected the operation (GraphQL section 7.1.3, request errors).
 */
export type OperationAnswer = PassthroughBody | ExecutionResult;

/** A planned request to one service, with only names of the schema. */
export interface PlannedRequest {
  readonly source: string;
  /** The selected root fields. */
  readonly fields?: readonly string[];
  /** The path in the response of the objects whose fields are fetched, such as `viewer.orders`. */
  readonly path?: string;
  /** The number of the wave, starting at 1. Requests of a wave are sent concurrently, after those of earlier waves. */
  readonly wave: number;
}

/** An operation that a source has compiled. Any number of requests can run it. */
export interface CompiledOperation {
  /**
   * - `forward`: the operation is sent as a whole to the one service that resolves it.
   * - `local`: the gateway resolves it from its own data and webhook responses.
   * - `join`: several services resolve it together.
   */
  readonly kind: 'forward' | 'local' | 'join';
  /** Whether files sent with the operation are forwarded. */
  readonly takesFiles?: boolean;
  /** The requests of a `join`. Undefined if they are not known before the operation runs. */
  describe?(variables: Variables): readonly PlannedRequest[] | undefined;
  /**
   * Runs the operation. Never throws.
   *
   * @param variables the client's variables. Undeclared variables are ignored.
   * @param done called exactly once with the result.
   */
  run(variables: Variables, context: OperationContext, done: Done<OperationAnswer>): void;
}

/** The formats in which a client accepts payloads. */
export interface IncrementalFormats {
  /** The media types that are requested of the service, as in the header `Accept`. */
  readonly accept: string;
  /** Whether payloads of the older format are translated to v0.2, the only one that the client reads. */
  readonly isNewerOnly: boolean;
}

/** An operation whose response may be incremental, because it keeps its `@defer` and `@stream`. */
export interface IncrementalOperation {
  /**
   * Runs the operation. Never throws.
   *
   * @param receiver called with the response or its payloads.
   */
  run(
    variables: Variables,
    context: OperationContext,
    formats: IncrementalFormats,
    receiver: IncrementalReceiver,
  ): void;
}

/** A payload: bytes that are relayed unchanged, or a value if it has to be changed. */
export type IncrementalPayload = Buffer | ParsedPayload;

/** A parsed payload. All `errors` lists in it, including those of its pieces, contain `GraphQLError` objects. */
export type ParsedPayload = Readonly<Record<string, unknown>>;

/**
 * Receives a response that may be incremental: either `answered` once, or `begun`, then any number of `part`, then
 * `ended`.
 */
export interface IncrementalReceiver {
  /** The response is complete: no payloads follow. */
  answered(answer: OperationAnswer): void;
  /**
   * @param parameters parameters of the content type other than the boundary, such as `; deferSpec=20220824`, or empty.
   */
  begun(parameters: string, flow: IncrementalFlow): void;
  part(part: IncrementalPayload): void;
  /** @param last a payload with the error that replaces the missing payloads. */
  ended(last?: ParsedPayload): void;
}

/** Controls the reading of payloads. */
export interface IncrementalFlow {
  /** Stops reading from the source until `resume` is called. */
  pause(): void;
  resume(): void;
  /** Creates the payload that replaces the missing payloads, in the format of the earlier ones. */
  lastPart(error: unknown): ParsedPayload;
}

/** A subscription that a source has compiled. Any number of clients can open it. */
export interface CompiledSubscription {
  /**
   * Opens the source stream synchronously. An unreachable source ends the stream with an error.
   *
   * @param variables the client's variables. Undeclared variables are ignored.
   * @returns the events. The source is not read further until `next` is called. `return` ends the subscription and does
   *   not throw. `next` throws SourceEventsEnded if the stream ends with a failure.
   */
  open(variables: Variables, context: OperationContext): AsyncIterator<ExecutionResult>;
}
