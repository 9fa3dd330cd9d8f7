import { afterAll, afterEach, describe, expect, test } from '@jest/globals';
import { WebSocket } from 'ws';
import { bearer, keeper, openGateway, openIssuer, until } from '../harness/index.ts';
import { type RawSocket, rawSocket } from './clients.ts';
import { graphqlWsService } from './services.ts';

const { keep, close } = keeper();
afterAll(close);
const { keep: keepForTest, close: closeAfterTest } = keeper();
afterEach(closeAfterTest);

const issuer = await keep(openIssuer());
const service = await keep(graphqlWsService());
const { feed } = service;
const metadata = { 'remote_schemas.yaml': [{ name: 'feed', definition: { url: service.url } }] };
const gateway = await keep(openGateway({ issuer, metadata }));
const strict = await keep(
  openGateway({
    issuer,
    metadata,
    environment: {
      HASURA_GRAPHQL_WEBSOCKET_CONNECTION_INIT_TIMEOUT: '1',
      HASURA_GRAPHQL_WEBSOCKET_KEEPALIVE: '1',
      PORTICO_MAX_OPERATIONS_PER_CONNECTION: '2',
      PORTICO_MAX_LIVE_CONNECTIONS: '2',
      PORTICO_MAX_BODY_BYTES: '2048',
    },
  }),
);

const ORDERS = 'subscription { orderPlaced { id } }';
const COUNT = 'subscription { count(to: 2) { number } }';
const NEW = 'graphql-transport-ws';
const OLD = 'graphql-ws';

const open = (protocol: string | string[], url = gateway.url): Promise<RawSocket> =>
  keepForTest(rawSocket(url, protocol));

async function initialised(protocol: string, url = gateway.url): Promise<RawSocket> {
  const raw = await open(protocol, url);
  raw.send({ type: 'connection_init', payload: { headers: bearer(issuer.token()) } });
  await raw.next('connection_ack');
  return raw;
}

describe('graphql-transport-ws', () => {
  test('is chosen where a client speaks both', async () => {
    expect((await open([OLD, NEW])).socket.protocol).toBe(NEW);
    expect((await open([OLD, 'something-else'])).socket.protocol).toBe(OLD);
  });

  test.each([[[]], [['something-else']]])('a client that speaks neither (%j) is told so', async (protocols) => {
    const socket = new WebSocket(`${gateway.url.replace('http', 'ws')}/v1/graphql`, protocols);
    const code = await new Promise((resolve) => {
      socket.on('close', resolve);
      socket.on('error', () => resolve('no common protocol'));
    });
    expect(code).toBe(protocols.length === 0 ? 4406 : 'no common protocol');
  });

  test.each([
    ['no JSON', '{', 4400],
    ['no message', { type: 'hello' }, 4400],
    ['a subscription without an id', { type: 'subscribe', payload: { query: COUNT } }, 4400],
    ['a subscription before connection_init', { id: '1', type: 'subscribe', payload: { query: COUNT } }, 4401],
  ])('%s ends the connection', async (_, message, code) => {
    const raw = await open(NEW);
    raw.send(message);
    expect((await raw.ended()).code).toBe(code);
  });

  test('a second connection_init ends the connection', async () => {
    const raw = await initialised(NEW);
    raw.send({ type: 'connection_init' });
    expect((await raw.ended()).code).toBe(4429);
  });

  test('a second operation with the id of one that runs ends the connection, and both', async () => {
    const raw = await initialised(NEW);
    raw.send({ id: 'a', type: 'subscribe', payload: { query: ORDERS } });
    await feed.waitFor(1);
    raw.send({ id: 'a', type: 'subscribe', payload: { query: ORDERS } });
    expect(await raw.ended()).toEqual({ code: 4409, reason: 'Subscriber for a already exists' });
    await feed.waitFor(0);
  });

  test('an id can be used again once its operation is over', async () => {
    const raw = await initialised(NEW);
    raw.send({ id: 'a', type: 'subscribe', payload: { query: COUNT } });
    await raw.next('complete');
    raw.send({ id: 'a', type: 'subscribe', payload: { query: ORDERS } });
    await feed.waitFor(1);
    raw.send({ id: 'a', type: 'complete' });
    await feed.waitFor(0);
    raw.send({ id: 'a', type: 'subscribe', payload: { query: COUNT } });
    await raw.next('complete');
    expect(raw.messages.filter(({ type }) => type === 'next')).toHaveLength(4);
  });

  test('a ping is answered, with what it held', async () => {
    const raw = await open(NEW);
    raw.send({ type: 'ping', payload: { at: 1 } });
    expect(await raw.next('pong')).toEqual({ type: 'pong', payload: { at: 1 } });
  });

  test('an operation that is not valid is refused, and the connection goes on', async () => {
    const raw = await initialised(NEW);
    raw.send({ id: 'a', type: 'subscribe', payload: { query: 'subscription { nothing }' } });
    expect(await raw.next('error')).toMatchObject({
      id: 'a',
      payload: [{ message: expect.stringContaining('"nothing"'), extensions: { code: 'validation-failed' } }],
    });
    raw.send({ id: 'b', type: 'subscribe', payload: { query: '{ orderCount }' } });
    expect(await raw.next('next')).toEqual({ id: 'b', type: 'next', payload: { data: { orderCount: 2 } } });
  });

  test('a client that leaves takes its subscriptions along', async () => {
    const raw = await initialised(NEW);
    for (const id of ['a', 'b', 'c']) raw.send({ id, type: 'subscribe', payload: { query: ORDERS } });
    await feed.waitFor(3);
    raw.close();
    await feed.waitFor(0);
    await until('no connection to the service is left', () => service.connections() === 0);
  });

  test('a client that stops before its subscription has begun has none', async () => {
    const raw = await initialised(NEW);
    raw.send({ id: 'a', type: 'subscribe', payload: { query: ORDERS } });
    raw.send({ id: 'a', type: 'complete' });
    raw.send({ id: 'b', type: 'subscribe', payload: { query: COUNT } });
    expect(await raw.next('complete')).toEqual({ id: 'b', type: 'complete' });
    await feed.waitFor(0);
    expect(raw.messages.filter(({ id }) => id === 'a')).toEqual([]);
  });

  test('a client has to introduce itself in time', async () => {
    expect((await (await open(NEW, strict.url)).ended()).code).toBe(4408);
    expect((await (await open(OLD, strict.url)).ended()).code).toBe(1011);
  });
});

describe('the graphql-ws of old', () => {
  test('may subscribe right behind connection_init', async () => {
    const raw = await open(OLD);
    raw.send({ type: 'connection_init', payload: { headers: bearer(issuer.token()) } });
    raw.send({ id: 1, type: 'start', payload: { query: COUNT } });
    await raw.next('complete');
    expect(raw.messages).toEqual([
      { type: 'connection_ack' },
      { type: 'ka' },
      { id: '1', type: 'data', payload: { data: { count: { number: 1 } } } },
      { id: '1', type: 'data', payload: { data: { count: { number: 2 } } } },
      { id: '1', type: 'complete' },
    ]);
  });

  test('may not subscribe before connection_init', async () => {
    const raw = await open(OLD);
    raw.send({ id: '1', type: 'start', payload: { query: COUNT } });
    expect((await raw.ended()).code).toBe(4401);
  });

  test('is kept alive by messages', async () => {
    const raw = await initialised(OLD, strict.url);
    await until('three signs of life', () => raw.messages.filter(({ type }) => type === 'ka').length >= 3);
  });

  test('goes on after something that is no message', async () => {
    const raw = await initialised(OLD);
    raw.send('{');
    await raw.next('connection_error');
    raw.send({ id: '1', type: 'start', payload: { query: '{ orderCount }' } });
    expect(await raw.next('data')).toEqual({ id: '1', type: 'data', payload: { data: { orderCount: 2 } } });
  });

  test('is told when an id is in use', async () => {
    const raw = await initialised(OLD);
    raw.send({ id: '1', type: 'start', payload: { query: ORDERS } });
    await feed.waitFor(1);
    raw.send({ id: '1', type: 'start', payload: { query: ORDERS } });
    expect(await raw.next('error')).toMatchObject({ id: '1', payload: { errors: [{ message: expect.any(String) }] } });
    expect(feed.open).toBe(1);
  });

  test('ends with connection_terminate', async () => {
    const raw = await initialised(OLD);
    raw.send({ id: '1', type: 'start', payload: { query: ORDERS } });
    await feed.waitFor(1);
    raw.send({ type: 'connection_terminate' });
    expect((await raw.ended()).code).toBe(1000);
    await feed.waitFor(0);
  });
});

describe('a connection', () => {
  test('runs no more operations at a time than it may', async () => {
    const raw = await initialised(NEW, strict.url);
    for (const id of ['a', 'b', 'c']) raw.send({ id, type: 'subscribe', payload: { query: ORDERS } });
    expect(await raw.next('error')).toMatchObject({
      id: 'c',
      payload: [{ extensions: { code: 'operation-limit-exceeded' } }],
    });
    await feed.waitFor(2);
    raw.send({ id: 'a', type: 'complete' });
    raw.send({ id: 'd', type: 'subscribe', payload: { query: ORDERS } });
    await until('the next one is open', () => feed.open === 2);
  });

  test('takes no message that is too large', async () => {
    const raw = await open(NEW, strict.url);
    raw.send({ type: 'ping', payload: { long: 'x'.repeat(3_000) } });
    expect((await raw.ended()).code).toBe(1009);
  });

  test('is refused with 503 when too many are open, until one of them has ended', async () => {
    const first = await initialised(NEW, strict.url);
    const headers = { ...bearer(issuer.token()), accept: 'text/event-stream', 'content-type': 'application/json' };
    const cut = new AbortController();
    const body = JSON.stringify({ query: ORDERS });
    await fetch(`${strict.url}/v1/graphql`, { method: 'POST', headers, body, signal: cut.signal });
    await expect(open(NEW, strict.url)).rejects.toThrow('503');
    expect((await strict.post('/v1/graphql', { query: ORDERS }, headers)).status).toBe(503);
    expect((await strict.graphql('{ orderCount }', { token: issuer.token() })).status).toBe(200);
    first.close();
    cut.abort();
    await until('there is room again', () =>
      open(NEW, strict.url).then(
        () => true,
        () => false,
      ),
    );
    await feed.waitFor(0);
  });

  test('elsewhere is no GraphQL connection', async () => {
    const socket = new WebSocket(`${gateway.url.replace('http', 'ws')}/v2/graphql`, NEW);
    const message = await new Promise((resolve) => socket.on('error', (error) => resolve(error.message)));
    expect(message).toBe('Unexpected server response: 404');
  });
});

describe('over HTTP', () => {
  const headers = () => ({ ...bearer(issuer.token()), 'content-type': 'application/json' });
  const post = (query: string, accept: string) =>
    gateway.send('/v1/graphql', { method: 'POST', headers: { ...headers(), accept }, body: JSON.stringify({ query }) });
  const EVENTS = [
    ':',
    'event: next\ndata: {"data":{"count":{"number":1}}}',
    'event: next\ndata: {"data":{"count":{"number":2}}}',
    'event: complete\ndata:',
    '',
  ];

  test('a subscription is refused where its client takes no events, and told the ways', async () => {
    for (const accept of ['application/json', '*/*', 'text/event-stream;q=0, application/json']) {
      const { status, text } = await post(COUNT, accept);
      expect([status, JSON.parse(text)]).toMatchObject([
        400,
        { errors: [{ extensions: { code: 'unexpected-payload' } }] },
      ]);
      expect(text).toMatch(/graphql-transport-ws.*graphql-ws.*text\/event-stream/);
    }
  });

  test.each(['text/event-stream', 'Text/Event-Stream; charset=utf-8', 'application/json, text/event-stream'])(
    'its events come as a stream to a client that takes %s',
    async (accept) => {
      const { status, headers: answered, text } = await post(COUNT, accept);
      expect([status, answered['content-type']]).toEqual([200, 'text/event-stream; charset=utf-8']);
      expect(answered['cache-control']).toContain('no-store');
      expect(text.split('\n\n')).toEqual(EVENTS);
    },
  );

  test('a query is answered by JSON where its client takes both, by an event where it takes nothing else', async () => {
    expect(await post('{ orderCount }', 'text/event-stream, application/json')).toMatchObject({
      body: { data: { orderCount: 2 } },
    });
    expect((await post('{ orderCount }', 'text/event-stream')).text.split('\n\n')).toEqual([
      ':',
      'event: next\ndata: {"data":{"orderCount":2}}',
      'event: complete\ndata:',
      '',
    ]);
  });

  test('an operation that is not valid is told so by an event', async () => {
    const { status, text } = await post('subscription { nothing }', 'text/event-stream');
    expect(status).toBe(200);
    expect(text).toMatch(
      /^:\n\nevent: next\ndata: {"errors":\[.*validation-failed.*\]}\n\nevent: complete\ndata:\n\n$/,
    );
  });

  test('a mutation needs a POST, also where its result is an event', async () => {
    const query = encodeURIComponent('mutation { rename(item: "x") }');
    const { status } = await gateway.send(`/v1/graphql?query=${query}`, {
      headers: { ...bearer(issuer.token()), accept: 'text/event-stream' },
    });
    expect(status).toBe(405);
  });

  test('a batch has no events', async () => {
    const batch = [{ query: '{ orderCount }' }, { query: COUNT }];
    const refused = await gateway.post('/v1/graphql', batch, {
      ...headers(),
      accept: 'application/json, text/event-stream',
    });
    expect(refused).toMatchObject({ status: 400, body: { errors: [{ extensions: { code: 'unexpected-payload' } }] } });
    const first = await gateway.post('/v1/graphql', batch.slice(0, 1), { ...headers(), accept: 'text/event-stream' });
    expect(first.status).toBe(406);
  });

  test('a client that goes away takes its subscription along', async () => {
    const cut = new AbortController();
    await fetch(`${gateway.url}/v1/graphql`, {
      method: 'POST',
      headers: { ...headers(), accept: 'text/event-stream' },
      body: JSON.stringify({ query: ORDERS }),
      signal: cut.signal,
    });
    await feed.waitFor(1);
    cut.abort();
    await feed.waitFor(0);
  });

  test('a stream in which nothing happens is kept alive', async () => {
    const cut = new AbortController();
    const response = await fetch(`${strict.url}/v1/graphql`, {
      method: 'POST',
      headers: { ...headers(), accept: 'text/event-stream' },
      body: JSON.stringify({ query: ORDERS }),
      signal: cut.signal,
    });
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    let text = '';
    while (text.length < 9) text += (await reader?.read())?.value ?? '';
    expect(text).toBe(':\n\n:\n\n:\n\n');
    cut.abort();
    await feed.waitFor(0);
  });
});
