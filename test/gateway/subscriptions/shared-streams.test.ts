import type { ServerResponse } from 'node:http';
import { afterAll, afterEach, expect, test } from '@jest/globals';
import { readExposition } from '../../prometheus.ts';
import {
  bearer,
  freePort,
  graphqlUpstream,
  keeper,
  openGateway,
  openIssuer,
  type Received,
  send,
  type TestGateway,
  until,
} from '../harness/index.ts';
import { type RawSocket, rawSocket, sseClient } from './clients.ts';
import { graphqlWsService } from './services.ts';

const { keep, close } = keeper();
afterAll(close);
const { keep: keepForTest, close: closeAfterTest } = keeper();
afterEach(closeAfterTest);

const issuer = await keep(openIssuer());
const service = await keep(graphqlUpstream('type Query { hello: String } type Subscription { count: Int }'));
afterEach(() => {
  service.forget();
  service.instead = undefined;
});

/** Of 200 KB each. */
const MANY_EVENTS = 300;
const EVENTS = { 'content-type': 'text/event-stream' };
const event = (count: unknown, id: number) =>
  `event: next\nid: ${id}\ndata: ${JSON.stringify({ data: { count } })}\n\n`;

async function openShared(url: string, protocol: string, environment: Record<string, string> = {}) {
  const port = await freePort();
  const definition = { url, subscriptions: { protocol, share: 'events' } };
  const gateway = await keepForTest(
    openGateway({
      issuer,
      environment: { PORTICO_METRICS_PORT: String(port), ...environment },
      metadata: { 'remote_schemas.yaml': [{ name: 'counter', definition }] },
    }),
  );
  const metric = async (name: string) =>
    readExposition((await send(`http://127.0.0.1:${port}/metrics`)).text).get(name);
  const subscribed = async (subscriptions: number) => {
    const active = 'portico_subscriptions_active';
    await until(`${subscriptions} are open`, async () => (await metric(active)) === subscriptions);
    expect(await metric('portico_subscription_runs')).toBe(1);
  };
  return { gateway, subscribed };
}

async function subscriber({ url }: TestGateway, query = 'subscription { count }'): Promise<RawSocket> {
  const socket = await keepForTest(rawSocket(url, 'graphql-transport-ws'));
  socket.send({ type: 'connection_init', payload: { headers: bearer(issuer.token()) } });
  await socket.next('connection_ack');
  socket.send({ id: '1', type: 'subscribe', payload: { query } });
  return socket;
}

/** Streams that the service answers with, and what it was asked for them. */
function serviceStreams() {
  const streams: { readonly response: ServerResponse; readonly received: Received }[] = [];
  service.instead = (received, response) => {
    response.writeHead(200, EVENTS).write(':\n\n');
    streams.push({ response, received });
  };
  return streams;
}

test('a stream that is resumed after its first subscriber has left is resumed on behalf of another one', async () => {
  const streams = serviceStreams();
  const { gateway, subscribed } = await openShared(service.graphqlUrl, 'sse');
  const first = await subscriber(gateway);
  await until('the stream is open', () => streams.length === 1);
  const second = await subscriber(gateway);
  await subscribed(2);
  streams[0]?.response.write(event(1, 1));
  expect((await second.next('next')).payload).toEqual({ data: { count: 1 } });
  first.send({ id: '1', type: 'complete' });
  await subscribed(1);
  streams[0]?.response.socket?.destroySoon();
  await until('the stream is resumed', () => streams.length === 2);
  streams[1]?.response.write(event(2, 2));
  expect((await second.next('next')).payload).toEqual({ data: { count: 2 } });
  const [opened, resumed] = streams.map(({ received }) => received.headers);
  expect(resumed?.['last-event-id']).toBe('1');
  expect(resumed?.['x-hasura-user-id']).toBe(opened?.['x-hasura-user-id']);
  expect(resumed?.['x-request-id']).not.toBe(opened?.['x-request-id']);
});

test.each<[string, string]>([
  ['is no JSON', 'event: next\ndata: {"data"\n\n'],
  ['is cut', 'event: next\ndata: {"data":{"count":'],
])('an event that %s ends each of them with one error', async (_, garbage) => {
  const streams = serviceStreams();
  const { gateway, subscribed } = await openShared(service.graphqlUrl, 'sse');
  const sockets = [await subscriber(gateway), await subscriber(gateway)];
  const stream = await keepForTest(sseClient(gateway.url, bearer(issuer.token())));
  const events = stream.subscribe('subscription { count }');
  await subscribed(3);
  await until('the stream is open', () => streams.length === 1);
  streams[0]?.response.end(garbage);
  const code = { extensions: { code: 'remote-schema-error', service: 'counter' } };
  for (const socket of sockets) expect((await socket.next('error')).payload).toMatchObject([code]);
  await events.ended();
  expect(events.results).toMatchObject([{ errors: [code] }]);
  expect(sockets.flatMap(({ messages }) => messages).filter(({ type }) => type === 'error')).toHaveLength(2);
});

test('an event that is nested too deeply to be written is no end of the process or of other subscriptions', async () => {
  const streams = serviceStreams();
  const { gateway, subscribed } = await openShared(service.graphqlUrl, 'sse');
  const socket = await subscriber(gateway);
  await subscribed(1);
  await until('the stream is open', () => streams.length === 1);
  const depth = 20_000;
  streams[0]?.response.write(
    `event: next\ndata: {"data":{"count":${'['.repeat(depth)}${']'.repeat(depth)}}}\n\n${event(2, 2)}`,
  );
  await until('it has ended, or goes on', () => socket.messages.length > 1 || socket.closed !== undefined);
  service.instead = undefined;
  expect((await gateway.graphql('{ hello }', { token: issuer.token() })).status).toBe(200);
});

test('a subscriber that does not read is cut off alone, and the others miss nothing', async () => {
  const feed = await keepForTest(graphqlWsService());
  const { gateway, subscribed } = await openShared(feed.url, 'graphql-transport-ws', {
    PORTICO_MAX_UNSENT_BYTES: '16384',
    PORTICO_SLOW_CLIENT_SECONDS: '600',
  });
  const orders = 'subscription { orderPlaced { id } }';
  const quick = await subscriber(gateway, orders);
  const slow = await subscriber(gateway, orders);
  await subscribed(2);
  await feed.feed.waitFor(1);
  slow.socket.pause();
  const id = 'x'.repeat(200_000);
  // The buffers of the operating system may hold some ten megabytes before anything waits in the gateway.
  for (let number = 1; number <= MANY_EVENTS; number++) {
    feed.feed.publish({ id: `${number} ${id}` });
    const { payload } = (await quick.next('next')) as { payload: { data: { orderPlaced: { id: string } } } };
    expect(payload.data.orderPlaced.id.startsWith(`${number} `)).toBe(true);
  }
  slow.socket.resume();
  expect((await slow.next('error')).payload).toMatchObject([{ extensions: { code: 'events-missed' } }]);
  const numbers = slow.messages.flatMap(({ type, payload }) =>
    type === 'next'
      ? Number.parseInt((payload as { data: { orderPlaced: { id: string } } }).data.orderPlaced.id, 10)
      : [],
  );
  expect(numbers).toEqual(numbers.map((_, index) => index + 1));
  expect(numbers.length).toBeLessThan(MANY_EVENTS);
});
