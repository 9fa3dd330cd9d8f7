import type { IncomingHttpHeaders } from 'node:http';
import type { Cancellation, Logger, Span } from '../../../platform/index.ts';
import type { RequestRecord } from './request-record.ts';

/** The facts of a request that all stages of an operation need: of an HTTP request, or of a WebSocket message. */
export interface RequestContext {
  readonly requestId: string;
  readonly clientAddress: string;
  readonly clientHeaders: IncomingHttpHeaders;
  /** Cancelled when the client disconnects before it has its response. */
  readonly cancellation: Cancellation;
  /** Its lines carry the request id. */
  readonly log: Logger;
  /** For the access log and the trace; undefined where there is neither. */
  readonly record: RequestRecord | undefined;
  /** The span of the request; undefined while tracing is off. */
  readonly span?: Span | undefined;
}
