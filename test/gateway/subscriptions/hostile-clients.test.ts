import { connect } from 'node:net';
import { afterAll, afterEach, describe, expect, test } from '@jest/globals';
import { bearer, keeper, openGateway, openIssuer, until } from '../harness/index.ts';
import { rawSocket } from './clients.ts';
import { graphqlWsService } from './services.ts';

const { keep, close } = keeper();
afterAll(close);
const { keep: keepForTest, close: closeAfterTest } = keeper();
afterEach(closeAfterTest);

const issuer = await keep(openIssuer());
const service = await keep(graphqlWsService());
const metadata = { 'remote_schemas.yaml': [{ name: 'feed', definition: { url: service.url } }] };
const gateway = await keep(openGateway({ issuer, metadata }));

const NEW = 'graphql-transport-ws';
const OLD = 'graphql-ws';
const ORDERS = 'subscription { orderPlaced { id } }';
const open = (protocol: string) => keepForTest(rawSocket(gateway.url, protocol));

describe('text that cannot be echoed', () => {
  const nested = (levels: number) => `{"a":${'['.repeat(levels)}${']'.repeat(levels)}}`;
  const deep = nested(100_000);

  test('a ping whose payload is nested too deeply ends its connection, and no other', async () => {
    const other = await open(NEW);
    const raw = await open(NEW);
    raw.send(`{"type":"ping","payload":${deep}}`);
    expect((await raw.ended()).code).toBe(4400);
    other.send({ type: 'ping', payload: { still: 'there' } });
    expect(await other.next('pong')).toEqual({ type: 'pong', payload: { still: 'there' } });
  });

  test.each([
    [NEW, 4403],
    [OLD, 4400],
  ])('a header in the payload that is no text is refused (%s)', async (protocol, code) => {
    for (const header of [nested(400), '{}', '["a"]']) {
      const raw = await open(protocol);
      raw.send(`{"type":"connection_init","payload":{"headers":{"x-shop":${header}}}}`);
      expect(await raw.ended()).toMatchObject({ code, reason: expect.stringContaining('not a valid HTTP header') });
    }
  });
});

test('headers in the payload are no longer than those of a request may be', async () => {
  const raw = await open(NEW);
  const half = 'x'.repeat(40_000);
  raw.send({ type: 'connection_init', payload: { headers: { 'x-one': half, 'x-two': half } } });
  expect(await raw.ended()).toEqual({ code: 4403, reason: 'Forbidden: the headers in the payload are too long' });
});

test.each<[string, Record<string, unknown>]>([
  ['headers', { headers: { Authorization: 'Bearer a', authorization: 'Bearer b' } }],
  ['the payload', { 'x-hasura-role': 'user', 'X-Hasura-Role': 'admin' }],
])('a header has one value in %s', async (_, payload) => {
  const raw = await open(NEW);
  raw.send({ type: 'connection_init', payload });
  expect(await raw.ended()).toEqual({ code: 4403, reason: 'Forbidden: a header is in the payload with two values' });
});

test('the second operation with one long id is refused at once', async () => {
  const raw = await open(NEW);
  raw.send({ type: 'connection_init', payload: { headers: bearer(issuer.token()) } });
  await raw.next('connection_ack');
  const id = '\u{1f6aa}'.repeat(200_000);
  for (const _ of [1, 2]) raw.send({ id, type: 'subscribe', payload: { query: ORDERS } });
  const { code, reason } = await raw.ended();
  expect(code).toBe(4409);
  expect(Buffer.byteLength(reason)).toBeLessThanOrEqual(123);
});

describe('operations whose messages are too long together', () => {
  const ofLength = (length: number) => ({ query: `${ORDERS} # ${'x'.repeat(length)}` });

  test('are refused beyond four of the longest, until some of them have ended', async () => {
    const raw = await open(NEW);
    raw.send({ type: 'connection_init', payload: { headers: bearer(issuer.token()) } });
    await raw.next('connection_ack');
    const start = (id: string, length: number) => raw.send({ id, type: 'subscribe', payload: ofLength(length) });
    for (const id of ['1', '2', '3', '4', '5', '6']) start(id, 900_000);
    expect([await raw.next('error'), await raw.next('error')]).toMatchObject(
      ['5', '6'].map((id) => ({ id, payload: [{ extensions: { code: 'operation-limit-exceeded' } }] })),
    );
    start('short', 10_000);
    raw.send({ id: '1', type: 'complete' });
    start('7', 900_000);
    await service.feed.waitFor(5);
  });

  test('are refused before the connection is acknowledged', async () => {
    const raw = await open(OLD);
    raw.send({ type: 'connection_init', payload: { headers: bearer(issuer.token()) } });
    for (const id of ['1', '2', '3', '4', '5']) raw.send({ id, type: 'start', payload: ofLength(900_000) });
    const refused = await Promise.race([raw.ended().then(({ code }) => code), raw.next('error').then(({ id }) => id)]);
    expect([4401, '5']).toContain(refused);
  });
});

test('an operation that is stopped before the connection is acknowledged never begins', async () => {
  const raw = await open(OLD);
  raw.send({ type: 'connection_init', payload: { headers: bearer(issuer.token()) } });
  raw.send({ id: '1', type: 'start', payload: { query: ORDERS } });
  raw.send({ id: '1', type: 'stop' });
  raw.send({ id: '2', type: 'start', payload: { query: '{ orderCount }' } });
  await raw.next('complete');
  expect(service.feed.open).toBe(0);
  expect(raw.messages.filter(({ id }) => id === '1')).toEqual([]);
});

test('a client that sends subscriptions in a row over one connection takes all of them along when it leaves', async () => {
  const body = JSON.stringify({ query: ORDERS });
  const headers = {
    ...bearer(issuer.token()),
    host: 'x',
    'content-type': 'application/json',
    accept: 'text/event-stream',
    'content-length': String(body.length),
  };
  const lines = Object.entries(headers).map((pair) => pair.join(': '));
  const request = ['POST /v1/graphql HTTP/1.1', ...lines, '', body].join('\r\n');
  const before = gateway.logs().split('"status":499').length;
  const socket = connect(gateway.port, '127.0.0.1');
  socket.write(request.repeat(12));
  await service.feed.waitFor(12);
  socket.destroy();
  await service.feed.waitFor(0);
  await until('each is in the log', () => gateway.logs().split('"status":499').length === before + 12);
});

test('a refused handshake ends its connection, also where the client keeps its half', async () => {
  const full = await keepForTest(openGateway({ issuer, metadata, environment: { PORTICO_MAX_LIVE_CONNECTIONS: '1' } }));
  await keepForTest(rawSocket(full.url, NEW));
  const socket = connect({ port: full.port, host: '127.0.0.1', allowHalfOpen: true });
  let answer = '';
  let isGone = false;
  socket.on('data', (piece) => {
    answer += piece;
  });
  socket.on('error', () => {});
  socket.on('close', () => {
    isGone = true;
  });
  const handshake = [
    'GET /v1/graphql HTTP/1.1',
    'host: x',
    'connection: upgrade',
    'upgrade: websocket',
    'sec-websocket-version: 13',
    'sec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==',
    `sec-websocket-protocol: ${NEW}`,
  ];
  socket.write(`${handshake.join('\r\n')}\r\n\r\n`);
  await until('the handshake is refused', () => answer.startsWith('HTTP/1.1 503'));
  await until('it is in the log', () => full.logs().includes('websocket.refused'));
  // A connection that nobody has on the other side breaks when something is sent; one that is half open takes it.
  await until('the connection is gone', () => {
    if (!isGone) socket.write('anybody there?');
    return isGone;
  });
});
