import type { IncomingHttpHeaders } from 'node:http';
import { ASSERTION_HEADER, type ServiceAssertion } from '../../../access/assertions/index.ts';
import type { Session } from '../../../access/session/index.ts';
import type { ServiceMetadata } from '../../../metadata/index.ts';
import { clientHeaderForwarding } from '../../../sources/index.ts';
import type { IncomingRequest } from '../../http/index.ts';

/**
 * Builds the headers for a service from the client's headers. Names are in lower case, values in Latin-1. The session is absent
 * if the caller is not authenticated.
 */
export type HeadersForService = (
  incoming: IncomingRequest,
  session: Session | undefined,
) => Readonly<Record<string, string>>;

/** The headers that describe the call to a service. */
const OF_CALL = ['x-request-id', 'x-forwarded-for', 'x-forwarded-host'];

/** Headers with which frameworks override the method of a request. */
const METHOD_OVERRIDES = ['x-http-method', 'x-http-method-override', 'x-method-override'];

/** Headers of a WebSocket handshake that select the subprotocol. The others concern the connection. */
const OF_HANDSHAKE = [
  'sec-websocket-key',
  'sec-websocket-version',
  'sec-websocket-protocol',
  'sec-websocket-extensions',
] as const;

/**
 * Builds the headers of requests to a service. Ordinary headers are forwarded, credentials are not. Precedence: configured
 * headers, then the session's, then the gateway's, then the client's. Framing headers and headers of the connection are left
 * out. docs/pass-through.md has the complete list.
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
      // A public address has only the listed methods, so a request must not override its method.
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

/** Returns the headers of a handshake that a service gets in addition to the others. */
export function handshakeHeaders(client: IncomingHttpHeaders): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const name of OF_HANDSHAKE) {
    const value = client[name];
    if (value !== undefined) headers[name] = value;
  }
  return headers;
}
