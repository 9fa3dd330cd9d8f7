import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, expect, test } from '@jest/globals';
import { openResponseBatcher, sendJson } from '../../../gateway/transports/http/index.ts';
import { createLogger } from '../../../platform/index.ts';
import { keeper, until } from '../harness/index.ts';

const { keep, close } = keeper();
afterAll(close);

interface Pair {
  readonly url: string;
  readonly log: () => string;
}

/** Answers requests two at a time, in the same turn of the event loop; `before` and `after` get the first response. */
async function answeringInPairs(
  before: (first: ServerResponse) => void,
  after: (first: ServerResponse) => void,
): Promise<Pair> {
  let log = '';
  const logTo = {
    write: (line: string) => {
      log += line;
    },
  };
  const batcher = openResponseBatcher(createLogger('test', 'info', logTo));
  const waiting: ServerResponse[] = [];
  const server = createServer((_, response) => {
    if (waiting.push(response) < 2) return;
    const [first, second] = waiting.splice(0) as [ServerResponse, ServerResponse];
    before(first);
    for (const one of [first, second]) sendJson({ response: one, batcher }, 200, { ok: true });
    after(first);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  await keep({ close: () => void server.close().closeAllConnections() });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, log: () => log };
}

const outcomesOf = async (url: string) => {
  const outcomes = await Promise.allSettled([fetch(url), fetch(url)]);
  return outcomes.map(({ status }) => status).sort();
};

test('a response that cannot be ended is logged and cut off, and the others of its time arrive', async () => {
  const failing = (first: ServerResponse) => {
    first.end = () => {
      throw new Error('no end');
    };
  };
  const { url, log } = await answeringInPairs(failing, () => {});
  expect(await outcomesOf(url)).toEqual(['fulfilled', 'rejected']);
  await until('the log line', () => log().includes('response.failed'));
  expect(log()).toContain('no end');
});

test('a response whose client is gone before it ends keeps none of the others', async () => {
  const { url } = await answeringInPairs(
    () => {},
    (first) => first.destroy(),
  );
  expect(await outcomesOf(url)).toEqual(['fulfilled', 'rejected']);
});
