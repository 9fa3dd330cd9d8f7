import { expect, test } from '@jest/globals';
import { LatestRun } from '../../../gateway/operations/insight/latest-run.ts';

/** Runs that end when they are told. */
function controlled() {
  const ends: ((result: number | Error) => void)[] = [];
  const runs = new LatestRun<number>(
    () =>
      new Promise((resolve, reject) => {
        ends.push((result) => (typeof result === 'number' ? resolve(result) : reject(result)));
      }),
  );
  return { runs, ends };
}

test('those who ask during a run share the next one', async () => {
  const { runs, ends } = controlled();
  const first = runs.get();
  const later = [runs.get(), runs.get(), runs.get()];
  expect(ends).toHaveLength(1);
  ends[0]?.(1);
  expect(await first).toBe(1);
  await new Promise(setImmediate);
  expect(ends).toHaveLength(2);
  ends[1]?.(2);
  expect(await Promise.all(later)).toEqual([2, 2, 2]);
});

test('a run that fails does so for those who share it, and not for the next ones', async () => {
  const { runs, ends } = controlled();
  const first = runs.get();
  const second = runs.get();
  ends[0]?.(new Error('no'));
  await expect(first).rejects.toThrow('no');
  await new Promise(setImmediate);
  ends[1]?.(2);
  expect(await second).toBe(2);
  const third = runs.get();
  expect(ends).toHaveLength(3);
  ends[2]?.(3);
  expect(await third).toBe(3);
});
