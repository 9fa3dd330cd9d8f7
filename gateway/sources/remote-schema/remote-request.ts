import type { ResilientClient, UpstreamHttp, UpstreamRequest } from '../../upstream/index.ts';
import { multipartBody, type SentFiles } from '../files.ts';
import type { OperationContext } from '../operation-context.ts';
import { type HeaderSettings, type UpstreamHeaders, upstreamHeaders } from './upstream-headers.ts';

/** How a remote schema is subscribed to. */
export interface EventsTarget {
  readonly protocol: 'graphql-transport-ws' | 'graphql-ws' | 'sse';
  /** `ws:` or `wss:` for the WebSocket protocols, `http:` or `https:` for `sse`. */
  readonly url: string;
}

/** How a remote schema is called. */
export interface RemoteTarget extends HeaderSettings {
  readonly name: string;
  readonly url: string;
  readonly timeoutMs: number;
  /** Sends requests of callers. */
  readonly http: ResilientClient;
  /** Sends the gateway's own requests, such as introspection, whatever the state of the source. */
  readonly connections: UpstreamHttp;
  readonly events: EventsTarget;
  readonly headersFor: UpstreamHeaders;
}

export function remoteTarget(described: Omit<RemoteTarget, 'headersFor'>): RemoteTarget {
  return { ...described, headersFor: upstreamHeaders(described) };
}

/** The request that sends the JSON body of a GraphQL request to a remote schema, as the caller of `context`. */
export function remoteRequest(
  target: RemoteTarget,
  body: string,
  context: OperationContext,
  isQuery: boolean,
): UpstreamRequest {
  return {
    url: target.url,
    method: 'POST',
    headers: target.headersFor(context),
    body,
    timeoutMs: target.timeoutMs,
    isQuery,
    cancellation: context.cancellation,
    record: context.record,
    span: context.span,
  };
}

/** The request that sends an operation with its files. Files are streamed, so it cannot be retried. */
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
  // Some servers require it, against cross-site requests by HTML forms.
  if (!headers.includes('apollo-require-preflight')) headers.push('apollo-require-preflight', 'true');
  return { ...remoteRequest(target, '', context, false), headers, body };
}
