import { expect, test } from '@jest/globals';
import { counter, Durations, durationHistogram, type Metric, ofWorkers } from '../../../platform/index.ts';
import { Deltas } from '../../../platform/telemetry/metrics/deltas.ts';

/** Of a worker that has had so many requests. */
function requests(number: number): readonly Metric[] {
  const durations = new Durations([10]);
  for (let i = 0; i < number; i++) durations.add(5);
  return [
    counter('requests_total', 'Requests.', [], [{ labels: {}, value: number }]),
    durationHistogram('requests_seconds', 'Requests.', [], durations.boundsMs, [durations.sample({})]),
  ];
}

/** What is pushed of these requests by worker: those of the counter, and those of the histogram. */
function push(deltas: Deltas, byWorker: Readonly<Record<number, number>>) {
  const metrics = ofWorkers(
    new Map(Object.entries(byWorker).map(([worker, number]) => [Number(worker), requests(number)])),
  );
  const pushed = deltas.since(metrics).flatMap((metric): readonly number[] => {
    if (metric.type === 'histogram') return metric.samples.flatMap(({ buckets }) => buckets);
    return metric.samples.map(({ value }) => value);
  });
  deltas.deliver(metrics);
  return pushed.reduce((sum, number) => sum + number, 0) / 2;
}

test('a worker that is missing in a push is continued in the next', () => {
  const deltas = new Deltas();
  const pushed = [push(deltas, { 1: 100, 2: 100 }), push(deltas, { 1: 110 }), push(deltas, { 1: 120, 2: 130 })];

  expect(pushed).toEqual([200, 10, 40]);
});

test('a worker that begins again is counted from the beginning', () => {
  const deltas = new Deltas();
  const pushed = [push(deltas, { 1: 100 }), push(deltas, {}), push(deltas, { 1: 30 })];

  expect(pushed).toEqual([100, 0, 30]);
});

test('a series that stays away is forgotten', () => {
  const deltas = new Deltas();
  push(deltas, { 1: 100 });
  for (let i = 0; i < 60; i++) push(deltas, {});
  expect(push(deltas, { 1: 100 })).toBe(0);

  for (let i = 0; i < 61; i++) push(deltas, {});
  expect(push(deltas, { 1: 100 })).toBe(100);
});
