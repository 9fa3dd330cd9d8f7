import type { Socket } from 'node:net';
import { afterAll, expect, test } from '@jest/globals';
import { Pool } from 'undici';
import { sendAttempt } from '../../faults/load/attempt.ts';
import { wasConnectionClosed } from '../../faults/load/index.ts';
import { keeper, serve } from '../gateway/harness/index.ts';

const { keep, close } = keeper();
afterAll(close);

/** Answers the first request of each connection and closes the connection under the second. */
async function forgetfulServer() {
  const used = new WeakSet<Socket>();
  const server = await keep(
    serve((_, response) => {
      const socket = response.socket as Socket;
      if (used.has(socket)) socket.destroy();
      else response.end('"answered"');
      used.add(socket);
    }),
  );
  const pool = new Pool(server.url, { connections: 1 });
  await keep({ close: () => pool.destroy() });
  return (isRepeatable: boolean) =>
    sendAttempt(pool, { method: 'GET', path: '/', isRepeatable, pick: (body: string) => body });
}

test('the load repeats a read whose kept-alive connection was closed, and records it', async () => {
  const ask = await forgetfulServer();
  expect(await ask(true)).toEqual({ picked: 'answered', failure: undefined });
  const { picked, failure } = await ask(true);
  expect(picked).toBe('answered');
  expect(failure && wasConnectionClosed(failure)).toBe(true);
});

test('a request that is not repeatable fails', async () => {
  const ask = await forgetfulServer();
  await ask(false);
  expect(await ask(false)).toMatchObject({
    picked: undefined,
    failure: { status: 0, code: 'connection closed, not sent again' },
  });
});
