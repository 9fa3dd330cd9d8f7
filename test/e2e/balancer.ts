import { Agent, createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Balancer {
  readonly url: string;
  /** How many requests each backend has got, in the order of the backends. */
  readonly counts: readonly number[];
  close(): Promise<void>;
}

/**
 * A load balancer: sends each request to the next backend, in turn, and appends its client's address to
 * `X-Forwarded-For`. The client's address is that of its connection, unless the test gives one as `x-test-client`.
 */
export async function openBalancer(backends: readonly string[]): Promise<Balancer> {
  const agent = new Agent({ keepAlive: true });
  const counts = backends.map(() => 0);
  let turn = 0;
  const server = createServer((incoming, response) => {
    const at = turn % backends.length;
    turn += 1;
    counts[at] = (counts[at] ?? 0) + 1;
    const { 'x-test-client': given, 'x-forwarded-for': earlier, ...headers } = incoming.headers;
    const forwarded = [earlier, given ?? incoming.socket.remoteAddress].filter(Boolean).join(', ');
    const outgoing = request(`${backends[at]}${incoming.url}`, {
      method: incoming.method,
      headers: { ...headers, 'x-forwarded-for': forwarded },
      agent,
    });
    outgoing.once('response', (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    outgoing.once('error', () => response.destroy());
    incoming.pipe(outgoing);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    counts,
    close: async () => {
      agent.destroy();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
