import { afterEach, expect, test } from '@jest/globals';
import { Deadlines } from '../../../gateway/upstream/deadlines.ts';
import { limitConcurrency } from '../../../gateway/upstream/interceptors/limit-concurrency.ts';
import { Bulkhead } from '../../../gateway/upstream/resilience/index.ts';
import { Durations } from '../../../platform/index.ts';
import { keeper, until } from '../harness/index.ts';
import { openGuarded } from './guarded.ts';

const { keep, close } = keeper();
afterEach(close);

const open = (more: object = {}) =>
  keep(openGuarded({ concurrency: { maxInFlight: 2, maxQueue: 2, queueTimeoutMs: 30_000, ...more } }));

const bodies = (requests: readonly { text: string }[]) => requests.map(({ text }) => text);

test('a source is sent as many requests at a time as it may have, the others in the order in which they came', async () => {
  const { guard, send, owed, service } = await open();
  const sent = ['a', 'b', 'c', 'd'].map((body) => send({ body }));
  await until('two are under way', () => owed.length === 2);
  expect(guard.state()).toMatchObject({ inFlight: 2, queued: 2 });
  for (const count of [3, 4]) {
    owed[0]?.();
    await until('the next one is sent', () => service.requests.length === count);
    expect(guard.state().inFlight).toBe(2);
  }
  for (const answer of [...owed]) answer();
  expect(await Promise.all(sent.map(({ came }) => came))).toEqual([200, 200, 200, 200]);
  expect(bodies(service.requests).slice(2)).toEqual(['c', 'd']);
  expect(guard.state()).toMatchObject({ inFlight: 0, queued: 0 });
});

test('who finds the line full is refused at once', async () => {
  const guarded = await open();
  const sent = [guarded.send(), guarded.send(), guarded.send(), guarded.send()];
  const refused = guarded.send();
  expect(await refused.came).toBe('overloaded');
  await until('two are under way', () => guarded.owed.length === 2);
  guarded.answer = (_, response) => response.end('{}');
  for (const answer of [...guarded.owed]) answer();
  expect(await Promise.all(sent.map(({ came }) => came))).toEqual([200, 200, 200, 200]);
});

test('a queued call whose client disconnects frees its place, and is never sent', async () => {
  const { guard, send, owed, service } = await open();
  const first = [send({ body: 'a' }), send({ body: 'b' })];
  const leaving = [send({ body: 'c' }), send({ body: 'd' })];
  for (const one of leaving) one.leave();
  expect(await Promise.all(leaving.map(({ came }) => came))).toEqual(['aborted', 'aborted']);
  expect(guard.state().queued).toBe(0);
  const next = send({ body: 'e' });
  await until('two are under way', () => owed.length === 2);
  owed[0]?.();
  await until('the next one is sent', () => service.requests.length === 3);
  for (const answer of [...owed]) answer();
  expect(await Promise.all([...first, next].map(({ came }) => came))).toEqual([200, 200, 200]);
  expect(bodies(service.requests).at(-1)).toBe('e');
});

test('a call in flight whose client disconnects gives its slot to the next', async () => {
  const { send, owed, service } = await open({ maxInFlight: 1 });
  const hanging = send({ body: 'a' });
  const next = send({ body: 'b' });
  await until('one is under way', () => owed.length === 1);
  hanging.leave();
  expect(await hanging.came).toBe('aborted');
  await until('the next one is sent', () => service.requests.length === 2 && owed.length === 1);
  owed[0]?.();
  expect(await next.came).toBe(200);
});

test('a call that is queued for too long is rejected, those in flight are not', async () => {
  const { send, owed } = await open({ queueTimeoutMs: 100 });
  const first = [send(), send()];
  const late = send();
  expect(await late.came).toBe('overloaded');
  await until('the two before it are under way', () => owed.length === 2);
  for (const answer of [...owed]) answer();
  expect(await Promise.all(first.map(({ came }) => came))).toEqual([200, 200]);
});

test('the time in the queue counts towards the timeout of the call', async () => {
  const { send, owed, service } = await open({ maxInFlight: 1 });
  const first = send({ body: 'a' });
  const second = send({ body: 'b', timeoutMs: 3_000 });
  await until('one is under way', () => owed.length === 1);
  const began = performance.now();
  await until('some of it has passed', () => performance.now() - began > 1_500);
  owed[0]?.();
  expect(await first.came).toBe(200);
  await until('the second one is sent', () => service.requests.length === 2);
  const sent = performance.now();
  expect(await second.came).toBe('timeout');
  // What is left of it: without the time in the queue it would be all of it.
  expect(performance.now() - sent).toBeLessThan(3_000);
});

test('a source without a free slot takes none of another source at the same address', async () => {
  const { send, owed, beside, service } = await open();
  const sent = [send(), send(), send()];
  await until('two are under way', () => owed.length === 2);
  const other = beside();
  const request = { url: service.url, method: 'POST', headers: {}, body: 'other', timeoutMs: 30_000 } as const;
  const answered = other.send(request);
  await until('the other one’s is under way', () => owed.length === 3);
  owed[2]?.();
  expect((await answered).status).toBe(200);
  expect(owed).toHaveLength(2);
  for (const one of sent) one.leave();
  expect(await Promise.all(sent.map(({ came }) => came))).toEqual(['aborted', 'aborted', 'aborted']);
});

test('who has waited for most of its time does not make the source look as if it failed', async () => {
  const circuitBreaker = { failurePercent: 1, windowMs: 60_000, minimumRequests: 1, openMs: 60_000, halfOpenProbes: 1 };
  const concurrency = { maxInFlight: 1, maxQueue: 2, queueTimeoutMs: 30_000 };
  const { guard, send, owed, service } = await keep(openGuarded({ circuitBreaker, concurrency }));
  const first = send();
  await until('one is under way', () => owed.length === 1);
  const late = send({ timeoutMs: 1_000 });
  const lined = performance.now();
  await until('most of its time is over', () => performance.now() - lined > 700);
  owed[0]?.();
  expect(await first.came).toBe(200);
  expect(await late.came).toBe('timeout');
  expect(service.requests).toHaveLength(2);
  expect(guard.state().breaker).toBe('closed');

  expect(await send({ timeoutMs: 100 }).came).toBe('timeout');
  expect(guard.state().breaker).toBe('open');
});

test('timeouts of a single call are not kept in the shared timers of the queue', async () => {
  const deadlines = new Deadlines();
  const lengths = new Set<number>();
  const start = deadlines.start.bind(deadlines);
  deadlines.start = (timed, timeoutMs) => {
    lengths.add(timeoutMs);
    return start(timed, timeoutMs);
  };
  const bulkhead = new Bulkhead({ maxInFlight: 1, maxQueue: 100, queueTimeoutMs: 30_000 });
  const waits = new Durations([]);
  const dispatch = limitConcurrency({ bulkhead, queueTimeoutMs: 30_000, deadlines, waits, rejection: () => undefined })(
    () => {},
  );
  const send = (timeoutMs: number) =>
    new Promise<string>((resolve) =>
      dispatch(
        { url: 'http://127.0.0.1/', method: 'GET', headers: {}, timeoutMs },
        { onResponse: () => resolve('response'), onError: ({ reason }) => resolve(reason) },
      ),
    );
  // Takes the only slot, and never ends.
  void send(60_000);
  expect(await Promise.all([30, 40, 50].map(send))).toEqual(['overloaded', 'overloaded', 'overloaded']);
  expect([...lengths]).toEqual([]);
  // They are measured as those that wait in vain.
  expect(waits.buckets).toEqual([3]);
});
