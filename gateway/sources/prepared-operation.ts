import type { DocumentNode, ExecutionResult, OperationDefinitionNode } from 'graphql';
import type { Call } from './call.ts';
import type { RelayedBytes } from './relayed-bytes.ts';

/** An operation whose root fields are all one source's own, in the graph's names. It is valid. */
export interface OperationToPrepare {
  /** The operation and the fragments that it uses. */
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
}

/**
 * What came of an operation: the bytes of `{"data":{…}}`, to be relayed as they are; or a result, where there is more to
 * it than data. A result whose data is null and whose errors have no path tells that the source failed the operation as
 * a whole; one without the member `data`, that it refused to run it (GraphQL section 7.1.3, request errors).
 */
export type OperationAnswer = RelayedBytes | ExecutionResult;

/** An operation that a source has made ready, once, to be run for any number of callers. */
export interface PreparedOperation {
  /**
   * `forward`: it is sent as a whole to the one service that answers it; `local`: the gateway answers it from what it
   * holds and what webhooks say; `join`: several services answer it together.
   */
  readonly kind: 'forward' | 'local' | 'join';
  /** Whether files that come with the operation are sent on. */
  readonly takesFiles?: boolean;
  /**
   * Runs it.
   *
   * @param variables as the client sent them; those that the operation does not declare are left alone.
   * @param done is told what came of it, once. Nothing is thrown.
   */
  run(variables: Readonly<Record<string, unknown>>, call: Call, done: (answer: OperationAnswer) => void): void;
}

/** An operation whose answer may come in parts, because its `@defer` and `@stream` are left in it. */
export interface PreparedParts {
  /**
   * Runs it.
   *
   * @param accept what its caller takes, as in the header `Accept`: it may tell which form of parts.
   * @param receiver is told what came of it. Nothing is thrown.
   */
  run(variables: Readonly<Record<string, unknown>>, call: Call, accept: string, receiver: PartsReceiver): void;
}

/** One part: its bytes, to be relayed as they are, or its value where that has to be looked at. */
export type AnswerPart = Buffer | ReadPart;

/** A part that was read. Lists under `errors`, its own and those of what it brings, are of GraphQLError. */
export type ReadPart = Readonly<Record<string, unknown>>;

/** What came of an operation whose answer may come in parts: `answered` once, or `begun`, any number of `part`, `ended`. */
export interface PartsReceiver {
  /** It came in one piece. */
  answered(answer: OperationAnswer): void;
  /** @param parameters of the content type beside its boundary, such as `; deferSpec=20220824`; else empty. */
  begun(parameters: string, flow: PartsFlow): void;
  part(part: AnswerPart): void;
  /** @param last a part in place of those that will not come, which tells why. */
  ended(last?: ReadPart): void;
}

/** How parts come. */
export interface PartsFlow {
  /** No more is read from the source for now. */
  pause(): void;
  resume(): void;
  /** A part in place of those that will not come, in the form of those that came. */
  lastPart(error: unknown): ReadPart;
}

/** A subscription that a source has made ready, once, to be opened for any number of callers. */
export interface PreparedSubscription {
  /**
   * Opens it, at once: that the source cannot be reached is told as the end of its events.
   *
   * @param variables as the client sent them; those that the operation does not declare are left alone.
   * @returns its events. Nothing more is read from the source while nobody asks for the next one; `return` ends the
   * subscription, and does not throw. `next` throws SourceEventsEnded when they are over before their time.
   */
  open(variables: Readonly<Record<string, unknown>>, call: Call): AsyncIterator<ExecutionResult>;
}
