import { type IncomingMessage, request, type ServerResponse } from 'node:http';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import {
  bearer,
  graphqlUpstream,
  keeper,
  openGateway,
  openIssuer,
  reply,
  type TestGateway,
  until,
} from '../harness/index.ts';
import { rawSocket } from './clients.ts';
import { type FeedService, graphqlWsService, yogaService } from './services.ts';

const { keep, close } = keeper();
afterAll(close);
const { keep: keepForTest, close: closeAfterTest } = keeper();
afterEach(closeAfterTest);

const issuer = await keep(openIssuer());
const EVENT_BYTES = 10_000;
const MANY = 20_000;
/** What lies in the buffers of the operating system and of all parties, with room to spare; all events are 200 MB. */
const MOST_EVENTS = 6_000;
const count = (to: number) => `subscription { count(to: ${to}, size: ${EVENT_BYTES}) { number text } }`;

/** A client that is in no hurry. */
interface LazyClient {
  read(): void;
  /** Numbers of the events that it has read. */
  readonly numbers: readonly number[];
  readonly isCut: boolean;
  close(): void;
}

async function overWebSocket({ url }: TestGateway, query: string): Promise<LazyClient> {
  const raw = await rawSocket(url, 'graphql-transport-ws');
  const numbers: number[] = [];
  raw.socket.on('message', (data) => {
    const { type, payload } = JSON.parse(String(data));
    if (type === 'next') numbers.push(payload.data.count.number);
  });
  raw.send({ type: 'connection_init', payload: { headers: bearer(issuer.token()) } });
  await raw.next('connection_ack');
  raw.socket.pause();
  raw.send({ id: '1', type: 'subscribe', payload: { query } });
  return {
    read: () => raw.socket.resume(),
    numbers,
    get isCut() {
      return raw.closed !== undefined;
    },
    close: () => raw.close(),
  };
}

async function overEventStream({ url }: TestGateway, query: string): Promise<LazyClient> {
  const headers = { ...bearer(issuer.token()), 'content-type': 'application/json', accept: 'text/event-stream' };
  const outgoing = request(`${url}/v1/graphql`, { method: 'POST', headers, agent: false });
  const answered = new Promise<IncomingMessage>((resolve) => outgoing.once('response', resolve));
  outgoing.end(JSON.stringify({ query }));
  const response = await answered;
  const numbers: number[] = [];
  let isCut = false;
  let text = '';
  outgoing.on('error', () => {});
  response.on('error', () => {});
  response.on('close', () => {
    isCut = true;
  });
  return {
    read: () => {
      response.setEncoding('utf8').on('data', (piece: string) => {
        text += piece;
        const events = text.split('\n\n');
        text = events.pop() ?? '';
        for (const event of events) {
          const number = /"number":(\d+)/.exec(event)?.[1];
          if (number) numbers.push(Number(number));
        }
      });
    },
    numbers,
    get isCut() {
      return isCut;
    },
    close: () => outgoing.destroy(),
  };
}

/** Waits until nothing more is taken from the service. */
async function standstill({ feed }: FeedService): Promise<number> {
  let last = -1;
  let since = performance.now();
  await until('nothing more is taken from the service', () => {
    if (feed.counted !== last) since = performance.now();
    last = feed.counted;
    return last > 0 && performance.now() - since > 400;
  });
  return last;
}

const timesGivenUp = (gateway: TestGateway) => gateway.logs().split(/(?:websocket|event_stream)\.aborted/).length;

const SOURCES: readonly [string, () => Promise<FeedService>, object][] = [
  ['a WebSocket', graphqlWsService, {}],
  ['server-sent events', yogaService, { protocol: 'sse' }],
];
const CLIENTS = [
  ['a WebSocket', overWebSocket],
  ['server-sent events', overEventStream],
] as const;

describe.each(SOURCES)('with a service over %s', (_, openService, subscriptions) => {
  let service: FeedService;
  let patient: TestGateway;
  let strict: TestGateway;
  beforeAll(async () => {
    service = await keep(openService());
    const metadata = { 'remote_schemas.yaml': [{ name: 'feed', definition: { url: service.url, subscriptions } }] };
    patient = await keep(openGateway({ issuer, metadata }));
    strict = await keep(openGateway({ issuer, metadata, environment: { PORTICO_SLOW_CLIENT_SECONDS: '1' } }));
  });

  describe.each(CLIENTS)('a client over %s that does not read', (_client, open) => {
    test('keeps the service waiting, and later gets every event', async () => {
      const client = await keepForTest(open(patient, count(MANY)));
      const taken = await standstill(service);
      expect(taken).toBeLessThan(MOST_EVENTS);
      client.read();
      await until('it has read on', () => client.numbers.length >= taken + 500);
      expect(client.numbers.slice(0, taken + 500)).toEqual(Array.from({ length: taken + 500 }, (_, i) => i + 1));
    });

    test('is cut off when it never does, and its subscription with it', async () => {
      const before = timesGivenUp(strict);
      const client = await keepForTest(open(strict, count(MANY)));
      await until('it is given up', () => timesGivenUp(strict) > before);
      client.read();
      await until('it is cut off', () => client.isCut);
      expect(await standstill(service)).toBeLessThan(MOST_EVENTS);
    });
  });
});

test('a client that asks and asks and never reads is read no further, and cut off', async () => {
  const service = await keepForTest(graphqlWsService());
  const metadata = { 'remote_schemas.yaml': [{ name: 'feed', definition: { url: service.url } }] };
  // Long enough that what is unread is seen before it is given up.
  const environment = { PORTICO_SLOW_CLIENT_SECONDS: '4', PORTICO_MAX_UNSENT_BYTES: '65536' };
  const gateway = await keepForTest(openGateway({ issuer, metadata, environment }));
  const raw = await keepForTest(rawSocket(gateway.url, 'graphql-transport-ws'));
  // Without it the connection would be closed for that, where sending takes longer than the gateway waits for it.
  raw.send({ type: 'connection_init', payload: { headers: bearer(issuer.token()) } });
  await raw.next('connection_ack');
  raw.socket.pause();
  const ping = JSON.stringify({ type: 'ping', payload: { text: 'x'.repeat(10_000) } });
  for (let sent = 0; sent < 5_000; sent++) raw.send(ping);
  let unread = 0;
  await until('it is given up', () => {
    if (timesGivenUp(gateway) > 1) return true;
    unread = raw.socket.bufferedAmount;
    return false;
  });
  expect(unread).toBeGreaterThan(ping.length * 1_000);
});

test('a client that reads none of many long responses is cut off at once', async () => {
  const service = await keepForTest(graphqlUpstream('type Query { text: String }'));
  const asked: ServerResponse[] = [];
  service.instead = (_, response) => void asked.push(response);
  const metadata = { 'remote_schemas.yaml': [{ name: 'texts', definition: { url: service.graphqlUrl } }] };
  const environment = { PORTICO_SLOW_CLIENT_SECONDS: '600', PORTICO_UPSTREAM_MAX_BUFFERED_BYTES: '1073741824' };
  const gateway = await keepForTest(openGateway({ issuer, metadata, environment }));
  const raw = await keepForTest(rawSocket(gateway.url, 'graphql-transport-ws'));
  raw.send({ type: 'connection_init', payload: { headers: bearer(issuer.token()) } });
  await raw.next('connection_ack');
  raw.socket.pause();
  // Equal queries would share one call.
  for (let id = 1; id <= 12; id++)
    raw.send({ id: String(id), type: 'subscribe', payload: { query: `{ text${id}: text }` } });
  await until('all are asked for', () => asked.length === 12);
  const text = 'x'.repeat(8 * 1024 * 1024);
  for (const response of asked) reply(response, 200, { data: { text } });
  await until('it is given up', () => timesGivenUp(gateway) > 1);
});
