import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { afterAll, afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { openEditedGateway } from '../harness/edited-gateway.ts';
import { bearer, keeper, openGateway, reply, until } from '../harness/index.ts';
import { legacyClient, rawSocket, type SubscribingClient, sseClient, wsClient } from '../subscriptions/clients.ts';
import {
  ACTIONS,
  dies,
  EVENT_STREAM,
  ends,
  event,
  JSON_LINES,
  openSubscriptionWorld,
  RELATIONSHIPS,
  sends,
  TYPES,
} from './subscription-world.ts';

const { keep, close } = keeper();
afterAll(close);
const { keep: keepForTest, close: closeAfterTest } = keeper();
afterEach(closeAfterTest);

const world = await keep(openSubscriptionWorld());
const { gateway, hook, token, issuer, handle } = world;
beforeEach(() => world.forget());

const BOLT = { id: '1', item: 'bolt' };
const NUT = { id: '2', item: 'nut' };
const ORDERS = 'subscription { orders { id item } }';
const of = (field: string, value: unknown) => ({ data: { [field]: value } });

const client = (url = gateway.url, headers: Record<string, string> = bearer(token)): Promise<SubscribingClient> =>
  keepForTest(Promise.resolve(wsClient(url, { headers })));
const subscribe = async (query: string, variables?: Record<string, unknown>) =>
  (await client()).subscribe(query, variables ? { variables } : {});

/** Every result, and how the subscription ended. */
async function all(query: string) {
  const subscribed = await subscribe(query);
  const end = await subscribed.ended();
  return { results: subscribed.results, end };
}

describe('what the handler is sent', () => {
  test('is the usual body, with headers that ask for a stream', async () => {
    handle(ends(event(BOLT)));
    const subscribed = await subscribe('subscription ($first: Int) { orders(first: $first) { id } }', { first: 7 });
    await subscribed.ended();
    const [call] = hook.requests;
    expect(call?.method).toBe('POST');
    expect(call?.body).toEqual({
      action: { name: 'orders' },
      input: { status: 'OPEN', first: 7 },
      request_query: 'subscription ($first: Int) { orders(first: $first) { id } }',
      session_variables: expect.objectContaining({ 'x-hasura-role': 'user' }),
    });
    expect(call?.headers).toMatchObject({
      accept: 'text/event-stream, application/x-ndjson, application/jsonl',
      'content-type': 'application/json',
      'accept-encoding': 'identity',
    });
    expect(call?.headers['x-request-id']).toBeDefined();
    expect(call?.headers['last-event-id']).toBeUndefined();
  });

  test('is signed anew for each call, and a client cannot say where its stream begins', async () => {
    handle(dies(event(BOLT, { id: 'a' })), ends(event(NUT, { id: 'b' })));
    const forwarding = await client(gateway.url, { ...bearer(token), 'Last-Event-ID': 'evil', 'x-shop': 'mine' });
    const subscribed = forwarding.subscribe('subscription { forwarding { id } }');
    await subscribed.ended();
    const [first, second] = hook.requests;
    expect(first?.headers).toMatchObject({
      'x-shop': 'mine',
      'x-portico-signature': expect.stringMatching(/^t=\d+,v1=/),
    });
    expect([first?.headers['last-event-id'], second?.headers['last-event-id']]).toEqual([undefined, 'a']);
    expect(second?.headers['x-portico-signature']).toBeDefined();
    expect(second?.body).toEqual(first?.body);
  });

  test('can be transformed, and so can each event', async () => {
    handle(ends(event({ order: '9' })));
    const { results } = await all('subscription { fetched(id: "a/b") { id item } }');
    expect(hook.requests).toMatchObject([{ method: 'GET', url: '/fetched/a%2Fb', text: '' }]);
    expect(results).toEqual([of('fetched', { id: '9', item: 'user' })]);
  });
});

describe('the events of a handler', () => {
  test.each([
    ['server-sent events', EVENT_STREAM, event(BOLT) + event(NUT, { name: 'next' })],
    ['lines of JSON', JSON_LINES, `${JSON.stringify(BOLT)}\n\r\n${JSON.stringify(NUT)}`],
    [
      'lines of JSON by their other name',
      { 'content-type': 'application/jsonl' },
      `${JSON.stringify(BOLT)}\r\n${JSON.stringify(NUT)}\r\n`,
    ],
  ])('come as %s, and a clean end completes the subscription', async (_, headers, text) => {
    handle(ends(text, headers));
    expect(await all(ORDERS)).toEqual({ results: [of('orders', BOLT), of('orders', NUT)], end: 'complete' });
    expect(hook.requests).toHaveLength(1);
  });

  test('end with an event `complete`, after which nothing counts', async () => {
    handle(sends(event(BOLT) + event('', { name: 'complete' }) + event(NUT)));
    expect(await all(ORDERS)).toEqual({ results: [of('orders', BOLT)], end: 'complete' });
    await until('the connection to the handler is closed', () => world.open() === 0);
  });

  test('end with an event `error`, like an error response', async () => {
    handle(sends(event(BOLT) + event({ message: 'sold out', code: 'sold-out' }, { name: 'error' })));
    const { results, end } = await all(ORDERS);
    expect(results).toEqual([of('orders', BOLT)]);
    expect(end).toMatchObject([{ message: 'sold out', extensions: { code: 'sold-out' } }]);
  });

  test('are delivered as they come, and pruned to what was selected', async () => {
    let send: (text: string) => void = () => {};
    handle((response) => {
      response.writeHead(200, EVENT_STREAM).flushHeaders();
      send = (text) => response.write(text);
    });
    const subscribed = await subscribe('subscription { mine: orders { name: item __typename } }');
    await until('the handler is called', () => hook.requests.length === 1);
    send(event({ ...BOLT, secret: 1 }));
    expect(await subscribed.next()).toEqual(of('mine', { name: 'bolt', __typename: 'Order' }));
    send(': a comment\n\nevent: ping\ndata: 1\n\n');
    send(event(null));
    expect(await subscribed.next()).toEqual(of('mine', null));
  });

  test('are joined with fields of other services', async () => {
    handle(ends(event(BOLT) + event(NUT)));
    expect(await all('subscription { orders { id price } }')).toEqual({
      results: [of('orders', { id: '1', price: 100 }), of('orders', { id: '2', price: 200 })],
      end: 'complete',
    });
  });

  test('may be lists and scalars', async () => {
    handle(ends(event([BOLT, NUT])));
    expect((await all('subscription { list { item } }')).results).toEqual([
      of('list', [{ item: 'bolt' }, { item: 'nut' }]),
    ]);
    handle(ends(`${JSON.stringify('a')}\n${JSON.stringify('b')}\n`, JSON_LINES));
    expect((await all('subscription { text }')).results).toEqual([of('text', 'a'), of('text', 'b')]);
  });

  test('that do not fit give a result with an error, and the subscription continues', async () => {
    handle(ends(event('no JSON') + event({ item: 'no id' }) + event([]) + event(BOLT)));
    const { results, end } = await all(ORDERS);
    const error = (message: string) => ({
      message,
      path: ['orders'],
      extensions: expect.objectContaining({ code: 'unexpected' }),
    });
    expect(results).toMatchObject([
      { data: { orders: null }, errors: [error('not a valid json response from webhook')] },
      { data: { orders: null }, errors: [error('field "id" expected in webhook response, but not found')] },
      { data: { orders: null }, errors: [error('got array for the action webhook response, expecting Order')] },
      of('orders', BOLT),
    ]);
    expect(end).toBe('complete');
  });

  test('of a non-null field that are null give null as the data', async () => {
    handle(ends(event(null) + event(BOLT)));
    const { results } = await all('subscription { must { id } }');
    expect(results).toMatchObject([{ data: null, errors: [{ path: ['must'] }] }, of('must', { id: '1' })]);
  });
});

describe('a subscription that cannot begin', () => {
  test.each([
    [
      404,
      { message: 'no such shop', code: 'shop-missing' },
      { message: 'no such shop', extensions: { code: 'shop-missing' } },
    ],
    [500, { oops: 1 }, { message: 'internal error', extensions: { code: 'unexpected', service: 'orders' } }],
    [302, {}, { message: 'internal error', extensions: { code: 'unexpected', service: 'orders' } }],
    [
      200,
      BOLT,
      {
        message: 'expecting an event stream as the response of the action webhook',
        extensions: { code: 'unexpected', service: 'orders' },
      },
    ],
  ])('for a status %s is an error as for a synchronous action', async (status, body, error) => {
    handle((response) => reply(response, status, body));
    const { results, end } = await all(ORDERS);
    expect([results, end]).toMatchObject([[], [error]]);
    expect(hook.requests).toHaveLength(1);
  });

  test('has no arguments that do not fit, and no handler is called for it', async () => {
    expect(
      (await all('subscription ($s: Status! = OPEN) { orders(first: "x", status: $s) { id } }')).end,
    ).toMatchObject([{ extensions: { code: 'validation-failed' } }]);
    expect(hook.requests).toHaveLength(0);
  });

  test('is not there for other roles', async () => {
    expect((await all('subscription { secret { id } }')).end).toMatchObject([
      { extensions: { code: 'validation-failed' } },
    ]);
  });

  test('is refused by a plain POST, which calls no handler', async () => {
    const { body } = await gateway.graphql(ORDERS, { token });
    expect(body.errors).toMatchObject([{ extensions: { code: 'unexpected-payload' } }]);
    expect(hook.requests).toHaveLength(0);
  });
});

describe('over each transport', () => {
  test('server-sent events and the older WebSocket protocol', async () => {
    for (const one of [
      sseClient(gateway.url, bearer(token)),
      await legacyClient(gateway.url, { headers: bearer(token) }),
    ]) {
      const opened = await keepForTest(Promise.resolve(one));
      handle(ends(event(BOLT) + event(NUT)));
      const subscribed = opened.subscribe(ORDERS);
      expect(await subscribed.ended()).toBe('complete');
      expect(subscribed.results).toEqual([of('orders', BOLT), of('orders', NUT)]);
    }
  });

  test('multipart/mixed', async () => {
    handle(ends(event(BOLT)));
    const { status, text } = await gateway.send('/v1/graphql', {
      method: 'POST',
      headers: {
        ...bearer(token),
        'content-type': 'application/json',
        accept: 'multipart/mixed;subscriptionSpec=1.0, application/json',
      },
      body: JSON.stringify({ query: ORDERS }),
    });
    expect(status).toBe(200);
    expect(text).toContain(`{"payload":${JSON.stringify(of('orders', BOLT))}}`);
    expect(text.trimEnd().endsWith('--graphql--')).toBe(true);
  });
});

describe('the request to the handler is closed within a second', () => {
  test.each(['completes its subscription', 'closes its connection', 'dies'])(
    'when a client over WebSocket %s',
    async (how) => {
      handle(sends(event(BOLT)));
      const socket = await keepForTest(rawSocket(gateway.url, 'graphql-transport-ws'));
      socket.send({ type: 'connection_init', payload: { headers: bearer(token) } });
      await socket.next('connection_ack');
      socket.send({ id: '1', type: 'subscribe', payload: { query: ORDERS } });
      await socket.next('next');
      expect(world.open()).toBe(1);
      const before = performance.now();
      if (how.startsWith('completes')) socket.send({ id: '1', type: 'complete' });
      else if (how.startsWith('closes')) socket.socket.close();
      else socket.socket.terminate();
      await until('the call is closed', () => world.open() === 0);
      expect(performance.now() - before).toBeLessThan(1_000);
    },
  );

  test('when a client of an event stream leaves, also before the handler has answered', async () => {
    for (const handling of [sends(event(BOLT)), () => {}]) {
      world.forget();
      handle(handling);
      const outgoing = request(`${gateway.url}/v1/graphql`, {
        method: 'POST',
        headers: { ...bearer(token), 'content-type': 'application/json', accept: 'text/event-stream' },
        agent: false,
      });
      outgoing.on('error', () => {});
      outgoing.end(JSON.stringify({ query: ORDERS }));
      const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
      response.on('error', () => {}).resume();
      await until('the handler is called', () => world.open() === 1);
      const before = performance.now();
      outgoing.destroy();
      await until('the call is closed', () => world.open() === 0);
      expect(performance.now() - before).toBeLessThan(1_000);
    }
  });
});

describe('like any subscription', () => {
  test('it ends when its token expires', async () => {
    handle(sends(event(BOLT)));
    const short = issuer.token({ payload: { exp: Math.floor(Date.now() / 1000) + 2 } });
    const subscribed = (await client(gateway.url, bearer(short))).subscribe('subscription { must { id } }');
    await subscribed.next();
    expect(await subscribed.ended()).toMatchObject([{ extensions: { code: 'invalid-jwt' } }]);
    await until('the call is closed', () => world.open() === 0);
  });

  test('a reload that does not change the actions leaves it alone, and another one ends it', async () => {
    handle(sends(event(BOLT)));
    const own = await keepForTest(openEditedGateway(world.metadata, { issuer, environment: world.environment }));
    const subscribed = (await client(own.url)).subscribe('subscription { must { id } }');
    await subscribed.next();
    const limits = { depth_limit: { global: 20 } };
    expect((await own.edit({ 'api_limits.yaml': limits })).status).toBe(200);
    await new Promise((resolve) => setTimeout(resolve, 1_200));
    expect([subscribed.end, world.open()]).toEqual([undefined, 1]);
    const actions = { actions: ACTIONS.filter(({ name }) => name !== 'must'), custom_types: RELATIONSHIPS };
    const types = TYPES.replace('must: Order!', '');
    expect((await own.edit({ 'actions.yaml': actions, 'actions.graphql': types })).status).toBe(200);
    expect(await subscribed.ended()).toMatchObject([{ extensions: { code: 'schema-reload' } }]);
    await until('the call is closed', () => world.open() === 0);
  });

  test('it ends when the gateway stops', async () => {
    handle(sends(event(BOLT)));
    const own = await openGateway({ issuer, metadata: world.metadata, environment: world.environment });
    const subscriber = await client(own.url);
    const subscribed = subscriber.subscribe(ORDERS);
    await subscribed.next();
    await own.close();
    await until('the connection is closed', () => subscriber.closed !== undefined);
    expect(subscriber.closed?.code).toBe(1001);
    await until('the call is closed', () => world.open() === 0);
  });

  test('a client that does not read makes the handler wait', async () => {
    let sent = 0;
    let isBlocked = false;
    const text = event({ id: '1', item: 'x'.repeat(60_000) });
    handle((response) => {
      response.writeHead(200, EVENT_STREAM);
      const more = () => {
        isBlocked = false;
        while (sent < 5_000) {
          sent++;
          if (response.write(text)) continue;
          isBlocked = true;
          response.once('drain', more);
          return;
        }
      };
      more();
    });
    const socket = await keepForTest(rawSocket(gateway.url, 'graphql-transport-ws'));
    socket.send({ type: 'connection_init', payload: { headers: bearer(token) } });
    await socket.next('connection_ack');
    socket.socket.pause();
    socket.send({ id: '1', type: 'subscribe', payload: { query: ORDERS } });
    let last = -1;
    await until('the handler waits', async () => {
      const isSame = isBlocked && sent === last;
      last = sent;
      await new Promise((resolve) => setTimeout(resolve, 300));
      return isSame;
    });
    expect(sent).toBeLessThan(1_000);
  });
});
