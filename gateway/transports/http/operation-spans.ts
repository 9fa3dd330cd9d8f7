import type { IncomingHttpHeaders } from 'node:http';
import type { Span } from '../../../platform/index.ts';
import type { IncomingRequest } from './http-exchange.ts';
import type { RequestRecord } from './request-record.ts';

/** The span of an operation that has no request of its own. */
export interface OperationSpan {
  readonly span: Span;
  /** @param record the record of the operation. */
  end(record: RequestRecord | undefined): void;
}

/** Spans of operations that come over WebSockets. */
export interface OperationSpans {
  /** Whether tracing is on. */
  readonly isOn: boolean;
  /**
   * Begins a span; undefined while tracing is off.
   *
   * @param incoming the handshake, which decides whether the caller's trace is continued.
   * @param context the headers of the caller's trace.
   */
  begin(incoming: IncomingRequest, context: IncomingHttpHeaders): OperationSpan | undefined;
}
