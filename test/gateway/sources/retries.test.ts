import { afterEach, describe, expect, test } from '@jest/globals';
import { DEFAULT_RESILIENCE, type RetrySettings } from '../../../gateway/upstream/resilience/index.ts';
import { type Handler, keeper, until } from '../harness/index.ts';
import { openGuarded } from './guarded.ts';

const { keep, close } = keeper();
afterEach(close);

const open = (retries: Partial<RetrySettings> = {}) =>
  keep(
    openGuarded({
      retries: { ...DEFAULT_RESILIENCE.retries, backoffMs: 1, ...retries },
      circuitBreaker: undefined,
    }),
  );

const status =
  (code: number, headers: Record<string, string> = {}): Handler =>
  (_, response) =>
    response.writeHead(code, headers).end('{}');

/** Does one thing after the other, and goes on with the last. */
function oneByOne(...handlers: Handler[]): Handler {
  let at = 0;
  return (...request) => handlers[Math.min(at++, handlers.length - 1)]?.(...request);
}

describe('a query is sent again', () => {
  test.each<[string, Handler]>([
    ['when the connection ends', (_, response) => response.destroy()],
    ['when the answer is cut', (_, response) => void response.write('{', () => response.destroy())],
    ['when there is a bad gateway', status(502)],
    ['when the service is unavailable', status(503)],
    ['when the service’s own service is late', status(504)],
    ['when it is too busy and says when to come back', status(429, { 'retry-after': '0' })],
  ])('%s', async (_, fault) => {
    const guarded = await open();
    guarded.answer = oneByOne(fault, fault, status(200));
    expect(await guarded.send().came).toBe(200);
    expect(guarded.service.requests).toHaveLength(3);
    expect(guarded.guard.counts).toMatchObject({ retries: 2, outcomes: { success: 1 } });
    expect(guarded.guard.state()).toMatchObject({ inFlight: 0, queued: 0 });
  });

  test('when the connection is refused, until the service listens', async () => {
    const guarded = await open({ limit: 10, backoffMs: 200 });
    await guarded.service.stop();
    const sent = guarded.send();
    await until('it has been tried', () => guarded.guard.counts.retries > 0);
    guarded.answer = status(200);
    await guarded.service.start();
    expect(await sent.came).toBe(200);
  });

  test('no more often than it may, and has the last answer then', async () => {
    const guarded = await open();
    guarded.answer = status(503);
    expect(await guarded.send().came).toBe(503);
    expect(guarded.service.requests).toHaveLength(3);
  });

  test('no sooner than the service says', async () => {
    const guarded = await open();
    const times: number[] = [];
    guarded.answer = (...request) => {
      times.push(performance.now());
      return oneByOne(times.length === 1 ? status(503, { 'retry-after': '1' }) : status(200))(...request);
    };
    expect(await guarded.send().came).toBe(200);
    const [first = 0, second = 0] = times;
    expect(second - first).toBeGreaterThanOrEqual(995);
  });

  test('no more often than its share of all queries, when all fail', async () => {
    const guarded = await open({ budgetPercent: 20 });
    guarded.answer = status(503);
    for (let i = 0; i < 100; i++) expect(await guarded.send().came).toBe(503);
    // 100 queries, a reserve of 10 and a fifth of the queries.
    expect(guarded.service.requests.length).toBeGreaterThan(100);
    expect(guarded.service.requests.length).toBeLessThanOrEqual(130);
  });
});

describe('it is not sent again', () => {
  test.each<[string, Handler, number]>([
    ['when it failed by itself', status(500), 500],
    ['when it was wrong', status(400), 400],
    ['when the service is too busy and does not say for how long', status(429), 429],
    ['when it would be too late', status(503, { 'retry-after': '31' }), 503],
  ])('%s', async (_, answer, expected) => {
    const guarded = await open();
    guarded.answer = answer;
    expect(await guarded.send().came).toBe(expected);
    expect(guarded.service.requests).toHaveLength(1);
  });

  test('when it was late', async () => {
    const guarded = await open();
    expect(await guarded.send({ timeoutMs: 100 }).came).toBe('timeout');
    expect(guarded.service.requests).toHaveLength(1);
  });

  test('when it is a mutation, whatever happens', async () => {
    const guarded = await open();
    for (const answer of [status(503), status(429, { 'retry-after': '0' }), status(502)]) {
      guarded.answer = answer;
      await guarded.send({ isQuery: false }).came;
    }
    guarded.answer = (_, response) => response.destroy();
    expect(await guarded.send({ isQuery: false }).came).toBe('connection');
    expect(guarded.service.requests).toHaveLength(4);
  });

  test('when its client has gone in the pause', async () => {
    const guarded = await open({ backoffMs: 10_000 });
    guarded.answer = status(503, { 'retry-after': '20' });
    const sent = guarded.send();
    await until('it waits', () => guarded.guard.counts.retries === 1);
    expect(guarded.guard.state().inFlight).toBe(0);
    sent.leave();
    expect(await sent.came).toBe('aborted');
    expect(guarded.service.requests).toHaveLength(1);
  });

  test('when there are to be no retries', async () => {
    const guarded = await open({ limit: 0 });
    guarded.answer = status(503);
    expect(await guarded.send().came).toBe(503);
    expect(guarded.service.requests).toHaveLength(1);
  });
});
