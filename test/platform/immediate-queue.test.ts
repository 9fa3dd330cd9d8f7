import { expect, test } from '@jest/globals';
import { ImmediateQueue } from '../../platform/index.ts';

const raise = (_: number, error: unknown) => {
  throw error;
};
const turnOver = () => new Promise((resolve) => setImmediate(resolve));

test('jobs are done in their order once the turn of the event loop is over', async () => {
  const done: number[] = [];
  const turnEnd = new ImmediateQueue<number>((job) => done.push(job), raise);
  turnEnd.add(1);
  await Promise.resolve();
  turnEnd.add(2);
  expect(done).toEqual([]);
  await turnOver();
  expect(done).toEqual([1, 2]);
});

test('a job that comes while others are done waits for the next turn', async () => {
  const done: number[] = [];
  const turnEnd = new ImmediateQueue<number>((job) => {
    done.push(job);
    if (job < 3) turnEnd.add(job + 1);
  }, raise);
  turnEnd.add(1);
  await turnOver();
  expect(done).toEqual([1]);
  await turnOver();
  expect(done).toEqual([1, 2]);
  await turnOver();
  expect(done).toEqual([1, 2, 3]);
});

test('a job that throws is reported, and the others are still run', async () => {
  const done: number[] = [];
  const failures: [number, unknown][] = [];
  const turnEnd = new ImmediateQueue<number>(
    (job) => {
      if (job !== 2 && job !== 3) done.push(job);
      else throw new Error(`no ${job}`);
    },
    (job, error) => failures.push([job, error]),
  );
  for (const job of [1, 2, 3, 4]) turnEnd.add(job);
  await turnOver();
  expect(done).toEqual([1, 4]);
  expect(failures).toEqual([
    [2, new Error('no 2')],
    [3, new Error('no 3')],
  ]);
  turnEnd.add(5);
  await turnOver();
  expect(done).toEqual([1, 4, 5]);
});
