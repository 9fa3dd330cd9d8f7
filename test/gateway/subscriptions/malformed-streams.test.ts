import { type AddressInfo, createServer, type Socket } from 'node:net';
import { afterAll, afterEach, expect, test } from '@jest/globals';
import { bearer, graphqlUpstream, keeper, openGateway, openIssuer } from '../harness/index.ts';
import { rawSocket } from './clients.ts';

const { keep, close } = keeper();
afterAll(close);
const { keep: keepForTest, close: closeAfterTest } = keeper();
afterEach(closeAfterTest);

/** The bytes that the service answers every subscription with; it leaves the connection open. */
let answer: readonly (string | Buffer)[] = [];

async function openService() {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.once('data', () => {
      for (const bytes of answer) socket.write(bytes);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    close: () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

const schema = await keep(
  graphqlUpstream('type Query { hello: String } type Subscription { told: Int }', {
    Query: { hello: () => 'world' },
  }),
);
const { url } = await keep(openService());
const issuer = await keep(openIssuer());
const definition = { url: schema.graphqlUrl, timeout_seconds: 300, subscriptions: { protocol: 'sse', url } };
const metadata = { 'remote_schemas.yaml': [{ name: 'bytes', definition }] };
const gateway = await keep(openGateway({ issuer, metadata }));

async function subscribed({ url } = gateway) {
  const raw = await keepForTest(rawSocket(url, 'graphql-transport-ws'));
  raw.send({ type: 'connection_init', payload: { headers: bearer(issuer.token()) } });
  await raw.next('connection_ack');
  raw.send({ id: '1', type: 'subscribe', payload: { query: 'subscription { told }' } });
  return raw;
}

const STREAM = ['HTTP/1.1 200 OK', 'content-type: text/event-stream'];
const headOf = (...lines: readonly string[]) => `${lines.join('\r\n')}\r\n\r\n`;
const EVENT = 'data: {"data":{"told":1}}\n\n';

test.each([
  ['behind a byte order mark', [headOf(...STREAM), Buffer.from(`\u{feff}${EVENT}`)]],
  ['behind responses that come before', [headOf('HTTP/1.1 103 Early Hints', 'link: <a>'), headOf(...STREAM), EVENT]],
  ['in no coding', [headOf(...STREAM, 'content-encoding: none'), EVENT]],
  ['in chunks with extensions', [headOf(...STREAM, 'transfer-encoding: chunked'), `1b;a="b;c"\r\n${EVENT}\r\n`]],
])('an event %s comes', async (_, bytes) => {
  answer = bytes;
  const raw = await subscribed();
  expect(await raw.next('next')).toMatchObject({ payload: { data: { told: 1 } } });
});

test.each([
  ['switches to another protocol', [headOf('HTTP/1.1 101 Switching Protocols', 'connection: Upgrade', 'upgrade: x')]],
  ['compresses its events', [headOf(...STREAM, 'content-encoding: gzip'), Buffer.from([0x1f, 0x8b, 8, 0])]],
  ['says twice how long its answer is', [headOf(...STREAM, 'content-length: 9', 'transfer-encoding: chunked')]],
  ['sends a chunk without a length', [headOf(...STREAM, 'transfer-encoding: chunked'), 'x\r\n']],
])('a subscription to a service that %s ends with an error at once', async (_, bytes) => {
  answer = bytes;
  const raw = await subscribed();
  expect(await raw.next('error')).toMatchObject({
    payload: [{ extensions: { code: 'remote-schema-error', service: 'bytes', reason: 'connection' } }],
  });
});

test('events that do not end have a limit together, and each may be short', async () => {
  const environment = { PORTICO_UPSTREAM_MAX_BUFFERED_BYTES: '1048576' };
  const limited = await keepForTest(openGateway({ issuer, metadata, environment }));
  answer = [headOf(...STREAM), EVENT, `data: ${'x'.repeat(700_000)}`];
  const first = await subscribed(limited);
  await first.next('next');
  const second = await subscribed(limited);
  const refused = await Promise.race([first.next('error'), second.next('error')]);
  expect(refused).toMatchObject({ payload: [{ extensions: { code: 'remote-schema-error', service: 'bytes' } }] });
  answer = [headOf(...STREAM), EVENT, 'data: x'];
  await (await subscribed(limited)).next('next');
});
