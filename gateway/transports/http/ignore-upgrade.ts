import type { IncomingHttpHeaders, IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';

/** The most characters. Clients send fewer than 100. */
const MAX_CONNECTION_LENGTH = 2_048;

/** Returns whether a request upgrades to WebSocket, the only other protocol that the gateway supports. */
export function wantsWebSocket(request: IncomingMessage): boolean {
  return request.headers.upgrade?.trim().toLowerCase() === 'websocket';
}

/**
 * Handles a request as if it had not asked for another protocol, which RFC 9110 section 7.8 permits. Java's HTTP client, for
 * one, asks for HTTP/2 with every first request. Versions of Node.js without `shouldUpgradeCallback` emit all such requests as
 * upgrades, so this one is written back to the front of its connection without its `Upgrade` header.
 */
export function ignoreUpgrade(server: Server, request: IncomingMessage, socket: Socket, head: Buffer): void {
  const lines = [`${request.method} ${request.url} HTTP/${request.httpVersion}`];
  for (let index = 0; index < request.rawHeaders.length; index += 2) {
    const name = request.rawHeaders[index] ?? '';
    const value = request.rawHeaders[index + 1] ?? '';
    const lower = name.toLowerCase();
    if (lower === 'connection') lines.push(`${name}: ${withoutUpgrade(value)}`);
    else if (lower !== 'upgrade' && lower !== 'http2-settings') lines.push(`${name}: ${value}`);
  }
  socket.unshift(Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), head]));
  server.emit('connection', socket);
}

/**
 * Removes the request for another protocol from the headers, so that nothing behind acts on it or forwards it. Versions of
 * Node.js with `shouldUpgradeCallback` leave it in.
 */
export function dropIgnoredUpgrade(headers: IncomingHttpHeaders): void {
  if (headers.upgrade === undefined && headers['http2-settings'] === undefined) return;
  delete headers.upgrade;
  delete headers['http2-settings'];
  if (headers.connection !== undefined) headers.connection = withoutUpgrade(headers.connection);
}

function withoutUpgrade(connection: string): string {
  // The header is parsed before the caller is authenticated. If it is longer than any client needs, it has no useful option.
  if (connection.length > MAX_CONNECTION_LENGTH) return 'close';
  const options = connection.split(',').map((option) => option.trim());
  return options.filter((option) => !/^(upgrade|http2-settings)$/i.test(option)).join(', ') || 'keep-alive';
}
