import type { IncomingHttpHeaders } from 'node:http';
import type { Cancellation, Logger, Span } from '../../platform/index.ts';
import type { RequestRecord } from './request-record.ts';

/** What every stage of an operation knows of the request that it came with: an HTTP request, or a message of a WebSocket. */
export interface RequestContext {
  readonly requestId: string;
  readonly clientAddress: string;
  readonly clientHeaders: IncomingHttpHeaders;
  /** Cancelled when the client goes away before it has its answer. */
  readonly cancellation: Cancellation;
  /** Its lines carry the request id. */
  readonly log: Logger;
  /** For the access log and the trace; undefined where there is neither. */
  readonly record: RequestRecord | undefined;
  /** The span of the request; undefined while tracing is off. */
  readonly span?: Span | undefined;
}
