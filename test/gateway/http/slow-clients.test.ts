import { connect, type Socket } from 'node:net';
import { afterAll, expect, test } from '@jest/globals';
import { bearer, graphqlUpstream, keeper, openGateway, openIssuer, until } from '../harness/index.ts';

const { keep, close } = keeper();
afterAll(close);
const issuer = await keep(openIssuer());
const LONG = 'x'.repeat(20_000_000);
const service = await keep(
  graphqlUpstream('type Query { long: String, short: String, slow: String }', {
    Query: {
      long: () => LONG,
      short: () => 'short',
      slow: () => new Promise((resolve) => setTimeout(resolve, 2_500, 'slow')),
    },
  }),
);
const gateway = await keep(
  openGateway({
    issuer,
    metadata: { 'remote_schemas.yaml': [{ name: 'texts', definition: { url: service.graphqlUrl } }] },
    environment: { PORTICO_SLOW_CLIENT_SECONDS: '1', PORTICO_MAX_UNSENT_BYTES: '100000000' },
  }),
);

interface Client {
  readonly socket: Socket;
  ask(query: string, accept?: string): void;
  /** Bytes that were read. */
  readonly read: number;
  readonly isCut: boolean;
}

async function client(): Promise<Client> {
  const socket = connect(gateway.port, '127.0.0.1');
  await keep({ close: () => void socket.destroy() });
  let read = 0;
  let isCut = false;
  socket.on('data', (piece) => {
    read += piece.length;
  });
  socket.on('error', () => {});
  socket.on('close', () => {
    isCut = true;
  });
  return {
    socket,
    ask: (query, accept = 'application/json') => {
      const body = JSON.stringify({ query });
      const headers = { host: 'x', accept, 'content-type': 'application/json', 'content-length': body.length };
      const lines = Object.entries({ ...headers, ...bearer(issuer.token()) }).map((pair) => pair.join(': '));
      socket.write(['POST /v1/graphql HTTP/1.1', ...lines, '', body].join('\r\n'));
    },
    get read() {
      return read;
    },
    get isCut() {
      return isCut;
    },
  };
}

const timesGivenUp = () => gateway.logs().split('response.aborted').length;

test.each(['application/json', 'text/event-stream'])(
  'a client that reads nothing of a long answer in %s is cut off',
  async (accept) => {
    const before = timesGivenUp();
    const { socket, ask } = await client();
    socket.pause();
    ask('{ long }', accept);
    await until('the gateway gives it up', () => timesGivenUp() > before);
  },
);

test('a client that reads slowly has all of it, and can go on', async () => {
  const slow = await client();
  slow.socket.pause();
  slow.ask('{ long }');
  const reading = setInterval(() => {
    slow.socket.resume();
    setImmediate(() => slow.socket.pause());
  }, 10);
  const begun = performance.now();
  await until('longer than it may take nothing', () => performance.now() - begun > 2_000);
  expect(slow.isCut).toBe(false);
  clearInterval(reading);
  setImmediate(() => slow.socket.resume());
  await until('it has all of it', () => slow.read > LONG.length);
  const before = slow.read;
  slow.ask('{ short }');
  await until('it has another answer', () => slow.read > before);
  expect(slow.isCut).toBe(false);
});

test('a client that asks on before it has a long answer may wait longer for the next one', async () => {
  const hasty = await client();
  hasty.ask('{ long }');
  hasty.ask('{ slow }');
  await until('it has the long one', () => hasty.read > LONG.length);
  const before = hasty.read;
  await until('it has the next one, or is cut off', () => hasty.read > before + 20 || hasty.isCut);
  expect(hasty.isCut).toBe(false);
});
