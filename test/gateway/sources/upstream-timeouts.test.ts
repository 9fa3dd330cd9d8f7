import { type AddressInfo, createServer, type Socket } from 'node:net';
import { afterEach, describe, expect, test } from '@jest/globals';
import { keeper, until } from '../harness/index.ts';
import { openGuarded } from './guarded.ts';

const { keep, close } = keeper();
afterEach(close);

/** A server that takes connections and never says a word, so that no TLS comes to be. */
async function silent() {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => void sockets.add(socket.on('error', () => {})));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    close: () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

const ONCE = { limit: 0, budgetPercent: 0, backoffMs: 0 };

describe('a source has so long', () => {
  test('for a connection to be there', async () => {
    const { port } = await keep(silent());
    const guarded = await keep(openGuarded({ connectTimeoutMs: 200, retries: ONCE }));
    expect(await guarded.send({ url: `https://127.0.0.1:${port}/` }).came).toBe('connection');
    expect(guarded.guard.counts.outcomes.connection).toBe(1);
  });

  test('for the headers of its answer, and longer for the rest', async () => {
    const guarded = await keep(openGuarded({ headersTimeoutMs: 1_000, retries: ONCE }));
    expect(await guarded.send().came).toBe('timeout');
    let end = () => {};
    const began = performance.now();
    guarded.answer = (_, response) => {
      response.write('{');
      end = () => response.end('}');
    };
    const sent = guarded.send();
    await until('the headers would be late', () => performance.now() - began > 1_300);
    end();
    expect(await sent.came).toBe(200);
  });

  test('for all of it', async () => {
    const guarded = await keep(openGuarded({ headersTimeoutMs: 5_000, retries: ONCE }));
    guarded.answer = (_, response) => void response.write('{');
    expect(await guarded.send({ timeoutMs: 100 }).came).toBe('timeout');
  });
});
