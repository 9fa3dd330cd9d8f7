import { type IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { GatewayError } from '../errors.ts';
import { sendFlatError } from './respond.ts';

/** Answers a request for another protocol with a plain HTTP error. */
export function refuseUpgrade(request: IncomingMessage, socket: Socket, error: GatewayError): void {
  const response = new ServerResponse(request);
  response.assignSocket(socket);
  response.shouldKeepAlive = false;
  // Node leaves such a connection half open, for as long as its client likes.
  response.once('finish', () => socket.destroySoon());
  sendFlatError({ response }, error);
}
