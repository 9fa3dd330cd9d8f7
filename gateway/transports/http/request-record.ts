import type { IncomingHttpHeaders } from 'node:http';
import type { Span } from '../../../platform/index.ts';

/** The caller of a request, by its session. */
export interface RecordedCaller {
  readonly role: string;
  readonly variables: Readonly<Record<string, string>>;
}

/** An operation as its document defines it. */
export interface RecordedOperation {
  readonly operation: 'query' | 'mutation' | 'subscription';
  readonly name?: { readonly value: string } | undefined;
}

/** All calls of one source that a request caused. */
export interface RecordedSource {
  readonly name: string;
  readonly kind: string;
  calls: number;
  /** The total time of all calls, in milliseconds. */
  durationMs: number;
  /** `success`, or the outcome of the last failed call. */
  outcome: string;
}

interface ReportedError {
  readonly extensions?: Readonly<Record<string, unknown>> | undefined;
}

/** The most operations of a batch that the log names. */
const MAX_OPERATIONS = 10;
/** The most sources that the log names. A role's graph may have any number, and one operation may need all of them. */
const MAX_SOURCES = 30;
const MAX_CODES = 10;

/**
 * The fields of a request's log line in addition to those of HTTP, or of one operation over a WebSocket. Each stage adds its
 * fields, and the access log writes them. They contain no tokens, no documents and no values of variables.
 *
 * Every request has a record, so recording only keeps references where that is possible.
 */
export class RequestRecord {
  caller: RecordedCaller | undefined;
  /** The operations of the request: a single one, or the first ten of a batch. */
  readonly operations: RecordedOperation[] = [];
  /** The number of operations in a batch. Undefined if the request is not a batch. */
  batchSize: number | undefined;
  readonly sources: RecordedSource[] = [];
  /** The number of GraphQL errors in the response, or in all events of a subscription. */
  errors = 0;
  /** The distinct codes of these errors. Sources may have invented them. */
  readonly codes: unknown[] = [];
  /** The number of a subscription's events. Undefined if there is no subscription. */
  events: number | undefined;

  addOperation(operation: RecordedOperation): void {
    if (this.operations.length < MAX_OPERATIONS) this.operations.push(operation);
  }

  /** Adds a finished call of a source. */
  addCall(name: string, kind: string, outcome: string, durationMs: number): void {
    for (const source of this.sources) {
      if (source.name !== name || source.kind !== kind) continue;
      source.calls++;
      source.durationMs += durationMs;
      if (outcome !== 'success') source.outcome = outcome;
      return;
    }
    if (this.sources.length < MAX_SOURCES) this.sources.push({ name, kind, calls: 1, durationMs, outcome });
  }

  addErrors(errors: readonly unknown[] | undefined): void {
    if (errors === undefined) return;
    for (const error of errors) this.addError((error as ReportedError | null)?.extensions?.code);
  }

  addError(code: unknown): void {
    this.errors++;
    if (this.codes.length < MAX_CODES && !this.codes.includes(code)) this.codes.push(code);
  }
}

/** An operation that does not end with its HTTP request: over a WebSocket, or a subscription over an event stream. */
export interface OperationEvent {
  readonly event: 'subscription.started' | 'operation.ended';
  readonly requestId: string;
  /** The operation's id on a WebSocket, where the request id is that of the handshake. */
  readonly operationId?: string | undefined;
  readonly clientAddress: string;
  readonly headers: IncomingHttpHeaders;
  readonly record: RequestRecord;
  /** The operation's own span, if it has one. */
  readonly span?: Span | undefined;
  /** The duration in milliseconds, once the operation has ended. */
  readonly durationMs?: number | undefined;
}

/** Logs a line about an operation. Undefined if such lines are not logged. */
export type OperationLog = ((event: OperationEvent) => void) | undefined;
