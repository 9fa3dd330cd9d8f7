import type { IncomingHttpHeaders } from 'node:http';
import type { Cancellation, Logger, Span } from '../../platform/index.ts';
import type { Session } from '../access/session/index.ts';
import type { CallRecorder } from '../upstream/index.ts';
import type { SentFiles } from './files.ts';

/** The context of an operation for the sources that resolve its parts. */
export interface OperationContext {
  readonly session: Session;
  readonly requestId: string;
  readonly clientAddress: string;
  readonly clientHeaders: IncomingHttpHeaders;
  /** The client's whole document, for action webhooks. */
  readonly query: string;
  /** Files that the client sends with its operation. */
  readonly files?: SentFiles | undefined;
  /** Cancelled when the client goes away, or the operation has taken too long. */
  readonly cancellation: Cancellation;
  /** The cancellation of a subscription's event that is being completed. It ends when the client has the event. */
  readonly eventCancellation?: Cancellation;
  readonly log: Logger;
  /** Records which sources are called for it. */
  readonly record?: CallRecorder | undefined;
  /** The parent span of calls; undefined while tracing is off. */
  readonly span?: Span | undefined;
  /** Begins the span of a join; undefined where it is not recorded. */
  beginJoin?(): { readonly context: OperationContext; end(requests: number): void } | undefined;
  /** HTTP headers and status that sources set, beside the data. */
  readonly http: HttpHints;
}

/** A source's contribution to the HTTP response: a status for endpoints with true statuses, headers, cookies. */
export interface HttpHints {
  status?: number;
  readonly headers: Record<string, string>;
  readonly cookies: string[];
}

/** The context in which one event of a subscription is completed from other sources. To be made while the event is read. */
export function contextOfOneEvent(context: OperationContext): OperationContext {
  return { ...withoutHints(context), cancellation: context.eventCancellation ?? context.cancellation };
}

/** A context with HTTP hints of its own, which are dropped: events have no headers. */
export function withoutHints(context: OperationContext): OperationContext {
  // Named one by one: some are getters of a class, which a spread would lose.
  const { session, requestId, clientAddress, clientHeaders, query, cancellation, log, record, span } = context;
  const http: HttpHints = { headers: {}, cookies: [] };
  return { session, requestId, clientAddress, clientHeaders, query, cancellation, log, record, span, http };
}

/** A context with another parent span for calls. */
export function contextBelow(context: OperationContext, span: Span): OperationContext {
  return { ...withoutHints(context), files: context.files, http: context.http, span };
}

/** Headers that every request to any upstream carries, and that are always the same. */
export const COMMON_HEADERS = {
  'content-type': 'application/json',
  accept: 'application/json',
  // The gateway reads the response, so the client's accepted codings do not apply.
  'accept-encoding': 'identity',
  'user-agent': 'portico',
} as const;

/** Names of the common headers whose values differ from call to call. */
export const CALL_HEADERS = ['x-request-id', 'x-forwarded-for'] as const;

/** Headers that describe the body of a request. They are not forwarded, since the client's body is not. */
const BODY_HEADERS = ['content-encoding', 'content-language', 'content-location', 'content-range', 'digest'] as const;

/** Names of the headers that the gateway sets itself: a client cannot set them, in any spelling. */
export function ownHeaderNames(configured: Readonly<Record<string, string>>): readonly string[] {
  return [...Object.keys(COMMON_HEADERS), ...BODY_HEADERS, ...CALL_HEADERS, ...Object.keys(configured)];
}

/** Headers that every request to any upstream carries. */
export function commonHeaders(context: OperationContext): Record<string, string> {
  return {
    ...COMMON_HEADERS,
    'x-request-id': context.requestId,
    'x-forwarded-for': context.clientAddress,
  };
}
