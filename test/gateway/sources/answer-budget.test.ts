import { afterAll, describe, expect, test } from '@jest/globals';
import { UNCOUNTED_BYTES } from '../../../gateway/upstream/answer-budget.ts';
import { openUpstreamHttp, UpstreamError } from '../../../gateway/upstream/index.ts';
import { UnfinishedEvents } from '../../../gateway/upstream/unfinished-events.ts';
import { Cancellation } from '../../../platform/index.ts';
import { keeper, serve, until } from '../harness/index.ts';

const { keep, close } = keeper();
afterAll(close);

const MIB = 1024 * 1024;
const MAX_RESPONSE = 16 * MIB;
const BUDGET = 8 * MIB;
const LONG = 6 * MIB;
const MIDDLING = 200 * 1024;
/** A response counts as often until it is known whether it is read. */
const READING = 4;
/** A connection may bring this much in one turn of the event loop, before it can be held up. */
const ONE_TURN = 2 * MIB;

/** Answers `/endless` without an end, `/long` with 6 MiB, `/middling` with 200 KiB, and anything else with a few bytes. */
const service = await keep(
  serve(({ url }, response) => {
    if (url === '/long') return void response.end(Buffer.alloc(LONG, 'x'));
    if (url === '/middling') return void response.end(Buffer.alloc(MIDDLING, 'x'));
    if (url !== '/endless') return void response.end('short');
    const write = () => {
      while (!response.destroyed && response.write(Buffer.alloc(64 * 1024, 'x')));
    };
    response.on('drain', write);
    write();
  }),
);

async function connections() {
  const http = await keep(openUpstreamHttp({ maxResponseBytes: MAX_RESPONSE, maxBufferedBytes: BUDGET }));
  const ask = (path: string, timeoutMs = 20_000) =>
    http.send({ url: `${service.url}/${path}`, method: 'GET', headers: {}, timeoutMs }).then(
      ({ bytes }) => bytes.length,
      (error) => (error instanceof UpstreamError ? error.reason : error),
    );
  return { http, ask };
}

describe('answers that take too much memory together', () => {
  test('stay within the budget plus one response, while short ones are not delayed', async () => {
    const { http, ask } = await connections();
    const most = { bytes: 0, held: 0 };
    const watch = setInterval(() => {
      most.bytes = Math.max(most.bytes, http.buffered.bytes);
      most.held = Math.max(most.held, http.buffered.held);
    }, 1);
    const endless = Array.from({ length: 12 }, () => ask('endless'));
    expect(await ask('short')).toBe(5);
    expect(new Set(await Promise.all(endless))).toEqual(new Set(['too-large']));
    clearInterval(watch);

    expect(most.held).toBeGreaterThan(5);
    expect(most.bytes).toBeLessThanOrEqual(BUDGET + READING * (MAX_RESPONSE + 12 * ONE_TURN));
    expect([http.buffered.bytes, http.buffered.held]).toEqual([0, 0]);
  });

  test('all come, one after the other', async () => {
    const { http, ask } = await connections();
    const answers = await Promise.all(Array.from({ length: 20 }, () => ask('long')));
    expect(answers).toEqual(Array.from({ length: 20 }, () => LONG));
    expect([http.buffered.bytes, http.buffered.held]).toEqual([0, 0]);
  });

  test('return their share of the budget when they time out while waiting', async () => {
    const { http, ask } = await connections();
    const endless = Array.from({ length: 12 }, () => ask('endless', 300));
    for (const reason of await Promise.all(endless)) expect(['timeout', 'too-large', 'exhausted']).toContain(reason);
    expect([http.buffered.bytes, http.buffered.held]).toEqual([0, 0]);
    expect(await ask('long')).toBe(LONG);
  });
});

describe('an answer that is complete', () => {
  test('counts until its client has what is made of it, and four times once it is read', async () => {
    const { http } = await connections();
    const cancellation = new Cancellation(true);
    const request = {
      url: `${service.url}/long`,
      method: 'GET',
      headers: {},
      timeoutMs: 20_000,
      cancellation,
    } as const;
    const response = await http.send(request);
    expect(http.buffered.bytes).toBeGreaterThan(LONG - UNCOUNTED_BYTES - ONE_TURN);
    expect(http.buffered.bytes).toBeLessThanOrEqual(LONG);
    const before = http.buffered.bytes;
    expect([response.body.length, response.body.length]).toEqual([LONG, LONG]);
    expect(http.buffered.bytes).toBe(before + 3 * LONG);
    cancellation.end();
    expect(http.buffered.bytes).toBe(0);
    expect(response.body).toHaveLength(LONG);
    expect(http.buffered.bytes).toBe(0);
  });

  test('does not count once its client is gone, or where the end of its request is not known', async () => {
    const { http } = await connections();
    const ended = new Cancellation(true);
    ended.end();
    for (const cancellation of [ended, new Cancellation(), undefined]) {
      const request = {
        url: `${service.url}/long`,
        method: 'GET',
        headers: {},
        timeoutMs: 20_000,
        cancellation,
      } as const;
      const response = await http.send(request);
      expect(response.body).toHaveLength(LONG);
      expect(http.buffered.bytes).toBe(0);
    }
  });

  test('does not keep others of the same client for ever', async () => {
    const { http } = await connections();
    const cancellation = new Cancellation(true);
    const request = {
      url: `${service.url}/long`,
      method: 'GET',
      headers: {},
      timeoutMs: 20_000,
      cancellation,
    } as const;
    const responses = await Promise.all(Array.from({ length: 3 }, () => http.send(request)));
    expect(responses.map(({ bytes }) => bytes.length)).toEqual([LONG, LONG, LONG]);
    cancellation.end();
    expect([http.buffered.bytes, http.buffered.held]).toEqual([0, 0]);
  });
});

describe('answers that are received as they come', () => {
  /** Keeps all of an answer, as of a part whose end has not come, and goes on whatever the budget says. */
  function keepAll(http: Awaited<ReturnType<typeof connections>>['http']) {
    return new Promise((resolve) => {
      let kept = 0;
      http.dispatch(
        { url: `${service.url}/endless`, method: 'GET', headers: {}, timeoutMs: 20_000 },
        {
          onResponse: resolve,
          onError: ({ reason }) => resolve(reason),
          onStart: (_status, _headers, flow) => ({
            onData: (chunk) => {
              flow.pause();
              flow.resume();
              kept += chunk.length;
              return kept;
            },
            onEnd: () => resolve('ended'),
          }),
        },
      );
    });
  }

  test('are counted with what is kept of them', async () => {
    const { http } = await connections();
    const most = { bytes: 0, held: 0 };
    const watch = setInterval(() => {
      most.bytes = Math.max(most.bytes, http.buffered.bytes);
      most.held = Math.max(most.held, http.buffered.held);
    }, 1);
    const endless = await Promise.all(Array.from({ length: 12 }, () => keepAll(http)));
    clearInterval(watch);
    // Those that wait for their turn may be late on a slow machine.
    for (const reason of endless) expect(['too-large', 'exhausted']).toContain(reason);
    expect(most.held).toBeGreaterThan(5);
    expect(most.bytes).toBeLessThanOrEqual(BUDGET + READING * (MAX_RESPONSE + 12 * ONE_TURN));
    expect([http.buffered.bytes, http.buffered.held]).toEqual([0, 0]);
  });

  test('are not counted with what is passed on', async () => {
    const { http } = await connections();
    let size = 0;
    let most = 0;
    const outcome = await new Promise((resolve) => {
      http.dispatch(
        { url: `${service.url}/long`, method: 'GET', headers: {}, timeoutMs: 20_000 },
        {
          onResponse: resolve,
          onError: ({ reason }) => resolve(reason),
          onStart: () => ({
            onData: (chunk) => {
              most = Math.max(most, http.buffered.bytes);
              size += chunk.length;
              return size < MIB ? size : 0;
            },
            onEnd: () => resolve('ended'),
          }),
        },
      );
    });
    expect([outcome, size]).toEqual(['ended', LONG]);
    expect(most).toBeGreaterThan(0);
    expect(most).toBeLessThan(MIB);
    expect(http.buffered.bytes).toBe(0);
  });
});

test('a service that fills the budget and then says no more does not hold up another one', async () => {
  const http = await keep(openUpstreamHttp({ maxResponseBytes: MAX_RESPONSE, maxBufferedBytes: BUDGET }));
  const hostile = await keep(serve((_, response) => void response.write(Buffer.alloc(LONG, 'x'))));
  const lane = (name: string) =>
    http.pool({ name, connections: 50, connectTimeoutMs: 5_000, headersTimeoutMs: undefined });
  const ask = (name: string, url: string, timeoutMs: number) =>
    lane(name)
      .send({ url, method: 'GET', headers: {}, timeoutMs })
      .then(
        ({ bytes }) => bytes.length,
        (error) => (error as UpstreamError).reason,
      );
  const endless = Array.from({ length: 4 }, () => ask('hostile', hostile.url, 2_000));
  await until('the budget is spent', () => http.buffered.held > 0);
  const short = Array.from({ length: 5 }, () => ask('good', `${service.url}/middling`, 20_000));
  expect(await Promise.all(short)).toEqual(Array.from({ length: 5 }, () => MIDDLING));
  expect(http.buffered.held).toBeGreaterThan(0);

  // Those that were held up may be late because of the gateway.
  expect(new Set(await Promise.all(endless))).toEqual(new Set(['timeout', 'exhausted']));
  expect([http.buffered.bytes, http.buffered.held]).toEqual([0, 0]);
});

test('a service whose events never end takes none of the room for those of another', () => {
  const events = new UnfinishedEvents(BUDGET);
  const hostile = Array.from({ length: 4 }, () => events.begin('hostile'));
  expect(hostile.map((event) => event.set(3 * MIB))).toEqual([true, true, false, false]);
  const good = events.begin('good');
  expect(good.set(BUDGET / 2)).toBe(true);
  expect(good.set(BUDGET / 2 + 1)).toBe(false);
  good.set(0);
  for (const event of hostile) event.set(0);
  expect(good.set(BUDGET)).toBe(true);
});

test('events that never end of many services are at most twice the room together', () => {
  const events = new UnfinishedEvents(BUDGET);
  const shares = Array.from({ length: 5 }, (_, index) => ({
    event: events.begin(`service ${index + 1}`),
    bytes: Math.floor(BUDGET / (index + 1)),
  }));
  // Each takes all of its share before the next one begins: 1 + 1/2 + 1/3 of the room, but not 1/4 beside these.
  const isKept = shares.map(({ event, bytes }) => {
    const isWithinBounds = event.set(bytes);
    if (!isWithinBounds) event.set(0);
    return isWithinBounds;
  });
  expect(isKept).toEqual([true, true, true, false, false]);
  shares[0]?.event.set(0);
  expect(shares[4]?.event.set(shares[4].bytes)).toBe(true);
});
