import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, expect, test } from '@jest/globals';
import { type WebSocket, WebSocketServer } from 'ws';
import { bearer, graphqlUpstream, keeper, openGateway, openIssuer } from '../harness/index.ts';
import { rawSocket } from './clients.ts';

const { keep, close } = keeper();
afterAll(close);
const { keep: keepForTest, close: closeAfterTest } = keeper();
afterEach(closeAfterTest);

const DEEP = `{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`;
const LOST = {
  message: 'the connection to the service "hostile" was lost',
  extensions: { path: '$', code: 'remote-schema-error', service: 'hostile', reason: 'connection' },
};

const schema = await keep(
  graphqlUpstream('scalar JSON type Query { hello: String } type Subscription { told(of: JSON): Int }', {
    Query: { hello: () => 'world' },
  }),
);

/** What the service sends together with its answer to the handshake. */
let greeting: (socket: WebSocket) => void = () => {};
/** What the service does with a message. */
let answer: (message: { type: string; payload?: unknown }, socket: WebSocket) => void = () => {};

async function openHostile() {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1', handleProtocols: () => 'graphql-transport-ws' });
  // In one packet.
  server.on('headers', (_, { socket }) => socket.cork());
  server.on('connection', (socket, { socket: connection }) => {
    socket.on('error', () => {});
    socket.on('message', (data) => answer(JSON.parse(String(data)), socket));
    greeting(socket);
    connection.uncork();
  });
  await new Promise((resolve) => server.once('listening', resolve));
  return {
    url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    close: () => {
      for (const socket of server.clients) socket.terminate();
      server.close();
    },
  };
}

const { url } = await keep(openHostile());
const issuer = await keep(openIssuer());
const definition = {
  url: schema.graphqlUrl,
  subscriptions: { url },
  headers: [{ name: 'x-owner', value: 'Zoë' }],
  forward_client_headers: true,
};
const metadata = { 'remote_schemas.yaml': [{ name: 'hostile', definition }] };
const gateway = await keep(openGateway({ issuer, metadata }));

async function subscribed(variables: string, headers: Record<string, string> = {}, { url } = gateway) {
  const raw = await keepForTest(rawSocket(url, 'graphql-transport-ws'));
  raw.send({ type: 'connection_init', payload: { headers: { ...bearer(issuer.token()), ...headers } } });
  await raw.next('connection_ack');
  const query = 'subscription ($of: JSON) { told(of: $of) }';
  raw.send(`{"id":"1","type":"subscribe","payload":{"query":"${query}","variables":{"of":${variables}}}}`);
  return raw;
}

test('what a service sends together with its answer to the handshake is read', async () => {
  const answered: string[] = [];
  greeting = (socket) => {
    socket.on('pong', (data) => answered.push(`frame ${data}`));
    socket.ping('early');
    socket.send('{"type":"ping","payload":{"early":1}}');
  };
  answer = ({ type, payload }, socket) => {
    if (type === 'pong') answered.push(JSON.stringify(payload));
    if (type === 'connection_init') socket.send('{"type":"connection_ack"}');
    if (type === 'subscribe') socket.send('{"id":"1","type":"next","payload":{"data":{"told":1}}}');
  };
  const raw = await subscribed('1');
  expect(await raw.next('next')).toMatchObject({ payload: { data: { told: 1 } } });
  greeting = () => {};
  expect(answered).toEqual(['frame early', '{"early":1}']);
});

test('a service whose ping cannot be answered is given up, for its own subscribers', async () => {
  answer = ({ type }, socket) => {
    if (type === 'connection_init') socket.send(`{"type":"ping","payload":${DEEP}}`);
  };
  const raw = await subscribed('1');
  expect(await raw.next('error')).toMatchObject({ payload: [LOST] });
  expect((await gateway.graphql('{ hello }', { token: issuer.token() })).body).toEqual({ data: { hello: 'world' } });
});

test('a service that reads no answers to its pings is given up', async () => {
  answer = ({ type }, socket) => {
    if (type !== 'connection_init') return;
    socket.pause();
    const ping = JSON.stringify({ type: 'ping', payload: { text: 'x'.repeat(1024 * 1024) } });
    // More than the buffers of both ends take.
    for (let sent = 0; sent < 48; sent++) socket.send(ping, () => {});
  };
  const raw = await subscribed('1');
  expect(await raw.next('error')).toMatchObject({ payload: [LOST] });
});

test('messages that do not end have a limit together, and pings between their frames do not change it', async () => {
  const environment = { PORTICO_UPSTREAM_MAX_BUFFERED_BYTES: '1048576' };
  const limited = await keepForTest(openGateway({ issuer, metadata, environment }));
  answer = ({ type }, socket) => {
    if (type === 'connection_init') socket.send('{"type":"connection_ack"}');
    if (type !== 'subscribe') return;
    for (let frame = 0; frame < 7; frame++) {
      socket.send('x'.repeat(100_000), { fin: false });
      socket.ping();
    }
  };
  const both = [await subscribed('1', {}, limited), await subscribed('1', {}, limited)];
  expect(await Promise.race(both.map((raw) => raw.next('error')))).toMatchObject({ payload: [LOST] });
});

test('variables that are nested too deeply end the connection that they came over, and no other', async () => {
  answer = ({ type }, socket) => {
    if (type === 'connection_init') socket.send('{"type":"connection_ack"}');
    if (type === 'subscribe') socket.send('{"id":"1","type":"next","payload":{"data":{"told":1}}}');
  };
  const raw = await subscribed(DEEP);
  expect((await raw.ended()).code).toBe(4400);
  const next = await subscribed('1');
  expect(await next.next('next')).toMatchObject({ payload: { data: { told: 1 } } });
});

test('headers in connection_init are texts, not the bytes of their UTF-8', async () => {
  let init: unknown;
  answer = ({ type, payload }, socket) => {
    if (type === 'connection_init') {
      init = payload;
      socket.send('{"type":"connection_ack"}');
    }
    if (type === 'subscribe') socket.send('{"id":"1","type":"next","payload":{"data":{"told":1}}}');
  };
  const raw = await subscribed('1', { 'x-guest': 'Łukasz' });
  await raw.next('next');
  expect(init).toMatchObject({ headers: { 'x-owner': 'Zoë', 'x-guest': 'Łukasz' } });
});

test('a service without WebSockets is refused events, and the log says what to look at', async () => {
  const plain = [{ name: 'plain', definition: { url: schema.graphqlUrl } }];
  const other = await keepForTest(openGateway({ issuer, metadata: { 'remote_schemas.yaml': plain } }));
  const raw = await keepForTest(rawSocket(other.url, 'graphql-transport-ws'));
  raw.send({ type: 'connection_init', payload: { headers: bearer(issuer.token()) } });
  await raw.next('connection_ack');
  raw.send({ id: '1', type: 'subscribe', payload: { query: 'subscription { told }' } });
  expect(await raw.next('error')).toMatchObject({ payload: [{ extensions: { reason: 'connection' } }] });
  expect(other.logs()).toMatch(
    /"reason":"the handshake of graphql-transport-ws failed with status \d+: does subscriptions.protocol, such as sse, /,
  );
});
