import type { ServerResponse } from 'node:http';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { afterAll, afterEach, describe, expect, test } from '@jest/globals';
import { WebSocketServer } from 'ws';
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

interface Settings {
  readonly definition?: object;
  readonly subscriptions?: object;
  readonly environment?: Record<string, string>;
}

const open = ({ definition = {}, subscriptions = { protocol: 'sse' }, environment = {} }: Settings = {}) =>
  openGateway({
    issuer,
    environment,
    metadata: {
      'remote_schemas.yaml': [
        { name: 'counter', definition: { url: service.graphqlUrl, subscriptions, ...definition } },
      ],
    },
  });

const LOST = {
  message: 'the connection to the service "counter" was lost',
  extensions: { path: '$', code: 'remote-schema-error', service: 'counter', reason: 'connection' },
};
const EVENTS = { 'content-type': 'text/event-stream' };
const event = (count: number, id: number | string | null = count) => {
  const idLine = id === null ? '' : `id: ${String(id)}\n`;
  return `event: next\n${idLine}data: ${JSON.stringify({ data: { count } })}\n\n`;
};
const count = (number: number) => ({ data: { count: number } });

/** What the service does with its first, second and further connections; the last one is repeated. */
function serviceThat(...answers: ((response: ServerResponse, received: Received, index: number) => void)[]): void {
  let index = 0;
  service.instead = (received, response) => {
    answers[Math.min(index, answers.length - 1)]?.(response, received, index);
    index += 1;
  };
}

/** Sends text, and dies as a process that is killed. */
const sendsAndDies = (text: string) => (response: ServerResponse) => {
  response.writeHead(200, EVENTS);
  // What was sent arrives.
  response.write(text, () => response.socket?.destroySoon());
};
const sends = (text: string) => (response: ServerResponse) => {
  response.writeHead(200, EVENTS).write(text);
};

/** Accepts connections, and says nothing. */
async function silentServer() {
  const sockets = new Set<Socket>();
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    sockets.add(socket.on('error', () => {}).on('close', () => sockets.delete(socket)));
    socket.resume();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    connections: () => connections,
    open: () => sockets.size,
    close: () => void server.close(),
  };
}

/** A subscriber that sees every message. */
async function subscriber(given?: TestGateway): Promise<RawSocket> {
  // Budgets of retries are not shared between tests.
  const of = given ?? (await keepForTest(open()));
  const socket = await keepForTest(rawSocket(of.url, 'graphql-transport-ws'));
  socket.send({ type: 'connection_init', payload: { headers: bearer(issuer.token()) } });
  await socket.next('connection_ack');
  socket.send({ id: '1', type: 'subscribe', payload: { query: 'subscription { count }' } });
  return socket;
}

const payloads = (socket: RawSocket) =>
  socket.messages.filter(({ type }) => type !== 'connection_ack').map(({ type, payload }) => [type, payload]);
const lastEventIds = () => service.operations().map(({ headers }) => headers['last-event-id']);

describe('a service that gives its events ids', () => {
  test('is subscribed to again where it dies, and no event is missing', async () => {
    serviceThat(sendsAndDies(event(1, 'a-1')), sends(event(2, 'a-2')));
    const socket = await subscriber();
    await until('both events are there', () => payloads(socket).length === 2);
    expect(payloads(socket)).toEqual([
      ['next', count(1)],
      ['next', count(2)],
    ]);
    expect(lastEventIds()).toEqual([undefined, 'a-1']);
    const [first, second] = service.operations();
    expect(second?.body).toEqual(first?.body);
    expect(second?.headers['x-hasura-role']).toBe('user');
  });

  test('that dies in the middle of an event sends it again', async () => {
    serviceThat(sendsAndDies(event(1) + event(2).slice(0, -3)), sends(event(2)));
    const socket = await subscriber();
    await until('both events are there', () => payloads(socket).length === 2);
    expect(payloads(socket).at(-1)).toEqual(['next', count(2)]);
    expect(lastEventIds()).toEqual([undefined, '1']);
  });

  test('may complete a stream that was resumed', async () => {
    serviceThat(sendsAndDies(event(1)), sends('event: complete\ndata:\n\n'));
    const socket = await subscriber();
    await socket.next('complete');
    expect(payloads(socket)).toEqual([
      ['next', count(1)],
      ['complete', undefined],
    ]);
  });

  test('is resumed for a subscriber over server-sent events', async () => {
    serviceThat(sendsAndDies(event(1)), sends(event(2)));
    const gateway = await keepForTest(open());
    const client = await keepForTest(Promise.resolve(sseClient(gateway.url, bearer(issuer.token()))));
    const counted = client.subscribe('subscription { count }');
    expect([await counted.next(), await counted.next()]).toEqual([count(1), count(2)]);
  });

  test.each([503, 502, 504])('is tried again where it answers %s', async (status) => {
    serviceThat(sendsAndDies(event(1)), (response) => response.writeHead(status).end('later'), sends(event(2)));
    const socket = await subscriber();
    await until('both events are there', () => payloads(socket).length === 2);
    expect(payloads(socket).at(-1)).toEqual(['next', count(2)]);
  });

  test('that dies a hundred times is resumed within the budget, and the subscriber gets one error', async () => {
    serviceThat((response, _, index) => {
      if (index < 100) sendsAndDies(event(index))(response);
    });
    const port = await freePort();
    const own = await keepForTest(open({ environment: { PORTICO_METRICS_PORT: String(port) } }));
    const socket = await subscriber(own);
    await socket.next('error');
    const came = payloads(socket);
    const resumed = service.operations().length - 1;
    // The reserve of 10 retries, and one more for five events each.
    expect(resumed).toBeGreaterThanOrEqual(10);
    expect(resumed).toBeLessThanOrEqual(13);
    expect(came).toEqual([
      ...Array.from({ length: resumed + 1 }, (_, index) => ['next', count(index)]),
      ['error', [LOST]],
    ]);
    expect(own.logs().match(/upstream\.events_lost/g)).toHaveLength(1);
    const { text } = await send(`http://127.0.0.1:${port}/metrics`);
    expect(text).toContain(`portico_upstream_retries_total{service="counter",kind="remote-schema"} ${resumed}`);
  });

  test.each([
    ['dies before it answers', (response: ServerResponse) => void response.destroy()],
    [
      'dies after its headers',
      (response: ServerResponse) =>
        void response.writeHead(200, EVENTS).write(':\n\n', () => response.socket?.destroySoon()),
    ],
    ['ends its stream', (response: ServerResponse) => void response.writeHead(200, EVENTS).end()],
    ['answers 503', (response: ServerResponse) => void response.writeHead(503).end()],
  ])('and %s each time is tried as often as a query', async (_, dies) => {
    serviceThat(sendsAndDies(event(1)), dies);
    const socket = await subscriber();
    await socket.next('error');
    expect(payloads(socket)).toEqual([
      ['next', count(1)],
      ['error', [LOST]],
    ]);
    expect(lastEventIds()).toEqual([undefined, '1', '1']);
  });

  test('and accepts connections and sends nothing is awaited as long as a call', async () => {
    serviceThat(sendsAndDies(event(1)), () => {});
    const own = await keepForTest(open({ definition: { timeout_seconds: 1 } }));
    const socket = await subscriber(own);
    await socket.next('error');
    expect(payloads(socket)).toEqual([
      ['next', count(1)],
      ['error', [LOST]],
    ]);
    expect(service.operations()).toHaveLength(2);
  });

  test.each([
    ['asks for a longer pause than a call may take', `retry: 600000\n\n${event(1)}`, {}],
    ['may not be tried again', event(1), { resilience: { retries: { limit: 0 } } }],
    ['has a budget of no retries', event(1), { resilience: { retries: { budget_percent: 0 } } }],
    ['has taken its id back', `${event(1)}${event(2, '')}`, {}],
    ['sends ids of control characters', event(1, 'a\u0001b'), {}],
    ['sends ids that are too long', event(1, 'x'.repeat(1_025)), {}],
    ['sends ids of null characters', event(1, 'a\0b'), {}],
    ['sends no ids', event(1, null), {}],
  ])('and %s is not subscribed to again', async (_, text, definition) => {
    serviceThat(sendsAndDies(text));
    const socket = await subscriber(await keepForTest(open({ definition })));
    await socket.next('error');
    expect(payloads(socket).filter(([type]) => type === 'error')).toEqual([['error', [LOST]]]);
    expect(service.operations()).toHaveLength(1);
  });

  test.each([
    ['refuses it', (response: ServerResponse) => void response.writeHead(401).end()],
    ['sends what is no JSON', sends('event: next\nid: 2\ndata: oh\n\n')],
    [
      'answers with no stream',
      (response: ServerResponse) => void response.writeHead(200, { 'content-type': 'text/html' }).end('hi'),
    ],
  ])('and %s when it is resumed is not tried again', async (_, answer) => {
    serviceThat(sendsAndDies(event(1)), answer);
    const socket = await subscriber();
    await socket.next('error');
    expect(payloads(socket)).toEqual([
      ['next', count(1)],
      ['error', [LOST]],
    ]);
    expect(service.operations()).toHaveLength(2);
  });

  test('and rejects the operation when it is resumed has its errors relayed', async () => {
    serviceThat(sendsAndDies(event(1)), (response) => {
      response.writeHead(400, { 'content-type': 'application/json' }).end('{"errors":[{"message":"gone"}]}');
    });
    const socket = await subscriber();
    expect(await socket.next('error')).toMatchObject({
      payload: [{ message: 'gone', extensions: { service: 'counter' } }],
    });
  });

  test('gets the bytes of an id back', async () => {
    serviceThat(sendsAndDies(event(1, 'Zoë;✓ 1')), sends(event(2)));
    const headers = [{ name: 'x-owner', value: 'Zoë' }];
    const socket = await subscriber(await keepForTest(open({ definition: { headers } })));
    await until('both events are there', () => payloads(socket).length === 2);
    const asUtf8 = (value: unknown) => Buffer.from(String(value), 'latin1').toString('utf8');
    expect(asUtf8(lastEventIds()[1])).toBe('Zoë;✓ 1');
    expect(asUtf8(service.operations()[1]?.headers['x-owner'])).toBe('Zoë');
  });

  test('is not subscribed to again for a subscriber that has left', async () => {
    serviceThat(sendsAndDies(`retry: 1000\n\n${event(1)}`), sends(event(2)));
    const socket = await subscriber();
    await socket.next('next');
    socket.send({ id: '1', type: 'complete' });
    socket.send({ id: '2', type: 'subscribe', payload: { query: '{ __typename }' } });
    await socket.next('complete');
    // The pause that the service has asked for has to be over.
    const over = performance.now() + 1_500;
    await until('the pause is over', () => performance.now() > over);
    expect(service.operations()).toHaveLength(1);
  });
});

describe('a service that has no way to resume', () => {
  /** Acknowledges, sends an event, and dies. */
  async function dyingWebSockets(protocol: string) {
    const server = new WebSocketServer({ port: 0, host: '127.0.0.1', handleProtocols: () => protocol });
    let connections = 0;
    server.on('connection', (socket) => {
      connections += 1;
      socket.on('error', () => {});
      socket.on('message', (data) => {
        const { type } = JSON.parse(String(data));
        if (type === 'connection_init') socket.send('{"type":"connection_ack"}');
        if (type !== 'subscribe' && type !== 'start') return;
        const next = { id: '1', type: type === 'start' ? 'data' : 'next', payload: count(connections) };
        socket.send(JSON.stringify(next), () => socket.terminate());
      });
    });
    await new Promise((resolve) => server.once('listening', resolve));
    const { port } = server.address() as { port: number };
    return {
      url: `ws://127.0.0.1:${port}/`,
      connections: () => connections,
      open: () => server.clients.size,
      close: () => void server.close(),
    };
  }

  test.each(['graphql-transport-ws', 'graphql-ws'])(
    'and dies a hundred times, over %s, gives one error each time',
    async (protocol) => {
      const dying = await keepForTest(dyingWebSockets(protocol));
      const own = await keepForTest(open({ subscriptions: { protocol, url: dying.url } }));
      const socket = await keepForTest(rawSocket(own.url, 'graphql-transport-ws'));
      socket.send({ type: 'connection_init', payload: { headers: bearer(issuer.token()) } });
      await socket.next('connection_ack');
      for (let id = 1; id <= 100; id += 1) {
        socket.send({ id: String(id), type: 'subscribe', payload: { query: 'subscription { count }' } });
        await socket.next('error');
      }
      expect(dying.connections()).toBe(100);
      expect(payloads(socket)).toEqual(
        Array.from({ length: 100 }, (_, index) => [
          ['next', count(index + 1)],
          ['error', [LOST]],
        ]).flat(),
      );
      expect(own.logs().match(/upstream\.events_lost/g)).toHaveLength(100);
      await until('nothing is open', () => dying.open() === 0);
    },
  );

  test.each(['graphql-transport-ws', 'graphql-ws', 'sse'])(
    'and accepts connections and sends nothing, by %s, gives one error',
    async (protocol) => {
      service.instead = () => {};
      const silent = await keepForTest(silentServer());
      const own = await keepForTest(
        open({ definition: { timeout_seconds: 1 }, subscriptions: { protocol, url: silent.url } }),
      );
      const socket = await subscriber(own);
      await socket.next('error');
      expect(payloads(socket)).toEqual([['error', [LOST]]]);
      await until('the connection is closed', () => silent.open() === 0);
      expect(silent.connections()).toBe(1);
    },
  );
});
