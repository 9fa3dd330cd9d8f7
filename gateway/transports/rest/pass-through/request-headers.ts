import type { IncomingHttpHeaders } from 'node:http';
import { ASSERTION_HEADER, type ServiceAssertion } from '../../../access/assertions/index.ts';
import type { Session } from '../../../access/session/index.ts';
import type { ServiceMetadata } from '../../../metadata/index.ts';
import { clientHeaderForwarding } from '../../../sources/index.ts';
import type { IncomingRequest } from '../../http/index.ts';

/**
 * Makes the headers for a service from those of a client: lower-case names, Latin-1 values. Without a session where the
 * caller is not authenticated.
 */
export type HeadersForService = (
  incoming: IncomingRequest,
  session: Session | undefined,
) => Readonly<Record<string, string>>;

/** Names of the headers that tell a service of the call. */
const OF_CALL = ['x-request-id', 'x-forwarded-for', 'x-forwarded-host'];

/** Headers by which frameworks take a request for one of another method. */
const METHOD_OVERRIDES = ['x-http-method', 'x-http-method-override', 'x-method-override'];

/** Headers of a WebSocket handshake that select the subprotocol; the others are about the connection. */
const OF_HANDSHAKE = [
  'sec-websocket-key',
  'sec-websocket-version',
  'sec-websocket-protocol',
  'sec-websocket-extensions',
] as const;

/**
 * Headers of requests to a service. Ordinary ones describe the request and are forwarded; credentials are not.
 * Precedence: configured, then session, then the gateway's, then client. Framing headers and headers of the connection
 * are left out. docs/pass-through.md has the whole list.
 */
export function headersForService(
  metadata: ServiceMetadata,
  configured: Readonly<Record<string, string>>,
  credentialHeaders: readonly string[],
  assertion: ServiceAssertion | undefined,
): HeadersForService {
  const forward = clientHeaderForwarding(
    [
      ...(metadata.forward_client_headers ? [] : credentialHeaders),
      // The methods of a public address are those that are listed.
      ...(metadata.only_public_without_token ? METHOD_OVERRIDES : []),
    ],
    [...OF_CALL, ...Object.keys(configured)],
  );
  return (incoming, session) => ({
    ...forward(incoming.request.headers),
    'x-request-id': incoming.requestId,
    'x-forwarded-for': incoming.clientAddress,
    ...session?.headers,
    ...configured,
    ...(assertion && { [ASSERTION_HEADER]: session ? assertion.forSession(session) : assertion.forGateway() }),
  });
}

/** The headers of a handshake that a service gets beside the others. */
export function handshakeHeaders(client: IncomingHttpHeaders): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const name of OF_HANDSHAKE) {
    const value = client[name];
    if (value !== undefined) headers[name] = value;
  }
  return headers;
}
