import { type IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { GatewayError } from '../../errors.ts';
import type { UpgradeRequest } from './http-exchange.ts';
import { sendFlatError } from './respond.ts';

/**
 * Returns whether an earlier request of the connection still waits for its response (RFC 9112 section 9.3.2). An upgrade
 * request behind it cannot be answered: Node.js has given up the connection, and the client would take a response for the
 * earlier request's.
 */
export function isBusy(request: IncomingMessage, socket: Socket): boolean {
  const probe = new ServerResponse(request);
  try {
    probe.assignSocket(socket);
  } catch {
    return true;
  }
  probe.detachSocket(socket);
  return false;
}

/** Rejects a handshake with an HTTP error. */
export function refuseUpgrade(incoming: UpgradeRequest, socket: Socket, error: GatewayError): void {
  incoming.answered(error.status);
  const response = new ServerResponse(incoming.request);
  response.assignSocket(socket);
  response.shouldKeepAlive = false;
  // Node.js leaves such a connection half open until its client closes it.
  response.once('finish', () => socket.destroySoon());
  sendFlatError({ response }, error);
}
