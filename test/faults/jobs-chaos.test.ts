import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, expect, test } from '@jest/globals';
import { ProcessGroup } from '../../bench/machine/index.ts';
import { findPostgres } from '../../faults/cluster/index.ts';
import {
  type AcceptedEvent,
  type AcceptedJob,
  type Disturbances,
  disturb,
  judgeJobs,
  type StoredJob,
  settledVerdict,
  startEventProducers,
  startJobCallers,
  startJobsCluster,
  type WebhookCall,
} from '../../faults/jobs/index.ts';

// The long form, which kills at random for ten minutes, is `npm run faults -- jobs`.
const isPostgresThere = findPostgres() !== undefined;
if (!isPostgresThere) process.stderr.write('\nJOBS NOT DISTURBED: install PostgreSQL (initdb and postgres)\n');
const JOBS = 240;
const RATE = 60;
const SKEW_SECONDS = 90;

const group = new ProcessGroup();
afterAll(() => group.close());

(isPostgresThere ? test : test.skip)(
  'runners, gateways and PostgreSQL are killed, clocks differ, the webhook misbehaves: no job is lost or out of turn',
  async () => {
    const cluster = await startJobsCluster(group);
    cluster.gateways[0]?.skewClock(SKEW_SECONDS);
    cluster.runners[0]?.skewClock(-SKEW_SECONDS);
    const callers = startJobCallers({ urls: [cluster.url], jobs: JOBS, rate: RATE });
    const producers = startEventProducers({ url: cluster.url, rate: RATE / 10 });
    const done: Disturbances = new Map();
    for (const which of ['runner', 'PostgreSQL', 'gateway', 'runner'] as const)
      await disturb(cluster, which, 200, done);
    await callers.done;
    producers.stop();
    await producers.done;
    const { counts, problems } = await settledVerdict(cluster, callers, 200_000, producers);
    expect(counts.events).toBeGreaterThan(0);
    expect(problems).toEqual([]);
    expect(counts).toMatchObject({ accepted: expect.any(Number), calls: expect.any(Number) });
    expect(counts.accepted).toBeGreaterThanOrEqual(JOBS);
    expect(counts.calls).toBeGreaterThan(counts.accepted);
  },
  300_000,
);

test.each([
  ['an event that is refused for good', 401, 'refused with 401'],
  ['an event that is not accepted in time', 503, 'not accepted within 0 s after the stop'],
])('%s breaks a promise, and ends its producer', async (_what, status, why) => {
  const server = createServer((_request, response) => void response.writeHead(status).end());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  try {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const producers = startEventProducers({ url, rate: 60, settleMs: 0 });
    producers.stop();
    await producers.done;
    expect(producers.accepted).toEqual([]);
    expect([...producers.givenUp]).toEqual([[why, 10]]);
  } finally {
    server.close();
  }
});

test('what breaks a promise is found', () => {
  const job = (number: number, more: Partial<AcceptedJob> = {}): AcceptedJob => ({
    id: `job-${number}`,
    caller: 'one',
    number,
    isInTurn: true,
    ...more,
  });
  const call = (number: number, more: Partial<WebhookCall> = {}): WebhookCall => ({
    key: `job-${number}`,
    caller: 'one',
    number,
    scheduledTime: undefined,
    delivery: undefined,
    behaviour: 'answers',
    hasEffect: true,
    overlaps: false,
    ...more,
  });
  const cron = (minute: number, key: string) =>
    call(0, { key, scheduledTime: new Date(minute * 60_000).toISOString(), caller: '' });
  const allDone = (ids: readonly string[]): StoredJob[] => ids.map((id) => ({ id, kind: 'action', state: 'done' }));
  const done = (...ids: string[]) => allDone(ids);
  const stored = done('job-1', 'job-2');
  const well = [call(1), call(2)];
  const of = (calls: readonly WebhookCall[], jobs = stored, accepted = [job(1), job(2)], lastedMs = 60_000) =>
    judgeJobs(accepted, jobs, calls, lastedMs).problems.map((problem) => problem.replace(/:.*/, ''));

  expect(of(well)).toEqual([]);
  expect(of([...well, call(2)])).toEqual([]);
  expect(of(well, done('job-1'))).toEqual(['1 accepted jobs are lost', '1 calls have a key of no job']);
  expect(of([call(1), call(2, { hasEffect: false })])).toEqual(['1 jobs had no effect']);
  expect(of(well, [...done('job-1'), { id: 'job-2', kind: 'action', state: 'dead' }])).toEqual([
    '1 jobs were not done',
  ]);
  expect(of([call(1), call(2), call(2, { overlaps: true })])).toEqual(['1 calls came while the same job was running']);
  expect(of([...well, call(2, { key: 'job-1' })])).toEqual(['1 jobs came with two keys']);
  expect(of([call(2), call(1)])).toEqual(['1 jobs were run before the one ahead of them was done']);
  expect(of([call(2), call(1)], stored, [job(1, { isInTurn: false }), job(2, { isInTurn: false })])).toEqual([]);
  const times = ['a', 'b', 'c'].map((id) => ({ id, kind: 'cron', state: 'done' }));
  expect(of([...well, cron(1, 'a'), cron(1, 'b'), cron(3, 'c')], [...stored, ...times])).toEqual([
    '1 times of the cron trigger were run as two jobs',
    '1 times of the cron trigger are missing',
  ]);
  expect(of(well, stored, [job(1), job(2)], 120_000)).toEqual(['the cron trigger was never run']);

  const event = (number: number): AcceptedEvent => ({ id: `event-${number}`, producer: 'one', number });
  const delivery = (number: number, subscription: 'events_in_turn' | 'events_at_once', more = {}) =>
    call(number, {
      key: `${subscription}-${number}`,
      caller: `${subscription} one`,
      delivery: { subscription, event: `event-${number}` },
      ...more,
    });
  const deliveries = [1, 2].flatMap((number) => [
    delivery(number, 'events_in_turn'),
    delivery(number, 'events_at_once'),
  ]);
  const storedDeliveries = deliveries.map(({ key }) => ({ id: key, kind: 'delivery', state: 'done' }));
  const ofEvents = (calls: readonly WebhookCall[]) =>
    judgeJobs([], storedDeliveries, calls, 60_000, [event(1), event(2)]).problems.map((problem) =>
      problem.replace(/:.*/, ''),
    );
  // A function may have about 125,000 arguments.
  const many = Array.from({ length: 130_000 }, (_, number) => number + 1);
  const ofMany = judgeJobs(
    many.map((number) => job(number)),
    allDone(many.map((number) => `job-${number}`)),
    many.map((number) => call(number)),
    60_000,
  );
  expect(ofMany).toMatchObject({ problems: [], counts: { accepted: many.length, mostCallsOfOne: 1 } });
  expect(ofEvents(deliveries)).toEqual([]);
  expect(ofEvents([...deliveries].reverse())).toEqual(['1 events were delivered before the one ahead of them was']);
  expect(ofEvents(deliveries.slice(1))).toEqual(['1 deliveries of accepted events are lost']);
  expect(ofEvents([...deliveries, delivery(2, 'events_at_once', { key: 'events_at_once-1' })])).toEqual([
    '1 jobs came with two keys',
  ]);
});
