import { expect, test } from '@jest/globals';
import { TurnEnd } from '../../platform/index.ts';

const turnOver = () => new Promise((resolve) => setImmediate(resolve));

test('jobs are done in their order once the turn of the event loop is over', async () => {
  const done: number[] = [];
  const turnEnd = new TurnEnd<number>((job) => done.push(job));
  turnEnd.add(1);
  await Promise.resolve();
  turnEnd.add(2);
  expect(done).toEqual([]);
  await turnOver();
  expect(done).toEqual([1, 2]);
});

test('a job that comes while others are done waits for the next turn', async () => {
  const done: number[] = [];
  const turnEnd = new TurnEnd<number>((job) => {
    done.push(job);
    if (job < 3) turnEnd.add(job + 1);
  });
  turnEnd.add(1);
  await turnOver();
  expect(done).toEqual([1]);
  await turnOver();
  expect(done).toEqual([1, 2]);
  await turnOver();
  expect(done).toEqual([1, 2, 3]);
});
