import { type AddressInfo, createServer, type Socket } from 'node:net';
import { afterAll, afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { bearer, keeper, openGateway, until } from '../harness/index.ts';
import { wsClient } from '../subscriptions/clients.ts';
import {
  dies,
  EVENT_STREAM,
  ends,
  event,
  type Handling,
  JSON_LINES,
  openSubscriptionWorld,
  sends,
} from './subscription-world.ts';

const { keep, close } = keeper();
afterAll(close);
const { keep: keepForTest, close: closeAfterTest } = keeper();
afterEach(closeAfterTest);

const world = await keep(openSubscriptionWorld());
const { gateway, hook, token, issuer, handle } = world;
beforeEach(() => world.forget());

const order = (id: number) => ({ id: String(id), item: 'bolt' });
const result = (field: string, id: number) => ({ data: { [field]: { id: String(id) } } });
const lost = (field: string) => ({
  message: `the connection to the service "${field}" was lost`,
  extensions: { path: '$', code: 'unexpected', service: field, reason: 'connection' },
});

async function subscribe(field: string, url = gateway.url) {
  const client = await keepForTest(Promise.resolve(wsClient(url, { headers: bearer(token) })));
  return client.subscribe(`subscription { ${field} { id } }`);
}
async function all(field: string, url?: string) {
  const subscribed = await subscribe(field, url);
  const end = await subscribed.ended();
  return { results: subscribed.results, end };
}
const lastEventIds = () => hook.requests.map(({ headers }) => headers['last-event-id']);

describe('a handler that dies', () => {
  test('is called again after the last event, and no event is missing', async () => {
    handle(dies(event(order(1), { id: 'a-1' })), ends(event(order(2), { id: 'a-2' })));
    expect(await all('orders')).toEqual({ results: [result('orders', 1), result('orders', 2)], end: 'complete' });
    expect(lastEventIds()).toEqual([undefined, 'a-1']);
  });

  test('within an event sends that event again', async () => {
    handle(
      dies(event(order(1), { id: 1 }) + event(order(2), { id: 2 }).slice(0, -3)),
      ends(event(order(2), { id: 2 })),
    );
    expect((await all('orders')).results).toEqual([result('orders', 1), result('orders', 2)]);
    expect(lastEventIds()).toEqual([undefined, '1']);
  });

  test('that ends its body within an event or without framing has died', async () => {
    handle(ends(`${event(order(1), { id: 1 })}data: {"id"`), ends(event(order(2))));
    expect((await all('orders')).end).toBe('complete');
    expect(hook.requests).toHaveLength(2);
    world.forget();
    handle(
      (response) => {
        response.useChunkedEncodingByDefault = false;
        response.writeHead(200, { ...EVENT_STREAM, connection: 'close' });
        response.end(event(order(1), { id: 1 }));
      },
      ends(event(order(2))),
    );
    expect((await all('orders')).results).toEqual([result('orders', 1), result('orders', 2)]);
    expect(lastEventIds()).toEqual([undefined, '1']);
  });

  test.each([
    ['server-sent events without ids', EVENT_STREAM, event(order(1))],
    ['lines of JSON', JSON_LINES, `${JSON.stringify(order(1))}\n`],
    ['an id that cannot be sent back', EVENT_STREAM, event(order(1), { id: 'a\u0001' })],
    ['an id that is not UTF-8', EVENT_STREAM, event(order(1), { id: '\u{fffd}' })],
  ])('and sends %s gives one error', async (_, headers, text) => {
    handle(dies(text, headers));
    expect(await all('orders')).toEqual({ results: [result('orders', 1)], end: [lost('orders')] });
    expect(hook.requests).toHaveLength(1);
  });

  test.each([
    ['server-sent events', EVENT_STREAM, event(order(1)), event(order(2))],
    ['lines of JSON', JSON_LINES, `${JSON.stringify(order(1))}\n`, `${JSON.stringify(order(2))}\n`],
  ])('and whose events are the whole state, as %s, is called again without ids', async (_, headers, first, second) => {
    handle(dies(first, headers), ends(second, headers));
    expect(await all('state')).toEqual({ results: [result('state', 1), result('state', 2)], end: 'complete' });
    expect(lastEventIds()).toEqual([undefined, undefined]);
  });

  test('again and again is called within the retries, and the subscriber gets one error', async () => {
    handle(dies(event(order(1), { id: 1 })), (response) => void response.destroy());
    expect(await all('orders')).toMatchObject({ results: [result('orders', 1)], end: [lost('orders')] });
    expect(hook.requests).toHaveLength(3);
    expect(gateway.logs()).toContain('upstream.events_lost');
  });

  test('and answers 503 when it is called again gives the error of that response in the end', async () => {
    handle(dies(event(order(1), { id: 1 })), (response) => void response.writeHead(503).end('later'));
    const { end } = await all('orders');
    expect(end).toMatchObject([
      { message: 'not a valid json response from webhook', extensions: { code: 'unexpected' } },
    ]);
    expect(hook.requests).toHaveLength(3);
  });

  test('and refuses to continue gives its error at once', async () => {
    handle(dies(event(order(1), { id: 1 })), (response) => {
      response.writeHead(410, { 'content-type': 'application/json' }).end('{"message":"too late","code":"gone"}');
    });
    expect((await all('orders')).end).toMatchObject([{ message: 'too late', extensions: { code: 'gone' } }]);
    expect(hook.requests).toHaveLength(2);
  });

  test.each([
    ['300', 300, 2],
    ['999999999, which is longer than its timeout', 0, 1],
  ])('asks for a pause of %s ms', async (pause, atLeastMs, calls) => {
    const retry = `retry: ${Number.parseInt(pause, 10)}\n`;
    handle(dies(retry + event(order(1), { id: 1 })), ends(event(order(2))));
    const before = performance.now();
    await all('orders');
    expect(hook.requests).toHaveLength(calls);
    expect(performance.now() - before).toBeGreaterThanOrEqual(atLeastMs);
  });

  test('by silence is called again after the idle timeout, which comments extend', async () => {
    let comments = 0;
    handle(
      (response) => {
        response.writeHead(200, EVENT_STREAM).write(event(order(1), { id: 1 }));
        const timer = setInterval(() => {
          comments++;
          response.write(':\n\n');
          if (comments === 4) clearInterval(timer);
        }, 600);
      },
      ends(event(order(2), { id: 2 })),
    );
    const { results } = await all('slow');
    expect(results).toEqual([result('slow', 1), result('slow', 2)]);
    expect(comments).toBe(4);
  });
});

describe('a handler that never answers', () => {
  test('gives an error after the timeout of the action', async () => {
    handle(() => {});
    const { end } = await all('slow');
    expect(end).toMatchObject([
      { message: 'http exception when calling webhook', extensions: { code: 'unexpected', service: 'slow' } },
    ]);
    expect(hook.requests).toHaveLength(1);
    await until('the call is closed', () => world.open() === 0);
  });

  test('after the head of an error response gives an error too', async () => {
    handle((response) => void response.writeHead(500, { 'content-length': '10' }).write('{'));
    expect((await all('slow')).end).toMatchObject([{ extensions: { code: 'unexpected', service: 'slow' } }]);
  });

  test('because nothing listens there gives an error at once, and opens the circuit breaker in the end', async () => {
    const own = await keepForTest(
      openGateway({
        issuer,
        environment: { HOOK_URL: 'http://127.0.0.1:1' },
        metadata: {
          'actions.graphql': 'type Subscription { gone: Int }',
          'actions.yaml': {
            actions: [
              {
                name: 'gone',
                definition: {
                  kind: 'subscription',
                  handler: '{{HOOK_URL}}',
                  resilience: { circuit_breaker: { minimum_requests: 3, failure_percent: 50, open_seconds: 60 } },
                },
                permissions: [{ role: 'user' }],
              },
            ],
          },
        },
      }),
    );
    const client = await keepForTest(Promise.resolve(wsClient(own.url, { headers: bearer(token) })));
    const codes = [];
    for (let at = 0; at < 4; at++) {
      const [error] = (await client.subscribe('subscription { gone }').ended()) as [{ extensions: { code: string } }];
      codes.push(error.extensions.code);
    }
    expect(codes).toEqual(['unexpected', 'unexpected', 'unexpected', 'circuit-open']);
  });
});

describe('a handler that sends too much', () => {
  const large = JSON.stringify({ id: '1', item: 'ü'.repeat(600) });
  const fitting = JSON.stringify({ id: '1', item: 'ü'.repeat(400) });

  test.each([
    ['an event', sends(event(large))],
    ['an event that does not end', sends(`data: ${'x'.repeat(2_000)}`)],
    ['an event of many lines', sends('data: x\n'.repeat(1_000))],
    ['a comment that does not end', sends(`:${'x'.repeat(2_000)}`)],
    ['a line', sends(`${large}\n`, JSON_LINES)],
    ['a line that does not end', sends('x'.repeat(2_000), JSON_LINES)],
    ['a last line', ends(large, JSON_LINES)],
  ])('in %s is cut off', async (_, handling) => {
    handle(handling);
    expect((await all('small')).end).toEqual([
      {
        message: 'an event of the service "small" is larger than 1024 bytes',
        extensions: { path: '$', code: 'event-too-large', service: 'small' },
      },
    ]);
    expect(hook.requests).toHaveLength(1);
    await until('the call is closed', () => world.open() === 0);
  });

  test.each([
    ['server-sent events', EVENT_STREAM, event(fitting).repeat(50)],
    ['lines', JSON_LINES, `${fitting}\n`.repeat(50)],
  ])('only in the sum of many %s is not', async (_, headers, text) => {
    handle(ends(text, headers));
    const { results, end } = await all('small');
    expect([results.length, end]).toEqual([50, 'complete']);
  });

  test('in events of 100 MB is cut off after the limit', async () => {
    let sent = 0;
    handle((response) => {
      response.writeHead(200, JSON_LINES);
      const chunk = Buffer.alloc(65_536, 'x');
      const more = () => {
        if (sent > 100_000_000 || response.destroyed) return;
        sent += chunk.length;
        if (response.write(chunk)) setImmediate(more);
        else response.once('drain', more);
      };
      more();
    });
    expect((await all('orders')).end).toMatchObject([{ extensions: { code: 'event-too-large' } }]);
    await until('the call is closed', () => world.open() === 0);
    expect(sent).toBeLessThan(20_000_000);
  });

  test('in events without end has to wait, and no event is lost', async () => {
    let sent = 0;
    handle((response) => {
      response.writeHead(200, JSON_LINES);
      const more = () => {
        while (!response.destroyed) {
          if (response.write(`{"id":"${sent++}","item":"${'x'.repeat(1_000)}"}\n`)) continue;
          response.once('drain', more);
          return;
        }
      };
      more();
    });
    const subscribed = await subscribe('quick');
    const before = performance.now();
    await until('thirty events are there', () => subscribed.results.length >= 30);
    // Ten at once, and ten for each second.
    expect(performance.now() - before).toBeGreaterThan(1_500);
    expect(subscribed.results.slice(0, 30)).toEqual(Array.from({ length: 30 }, (_, id) => result('quick', id)));
    const last = sent;
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(sent - last).toBeLessThan(1_000);
    const other = await gateway.graphql('{ __typename }', { token });
    expect(other.status).toBe(200);
    subscribed.stop();
    await until('the call is closed', () => world.open() === 0);
  });

  test('in many subscriptions at once loses what is unfinished', async () => {
    const own = await keepForTest(
      openGateway({
        issuer,
        metadata: world.metadata,
        environment: { ...world.environment, PORTICO_UPSTREAM_MAX_BUFFERED_BYTES: '1048576' },
      }),
    );
    handle(sends(`${event(order(1))}data: ${'x'.repeat(700_000)}`));
    const both = [await subscribe('orders', own.url), await subscribe('orders', own.url)];
    expect(await Promise.race(both.map((one) => one.ended()))).toMatchObject([
      { extensions: { code: 'upstream-overloaded', service: 'orders' } },
    ]);
  });
});

describe('a handler whose bytes are odd', () => {
  const text = `\u{feff}: c\r\nid: ü\r\ndata: {"id":"1",\r\ndata: "item":"Zoë 🚲"}\r\n\r\n${event({ id: '2', item: 'Ł' })}`;
  const lines = `\u{feff}{"id":"1","item":"Zoë 🚲"}\r\n\n{"id":"2","item":"Ł"}`;

  test.each([
    ['events', EVENT_STREAM, text],
    ['lines', JSON_LINES, lines],
  ])('sends its %s a byte at a time', async (_, headers, whole) => {
    handle(async (response) => {
      response.socket?.setNoDelay(true);
      response.writeHead(200, headers).flushHeaders();
      for (const byte of Buffer.from(whole))
        await new Promise<unknown>((resolve) => response.write(Buffer.from([byte]), resolve));
      response.end();
    });
    const client = await keepForTest(Promise.resolve(wsClient(gateway.url, { headers: bearer(token) })));
    const subscribed = client.subscribe('subscription { orders { item } }');
    expect(await subscribed.ended()).toBe('complete');
    expect(subscribed.results).toEqual(['Zoë 🚲', 'Ł'].map((item) => ({ data: { orders: { item } } })));
  });

  test('sends broken UTF-8: only the broken text differs', async () => {
    handle((response) => {
      response.writeHead(200, JSON_LINES);
      response.write(
        Buffer.concat([Buffer.from('{"id":"1","item":"'), Buffer.from([0xff, 0xc3]), Buffer.from('"}\n')]),
      );
      response.end('{"id":"2"}\n');
    });
    const { results, end } = await all('orders');
    expect([results, end]).toEqual([[result('orders', 1), result('orders', 2)], 'complete']);
  });

  const raw =
    (head: string, ...chunks: string[]): Handling =>
    (response) => {
      response.socket?.write(`HTTP/1.1 ${head}\r\n\r\n${chunks.join('')}`);
    };
  test.each([
    ['compresses its events', raw('200 OK\r\ncontent-type: text/event-stream\r\ncontent-encoding: gzip', '\u001f')],
    ['switches to another protocol', raw('101 Switching Protocols\r\nconnection: Upgrade\r\nupgrade: x')],
    [
      'sends a chunk without a length',
      raw('200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked', 'x\r\n'),
    ],
    [
      'gives two lengths',
      raw('200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: 9\r\ntransfer-encoding: chunked'),
    ],
    ['has another type', raw('200 OK\r\ncontent-type: text/html\r\ncontent-length: 2', 'hi')],
    ['has no type', raw('200 OK\r\ncontent-length: 2', 'hi')],
    ['has a type that only begins like one', raw('200 OK\r\ncontent-type: text/event-streams\r\ncontent-length: 0')],
    ['has no content', raw('204 No Content')],
    ['has headers that are too long', raw(`200 OK\r\nx: ${'y'.repeat(100_000)}`)],
  ])('%s: one error', async (_, handling) => {
    handle(handling);
    expect((await all('orders')).end).toMatchObject([{ extensions: { code: 'unexpected', service: 'orders' } }]);
  });

  test('sets response headers that clients do not receive', async () => {
    handle(ends(event(order(1)), { ...EVENT_STREAM, 'set-cookie': 'a=b', 'access-control-allow-origin': '*' }));
    const { headers, text: sent } = await gateway.send('/v1/graphql', {
      method: 'POST',
      headers: { ...bearer(token), 'content-type': 'application/json', accept: 'text/event-stream' },
      body: JSON.stringify({ query: 'subscription { orders { id } }' }),
    });
    expect(sent).toContain('"id":"1"');
    expect([headers['set-cookie'], headers['access-control-allow-origin']]).toEqual([undefined, undefined]);
  });

  test('nests its values deeply: that event fails', async () => {
    handle(ends(event(`{"id":"1","item":${'['.repeat(100_000)}${']'.repeat(100_000)}}`) + event(order(2))));
    const { results, end } = await all('orders');
    expect([results.at(-1), end]).toEqual([result('orders', 2), 'complete']);
  });
});

test('many subscriptions of one caller are limited as all others are', async () => {
  const own = await keepForTest(
    openGateway({
      issuer,
      metadata: world.metadata,
      environment: { ...world.environment, PORTICO_MAX_OPERATIONS_PER_CONNECTION: '20' },
    }),
  );
  handle(sends(event(order(1))));
  const client = await keepForTest(Promise.resolve(wsClient(own.url, { headers: bearer(token) })));
  const many = Array.from({ length: 50 }, () => client.subscribe('subscription { orders { id } }'));
  await until('all are decided', () => many.every((one) => one.results.length > 0 || one.end !== undefined));
  expect(many.filter((one) => one.results.length > 0)).toHaveLength(20);
  expect(many.at(-1)?.end).toMatchObject([{ extensions: { code: 'operation-limit-exceeded' } }]);
  expect(hook.requests).toHaveLength(20);
  await client.close();
  await until('all calls are closed', () => world.open() === 0);
});

test('a handler that accepts connections and says nothing keeps none of them', async () => {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => {}).on('close', () => sockets.delete(socket)));
    socket.resume();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const HOOK_URL = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const own = await keepForTest(
    openGateway({ issuer, metadata: world.metadata, environment: { ...world.environment, HOOK_URL } }),
  );
  const client = await keepForTest(Promise.resolve(wsClient(own.url, { headers: bearer(token) })));
  const subscribed = client.subscribe('subscription { slow { id } }');
  await until('the connection is there', () => sockets.size === 1);
  expect(await subscribed.ended()).toMatchObject([{ extensions: { code: 'unexpected', service: 'slow' } }]);
  await until('the connection is closed', () => sockets.size === 0);
  server.close();
});
