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
  /** Cancelled if the client disconnects or the operation exceeds its time limit. */
  readonly cancellation: Cancellation;
  /**
   * The cancellation of the subscription event that is being completed. Ends when the client has received the event.
   */
  readonly eventCancellation?: Cancellation;
  readonly log: Logger;
  /** Records which sources are called for the operation. */
  readonly record?: CallRecorder | undefined;
  /** The parent span of calls. Undefined if tracing is off. */
  readonly span?: Span | undefined;
  /** Starts the span of a join. Returns undefined if the span is not recorded. */
  beginJoin?(): { readonly context: OperationContext; end(requests: number): void } | undefined;
  /** How many handlers of the metadata the operation is nested in. Undefined for a client's operation. */
  readonly handlerDepth?: number | undefined;
  /** HTTP headers and the status that sources set. */
  readonly http: HttpHints;
}

/**
 * The sources' contribution to the HTTP response: headers, cookies, and a status for endpoints that use HTTP statuses.
 */
export interface HttpHints {
  status?: number;
  readonly headers: Record<string, string>;
  readonly cookies: string[];
}

/**
 * Creates the context in which other sources complete one event of a subscription. Must be called while the event is
 * read.
 */
export function contextOfOneEvent(context: OperationContext): OperationContext {
  return { ...withoutHints(context), cancellation: context.eventCancellation ?? context.cancellation };
}

/** Creates a context with its own HTTP hints, which are dropped because events have no headers. */
export function withoutHints(context: OperationContext): OperationContext {
  // Members are listed individually because some are getters of a class, which a spread would lose.
  const { session, requestId, clientAddress, clientHeaders, query, cancellation, log, record, span, handlerDepth } =
    context;
  const http: HttpHints = { headers: {}, cookies: [] };
  return {
    session,
    requestId,
    clientAddress,
    clientHeaders,
    query,
    cancellation,
    log,
    record,
    span,
    handlerDepth,
    http,
  };
}

/** Creates a context with another parent span for calls. */
export function contextBelow(context: OperationContext, span: Span): OperationContext {
  return { ...withoutHints(context), files: context.files, http: context.http, span };
}

/** Constant headers of every request to an upstream. */
export const COMMON_HEADERS = {
  'content-type': 'application/json',
  accept: 'application/json',
  // The gateway reads the response, so the client's accepted codings do not apply.
  'accept-encoding': 'identity',
  'user-agent': 'portico',
} as const;

/** Names of common headers whose values differ between calls. */
export const CALL_HEADERS = ['x-request-id', 'x-forwarded-for'] as const;

/** Headers that describe the client's body. Neither these headers nor the body are forwarded. */
const BODY_HEADERS = ['content-encoding', 'content-language', 'content-location', 'content-range', 'digest'] as const;

/** Names of the headers that the gateway sets itself. A client cannot set them, in any spelling. */
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
