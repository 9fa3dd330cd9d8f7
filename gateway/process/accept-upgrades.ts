import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import { ignoreUpgrade, isBusy, wantsWebSocket } from '../transports/http/index.ts';

/**
 * Handles the upgrades of a server: WebSockets are passed to `upgrade`, other protocols are ignored (RFC 9110 section 7.8),
 * and an upgrade that was pipelined behind an unanswered request ends its connection.
 */
export function acceptUpgrades(
  server: Server,
  upgrade: (request: IncomingMessage, socket: Socket, head: Buffer) => void,
): void {
  server.on('upgrade', (request, _stream, head) => {
    // The stream that comes with the event is the connection, except for a request whose body has not arrived, in newer
    // versions of Node: there it is something that is not a socket.
    const { socket } = request;
    if (isBusy(request, socket)) endConnection(socket);
    else if (wantsWebSocket(request)) upgrade(request, socket, head);
    else ignoreUpgrade(server, request, socket, head);
  });
}

/** Ends a connection after what has been written to it. Nothing else listens for its errors from here on. */
function endConnection(socket: Socket): void {
  socket.on('error', () => {});
  socket.destroySoon();
}
