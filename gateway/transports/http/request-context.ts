import type { IncomingHttpHeaders } from 'node:http';
import type { Cancellation, Logger, Span } from '../../../platform/index.ts';
import type { RequestRecord } from './request-record.ts';

/** The properties of an HTTP request or a WebSocket message that all stages of an operation need. */
export interface RequestContext {
  readonly requestId: string;
  readonly clientAddress: string;
  readonly clientHeaders: IncomingHttpHeaders;
  /** Cancelled if the client disconnects before the response is complete. */
  readonly cancellation: Cancellation;
  /** Adds the request id to each line. */
  readonly log: Logger;
  /** The fields for the access log and the trace. Undefined if both are off. */
  readonly record: RequestRecord | undefined;
  /** How many handlers of the metadata the operation is nested in. Undefined for a client's operation. */
  readonly handlerDepth?: number | undefined;
  /** The span of the request; undefined while tracing is off. */
  readonly span?: Span | undefined;
}
