import { ASSERTION_HEADER, type ServiceAssertion } from '../../access/assertions/index.ts';
import type { Session } from '../../access/session/index.ts';
import { joinHeaderLists } from '../../upstream/index.ts';
import type { HeaderForwarding } from '../client-headers.ts';
import { CALL_HEADERS, COMMON_HEADERS, commonHeaders, type OperationContext } from '../operation-context.ts';

/** The settings that a source's request headers depend on, beside the context of the operation. */
export interface HeaderSettings {
  /** Configured headers, lower-case names. They take precedence over all others. */
  readonly headers: Readonly<Record<string, string>>;
  /** Set where the client's headers are forwarded. */
  readonly forwardHeaders: HeaderForwarding | undefined;
  /** Set where requests carry a service assertion. It takes precedence over a configured header of its name. */
  readonly assertion: ServiceAssertion | undefined;
}

/** Headers of a request to a source, names and values in turn. Precedence: configured, then session, then client. */
export type UpstreamHeaders = (context: OperationContext) => readonly string[];

/**
 * Prepares the headers of a source's requests: those that are the same for all calls of a session are computed once.
 */
export function upstreamHeaders({ headers: configured, forwardHeaders, assertion }: HeaderSettings): UpstreamHeaders {
  const bySession = new WeakMap<Session, readonly string[]>();
  const ofSession = ({ session }: OperationContext): readonly string[] => {
    const known =
      bySession.get(session) ?? Object.entries({ ...COMMON_HEADERS, ...session.headers, ...configured }).flat();
    bySession.set(session, known);
    return known;
  };
  if (forwardHeaders || [...CALL_HEADERS, ASSERTION_HEADER].some((name) => name in configured))
    return (context) =>
      Object.entries(headersByName({ headers: configured, forwardHeaders, assertion }, context)).flat();
  const ofCall = ({ requestId, clientAddress }: OperationContext) => [
    'x-request-id',
    requestId,
    'x-forwarded-for',
    clientAddress,
  ];
  if (assertion)
    return (context) =>
      joinHeaderLists(ofSession(context), [
        ...ofCall(context),
        ASSERTION_HEADER,
        assertion.forSession(context.session),
      ]);
  return (context) => joinHeaderLists(ofSession(context), ofCall(context));
}

/** Headers by name. */
export function headersByName(
  { headers, forwardHeaders, assertion }: HeaderSettings,
  context: OperationContext,
): Record<string, string> {
  return {
    ...forwardHeaders?.(context.clientHeaders),
    ...commonHeaders(context),
    ...context.session.headers,
    ...headers,
    ...(assertion && { [ASSERTION_HEADER]: assertion.forSession(context.session) }),
  };
}

/** The assertion of the gateway's own requests, beside the configured headers. */
export function gatewayAssertion(assertion: ServiceAssertion | undefined): Record<string, string> {
  return assertion ? { [ASSERTION_HEADER]: assertion.forGateway() } : {};
}
