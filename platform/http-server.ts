import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { StartError } from './process.ts';

export interface ListenOptions {
  host: string;
  port: number;
  /** The variable that sets the port, named when the port cannot be had. */
  portVariable: string;
  /** How long requests in flight may take to finish at a stop, in milliseconds. */
  stopGraceMs?: number;
}

export interface ListeningServer {
  readonly server: Server;
  readonly port: number;
  stop(): Promise<void>;
}

/**
 * Serves `handler` over HTTP/1.1 until stopped. A stop takes no new connection, lets requests in flight finish within
 * the grace time, then cuts what is left.
 *
 * @throws StartError when the port is taken or may not be used.
 */
export async function listen(handler: RequestListener, options: ListenOptions): Promise<ListeningServer> {
  const server = createServer({ keepAliveTimeout: 65_000, headersTimeout: 66_000 }, handler);
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(explainListenError(error, options)));
    server.listen(options.port, options.host, resolve);
  });
  const { port } = server.address() as AddressInfo;
  return { server, port, stop: () => stopServer(server, options.stopGraceMs ?? 10_000) };
}

function stopServer(server: Server, graceMs: number): Promise<void> {
  return new Promise((resolve) => {
    // A connection that was kept alive would hold the stop up for as long as its client likes.
    const closeIdle = setInterval(() => server.closeIdleConnections(), 50);
    const cut = setTimeout(() => server.closeAllConnections(), graceMs);
    server.close(() => {
      clearInterval(closeIdle);
      clearTimeout(cut);
      resolve();
    });
    server.closeIdleConnections();
  });
}

function explainListenError(error: NodeJS.ErrnoException, options: ListenOptions): Error {
  const { host, port, portVariable } = options;
  if (error.code === 'EADDRINUSE')
    return new StartError(`port ${port} on ${host} is already in use: set ${portVariable} to a free one`);
  if (error.code === 'EACCES')
    return new StartError(`port ${port} on ${host} may not be used by this user: set ${portVariable} to another one`);
  if (error.code === 'EADDRNOTAVAIL' || error.code === 'ENOTFOUND')
    return new StartError(`cannot listen on the address ${host} (${error.code})`);
  return error;
}
