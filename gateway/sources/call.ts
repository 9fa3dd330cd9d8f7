import type { IncomingHttpHeaders } from 'node:http';
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
    'user-agent': 'portico',
    'x-request-id': call.requestId,
    'x-forwarded-for': call.clientAddress,
  };
}
