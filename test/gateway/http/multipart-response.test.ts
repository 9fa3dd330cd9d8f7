import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, expect, test } from '@jest/globals';
import { type HttpExchange, MultipartResponse } from '../../../gateway/transports/http/index.ts';
import { keeper, until } from '../harness/index.ts';

const { keep, close } = keeper();
afterAll(close);

test.each([70_000, 1_000_000])('a source of parts of %d bytes goes on while the client reads', async (length) => {
  const MANY = 5;
  const json = Buffer.from(JSON.stringify('x'.repeat(length - 2)));
  let pauses = 0;
  let resumes = 0;
  let sent = 0;
  let begin = () => {};
  const server = createServer((incoming, response) => {
    let isPaused = false;
    // It sends one part at a time, and none while it is paused.
    const send = () => {
      while (!isPaused && sent < MANY) {
        sent += 1;
        parts.part(json);
      }
      if (!isPaused) parts.end();
    };
    const flow = {
      pause: () => {
        pauses += 1;
        isPaused = true;
      },
      resume: () => {
        resumes += 1;
        isPaused = false;
        setImmediate(send);
      },
    };
    const exchange = { request: incoming, response, requestId: 'r', watchReading: () => {} };
    const parts = new MultipartResponse(exchange as unknown as HttpExchange, {}, '', flow);
    begin = send;
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  await keep({ close: () => void server.close().closeAllConnections() });

  let received = 0;
  let isComplete = false;
  const { port } = server.address() as AddressInfo;
  const outgoing = request({ host: '127.0.0.1', port, agent: false }, (response) => {
    // Nothing waits for the connection any more, so that it can take a part at once.
    begin();
    response.on('data', (piece: Buffer) => {
      received += piece.length;
    });
    response.on('end', () => {
      isComplete = true;
    });
  });
  outgoing.on('error', () => {});
  outgoing.end();
  await until('the response is complete', () => isComplete);
  expect(received).toBeGreaterThan(MANY * length);
  expect([sent, pauses > 0, resumes]).toEqual([MANY, true, pauses]);
});
