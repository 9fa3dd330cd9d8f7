import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { BenchJob } from './queue-system.ts';

/** A webhook that responds immediately and records when each job called it. */
export interface BenchWebhook {
  readonly url: string;
  /** Returns when a job called the webhook, by `performance.now()`. Undefined if it has not. */
  calledAt(job: BenchJob): number | undefined;
  /** Waits until this many jobs have called the webhook since the last `forget`. */
  calls(count: number): Promise<void>;
  forget(): void;
  close(): Promise<void>;
}

export async function openBenchWebhook(): Promise<BenchWebhook> {
  const times = new Map<string, number>();
  let onCall: () => void = () => {};
  const server = createServer(async (request, response) => {
    const at = performance.now();
    const body = JSON.parse(await textOf(request));
    // In Portico's actions, `input` contains the caller's arguments.
    const key = keyOf(body.input ?? body);
    if (!times.has(key)) times.set(key, at);
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"ok":true}');
    onCall();
  });
  server.keepAliveTimeout = 60_000;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    calledAt: (job) => times.get(keyOf(job)),
    calls: (count) =>
      new Promise((resolve) => {
        onCall = () => {
          if (times.size >= count) resolve();
        };
        onCall();
      }),
    forget: () => times.clear(),
    close: async () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

function keyOf({ tenant, number }: BenchJob): string {
  return `${tenant} ${number}`;
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}
