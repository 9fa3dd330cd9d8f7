import { OPERATOR_HEADER, type OperatorAssertion } from '../../access/assertions/index.ts';
import { ADMIN_ROLE } from '../../access/session/index.ts';
import type { ResilientClient, UpstreamConnections, UpstreamRequest } from '../../upstream/index.ts';
import { multipartBody, type SentFiles } from '../files.ts';
import type { OperationContext } from '../operation-context.ts';
import { type HeaderSettings, type UpstreamHeaders, upstreamHeaders } from './upstream-headers.ts';

/** The settings of subscriptions to a remote schema. */
export interface EventsTarget {
  readonly protocol: 'graphql-transport-ws' | 'graphql-ws' | 'sse';
  /** `ws:` or `wss:` for the WebSocket protocols, `http:` or `https:` for `sse`. */
  readonly url: string;
  /** The kind of events if equal subscriptions share one stream. Undefined if each subscription has its own stream. */
  readonly share?: 'events' | 'state' | undefined;
}

/** The settings of calls to a remote schema. */
export interface RemoteTarget extends HeaderSettings {
  readonly name: string;
  readonly url: string;
  readonly timeoutMs: number;
  /** Sends requests of clients. */
  readonly http: ResilientClient;
  /** Sends the gateway's own requests, such as introspection, regardless of the source's state. */
  readonly connections: Pick<UpstreamConnections, 'send' | 'unfinishedEvents'>;
  readonly events: EventsTarget;
  /** Set if requests carry a proof that the client has sent the admin secret. */
  readonly operator?: OperatorAssertion | undefined;
  readonly headersFor: UpstreamHeaders;
}

export function remoteTarget(described: Omit<RemoteTarget, 'headersFor'>): RemoteTarget {
  return { ...described, headersFor: upstreamHeaders(described) };
}

/** Creates the request that sends the JSON body of a GraphQL request to a remote schema on behalf of the client. */
export function remoteRequest(
  target: RemoteTarget,
  body: string,
  context: OperationContext,
  isQuery: boolean,
): UpstreamRequest {
  return {
    url: target.url,
    method: 'POST',
    headers: requestHeaders(target, body, context),
    body,
    timeoutMs: target.timeoutMs,
    isQuery,
    cancellation: context.cancellation,
    record: context.record,
    span: context.span,
  };
}

/**
 * Adds the operator assertion only for the role `admin`. A client with the admin secret that chooses another role acts
 * as that role.
 */
function requestHeaders(target: RemoteTarget, body: string, context: OperationContext): readonly string[] {
  const headers = target.headersFor(context);
  const { session } = context;
  if (!target.operator || !session.showsAdminSecret || session.role !== ADMIN_ROLE) return headers;
  return [...headers, OPERATOR_HEADER, target.operator.forRequest(body)];
}

/**
 * Creates the request that sends an operation with its files. The request cannot be retried, because files are
 * streamed.
 */
export function filesRequest(
  target: RemoteTarget,
  operation: string,
  files: SentFiles,
  context: OperationContext,
): UpstreamRequest {
  const { contentType, body } = multipartBody(operation, files);
  const headers: string[] = ['content-type', contentType];
  const all = target.headersFor(context);
  for (let at = 0; at < all.length; at += 2) {
    const [name = '', value = ''] = all.slice(at, at + 2);
    if (name.toLowerCase() !== 'content-type') headers.push(name, value);
  }
  // Some servers require this header to prevent cross-site requests by HTML forms.
  if (!headers.includes('apollo-require-preflight')) headers.push('apollo-require-preflight', 'true');
  return { ...remoteRequest(target, '', context, false), headers, body };
}
