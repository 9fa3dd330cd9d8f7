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
  /** The time of all calls together, in milliseconds. */
  durationMs: number;
  /** `success`, or how the last call failed that did. */
  outcome: string;
}

interface ReportedError {
  readonly extensions?: Readonly<Record<string, unknown>> | undefined;
}

/** Operations of a batch that are named in the log. */
const MAX_OPERATIONS = 10;
/** A role's graph may have any number of sources, and one operation may need all of them. */
const MAX_SOURCES = 30;
const MAX_CODES = 10;

/**
 * The fields of a request's log line beside those of HTTP, or of one operation of a WebSocket. Each stage adds its own;
 * the access log writes them. They contain no token, no document and no value of a variable.
 *
 * Every request has one, so recording costs no more than keeping a reference where that is possible.
 */
export class RequestRecord {
  caller: RecordedCaller | undefined;
  /** The operations of the request: one, or those of a batch, of which the first ten are kept. */
  readonly operations: RecordedOperation[] = [];
  /** How many operations a batch has; undefined where the request is no batch. */
  batchSize: number | undefined;
  readonly sources: RecordedSource[] = [];
  /** GraphQL errors of the response, those of all events of a subscription together. */
  errors = 0;
  /** Their codes, each once. Sources may have made them up. */
  readonly codes: unknown[] = [];
  /** Events of a subscription; undefined where there is none. */
  events: number | undefined;

  addOperation(operation: RecordedOperation): void {
    if (this.operations.length < MAX_OPERATIONS) this.operations.push(operation);
  }

  /** A call of a source has ended. */
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

/**
 * One operation that does not end with a request of its own: over a WebSocket, or a subscription over an event stream.
 */
export interface OperationEvent {
  readonly event: 'subscription.started' | 'operation.ended';
  readonly requestId: string;
  /** An operation's id on a WebSocket, whose request id is that of the handshake. */
  readonly operationId?: string | undefined;
  readonly clientAddress: string;
  readonly headers: IncomingHttpHeaders;
  readonly record: RequestRecord;
  /** The span of an operation that has one of its own. */
  readonly span?: Span | undefined;
  /** How long it took, in milliseconds, once it has ended. */
  readonly durationMs?: number | undefined;
}

/** Writes a line about an operation. Undefined where such lines are not logged. */
export type OperationLog = ((event: OperationEvent) => void) | undefined;
