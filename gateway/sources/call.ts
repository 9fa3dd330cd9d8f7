import type { IncomingHttpHeaders } from 'node:http';
import type { ExecutionResult } from 'graphql';
import type { Logger } from '../../platform/index.ts';
import type { Session } from '../session/index.ts';

/** What the sources need to know of the operation that they answer a part of. */
export interface Call {
  readonly session: Session;
  readonly requestId: string;
  readonly clientAddress: string;
  readonly clientHeaders: IncomingHttpHeaders;
  /** The client's whole document, for action webhooks. */
  readonly query: string;
  /** Aborted when the client goes away. */
  readonly signal: AbortSignal;
  readonly log: Logger;
  /**
   * Set when the one source of the operation has failed it as a whole. Nothing is sent again: each field gets this.
   */
  readonly failure?: ExecutionResult;
  /** What the sources want said over HTTP, beside the data. */
  readonly http: HttpHints;
}

/** What a source said about the HTTP response: a status for endpoints that use true ones, headers, cookies. */
export interface HttpHints {
  status?: number;
  readonly headers: Record<string, string>;
  readonly cookies: string[];
}

/** Headers that every request to any upstream carries. */
export function commonHeaders(call: Call): Record<string, string> {
  return {
    'content-type': 'application/json',
    accept: 'application/json',
    // The answer is read here, so it is not the client's to say how it may be compressed.
    'accept-encoding': 'identity',
    'user-agent': 'portico',
    'x-request-id': call.requestId,
    'x-forwarded-for': call.clientAddress,
  };
}
