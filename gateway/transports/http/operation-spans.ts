import type { IncomingHttpHeaders } from 'node:http';
import type { Span } from '../../../platform/index.ts';
import type { IncomingRequest } from './http-exchange.ts';
import type { RequestRecord } from './request-record.ts';

/** The span of an operation without an HTTP request of its own. */
export interface OperationSpan {
  readonly span: Span;
  /** @param record the record of the operation. */
  end(record: RequestRecord | undefined): void;
}

/** Creates the spans of operations over WebSockets. */
export interface OperationSpans {
  /** Whether tracing is on. */
  readonly isOn: boolean;
  /**
   * Starts a span. Undefined while tracing is off.
   *
   * @param incoming the handshake, which decides whether the caller's trace is continued.
   * @param context the headers of the caller's trace.
   */
  begin(incoming: IncomingRequest, context: IncomingHttpHeaders): OperationSpan | undefined;
}
