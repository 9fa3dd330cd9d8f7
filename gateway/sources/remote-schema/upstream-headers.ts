import { ASSERTION_HEADER, type ServiceAssertion } from '../../access/assertions/index.ts';
import type { Session } from '../../access/session/index.ts';
import { joinHeaderLists } from '../../upstream/index.ts';
import type { HeaderForwarding } from '../client-headers.ts';
import { CALL_HEADERS, COMMON_HEADERS, commonHeaders, type OperationContext } from '../operation-context.ts';

/** The settings that determine a source's request headers, besides the context of the operation. */
export interface HeaderSettings {
  /** Configured headers, with lower-case names. These headers take precedence over all others. */
  readonly headers: Readonly<Record<string, string>>;
  /** Set if client headers are forwarded. */
  readonly forwardHeaders: HeaderForwarding | undefined;
  /**
   * Set if requests carry a service assertion. The assertion takes precedence over a configured header of the same
   * name.
   */
  readonly assertion: ServiceAssertion | undefined;
}

/**
 * Computes the headers of a request, as alternating names and values. Precedence: configured, then session, then
 * client.
 */
export type UpstreamHeaders = (context: OperationContext) => readonly string[];

/**
 * Prepares the headers of a source's requests. Headers that are the same for all calls of a session are computed once.
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

/** Computes the headers of a request by name. */
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

/** The assertion for the gateway's own requests. */
export function gatewayAssertion(assertion: ServiceAssertion | undefined): Record<string, string> {
  return assertion ? { [ASSERTION_HEADER]: assertion.forGateway() } : {};
}
