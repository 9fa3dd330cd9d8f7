import type { DocumentNode, ExecutionResult, OperationDefinitionNode } from 'graphql';
import type { Done } from '../../platform/index.ts';
import type { Variables } from '../graphql/syntax/index.ts';
import type { PassthroughBody } from '../upstream/index.ts';
import type { OperationContext } from './operation-context.ts';

/** An operation whose root fields are all one source's own, in the graph's names. It is valid. */
export interface OperationDocument {
  /** The operation and the fragments that it uses. */
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
}

/**
 * The result of an operation: the bytes of `{"data":{…}}`, to be relayed as they are; or a result, where there is more
 * to it than data. A result whose data is null and whose errors have no path means that the source failed the operation
 * as a whole; one without the member `data`, that it rejected the operation (GraphQL section 7.1.3, request errors).
 */
export type OperationAnswer = PassthroughBody | ExecutionResult;

/** A request that a plan makes of one service: names of the schema only. */
export interface PlannedRequest {
  readonly source: string;
  /** The selected root fields. */
  readonly fields?: readonly string[];
  /** The path in the response of the objects whose fields are fetched, such as `viewer.orders`. */
  readonly path?: string;
  /** Requests of the same number are made at the same time, after those of smaller ones: from 1 on. */
  readonly wave: number;
}

/** An operation that a source has compiled once, to be run for any number of callers. */
export interface CompiledOperation {
  /**
   * `forward`: it is sent as a whole to the one service that answers it; `local`: the gateway answers it from what it
   * holds and what webhooks say; `join`: several services answer it together.
   */
  readonly kind: 'forward' | 'local' | 'join';
  /** Whether files that come with the operation are sent on. */
  readonly takesFiles?: boolean;
  /** The requests of a `join`; undefined where they are not known before it runs. */
  describe?(variables: Variables): readonly PlannedRequest[] | undefined;
  /**
   * Runs it.
   *
   * @param variables as the client sent them; those that the operation does not declare are left alone.
   * @param done called exactly once with the result; `run` never throws.
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

/** An operation whose answer may come in parts, because its `@defer` and `@stream` are left in it. */
export interface IncrementalOperation {
  /**
   * Runs it.
   *
   * @param receiver called with the response or its payloads; `run` never throws.
   */
  run(
    variables: Variables,
    context: OperationContext,
    formats: IncrementalFormats,
    receiver: IncrementalReceiver,
  ): void;
}

/** A payload: its bytes, to be relayed unchanged, or its value where it has to be changed. */
export type IncrementalPayload = Buffer | ParsedPayload;

/** A part that was read. Lists under `errors`, its own and those of what it brings, are of GraphQLError. */
export type ParsedPayload = Readonly<Record<string, unknown>>;

/** Receives a response that may be incremental: `answered` once, or `begun`, any number of `part`, then `ended`. */
export interface IncrementalReceiver {
  /** The response is complete: no payloads follow. */
  answered(answer: OperationAnswer): void;
  /** @param parameters of the content type beside its boundary, such as `; deferSpec=20220824`; else empty. */
  begun(parameters: string, flow: IncrementalFlow): void;
  part(part: IncrementalPayload): void;
  /** @param last a payload with the error that replaces the missing ones. */
  ended(last?: ParsedPayload): void;
}

/** Controls the reading of payloads. */
export interface IncrementalFlow {
  /** No more is read from the source for now. */
  pause(): void;
  resume(): void;
  /** The payload that replaces the missing ones, in the format of those that came. */
  lastPart(error: unknown): ParsedPayload;
}

/** A subscription that a source has compiled once, to be opened for any number of callers. */
export interface CompiledSubscription {
  /**
   * Opens the source stream synchronously; an unreachable source ends the stream with an error.
   *
   * @param variables as the client sent them; those that the operation does not declare are left alone.
   * @returns its events. The source is not read further until `next` is called; `return` ends the
   * subscription, and does not throw. `next` throws SourceEventsEnded when the stream ends by a failure.
   */
  open(variables: Variables, context: OperationContext): AsyncIterator<ExecutionResult>;
}
