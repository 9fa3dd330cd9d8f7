import { type IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { GatewayError } from '../../errors.ts';
import type { UpgradeRequest } from './http-exchange.ts';
import { sendFlatError } from './respond.ts';

/**
 * Whether an earlier request of the connection still waits for its response (RFC 9112 section 9.3.2). A request for
 * another protocol that was sent behind one cannot be answered: node has let go of the connection, and what is written
 * to it now would be taken for the response to the earlier request.
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

/** Answers a handshake with a plain HTTP error. */
export function refuseUpgrade(incoming: UpgradeRequest, socket: Socket, error: GatewayError): void {
  incoming.answered(error.status);
  const response = new ServerResponse(incoming.request);
  response.assignSocket(socket);
  response.shouldKeepAlive = false;
  // Node leaves such a connection half open until its client closes it.
  response.once('finish', () => socket.destroySoon());
  sendFlatError({ response }, error);
}
