import type { IncomingMessage } from 'node:http';
import { type GatewayError, methodNotAllowed } from '../../errors.ts';
import { invalidHandshake, unsupportedWebSocketVersion } from './errors.ts';

/** 16 bytes in base64 (RFC 6455 section 4.1). */
const WEBSOCKET_KEY = /^[A-Za-z0-9+/]{22}==$/;

/**
 * Returns the problem with a WebSocket handshake (RFC 6455 section 4.2.1), or undefined if it is valid. A handshake has no
 * body: a service that does not switch protocols would read the body as the next request.
 */
export function handshakeProblem({ method, httpVersion, headers }: IncomingMessage): GatewayError | undefined {
  if (method !== 'GET') return methodNotAllowed('GET', 'a WebSocket is asked for with GET');
  if (httpVersion !== '1.1') return invalidHandshake('HTTP/1.1');
  // Even an empty body is rejected, since no client announces one.
  if (headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined)
    return invalidHandshake('no body, neither Content-Length nor Transfer-Encoding');
  if (!hasOption(headers.connection, 'upgrade')) return invalidHandshake('Connection: Upgrade');
  if (headers['sec-websocket-version'] !== '13') return unsupportedWebSocketVersion();
  if (!WEBSOCKET_KEY.test(headers['sec-websocket-key'] ?? ''))
    return invalidHandshake('a Sec-WebSocket-Key of 16 bytes in base64');
  return undefined;
}

function hasOption(connection: string | undefined, option: string): boolean {
  return connection?.split(',').some((one) => one.trim().toLowerCase() === option) ?? false;
}
