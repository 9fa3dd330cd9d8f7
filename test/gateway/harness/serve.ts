import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import { freePort } from '../../../bench/machine/free-port.ts';

/** A request that a test's server got. */
export interface Received {
  readonly method: string;
  /** Path and query string. */
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** The text read as JSON; undefined when it is none. */
  readonly body: unknown;
}

export interface TestServer {
  readonly url: string;
  readonly port: number;
  readonly server: Server;
  /** Everything that was received, the oldest first. */
  readonly requests: Received[];
  /** Takes no more connections and cuts those that there are, as a process that ends. */
  stop(): Promise<void>;
  /** Listens again on the same port. */
  start(): Promise<void>;
  close(): Promise<void>;
}

/** Answers a request whose body has been read. */
export type Handler = (received: Received, response: ServerResponse, request: IncomingMessage) => unknown;

/** A real HTTP server on a port of its own of the loopback interface that records the requests that it gets. */
export async function serve(handler: Handler): Promise<TestServer> {
  const requests: Received[] = [];
  const server = createServer(async (request, response) => {
    const received = await receive(request).catch(() => undefined);
    if (!received) return;
    requests.push(received);
    await handler(received, response, request);
  });
  const listenOn = (port: number) =>
    new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, '127.0.0.1', () => {
        server.off('error', reject);
        resolve();
      });
    });
  // A port that outgoing connections do not take while the server is stopped.
  const port = await freePort();
  await listenOn(port);
  const stop = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return { url: `http://127.0.0.1:${port}`, port, server, requests, stop, start: () => listenOn(port), close: stop };
}

async function receive(request: IncomingMessage): Promise<Received> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  const text = Buffer.concat(pieces).toString('utf8');
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {}
  return { method: request.method ?? '', url: request.url ?? '', headers: request.headers, text, body };
}

/** Answers with JSON. */
export function reply(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string | string[]> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify(body));
}
