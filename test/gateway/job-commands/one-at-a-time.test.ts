import { expect, test } from '@jest/globals';
import { OneAtATime } from '../../../gateway/jobs/commands/job-commands.ts';

/** Work that ends when the test ends it. */
function controlled() {
  const begun: ((failure?: Error) => void)[] = [];
  const work = () =>
    new Promise<number>((resolve, reject) => {
      const which = begun.length;
      begun.push((failure) => (failure ? reject(failure) : resolve(which)));
    });
  return { begun, work };
}

test('work waits for the work before it, also where that fails, and too much of it is refused', async () => {
  const { begun, work } = controlled();
  const turns = new OneAtATime(3);
  const runs = [turns.run(work), turns.run(work), turns.run(work)];
  await expect(turns.run(work)).rejects.toMatchObject({ code: 'service-unavailable', headers: { 'retry-after': '1' } });
  await new Promise(setImmediate);
  expect(begun).toHaveLength(1);
  begun[0]?.(new Error('no'));
  await expect(runs[0]).rejects.toThrow('no');
  await new Promise(setImmediate);
  expect(begun).toHaveLength(2);
  begun[1]?.();
  expect(await runs[1]).toBe(1);
  await new Promise(setImmediate);
  begun[2]?.();
  expect(await runs[2]).toBe(2);
  const again = turns.run(work);
  await new Promise(setImmediate);
  begun[3]?.();
  expect(await again).toBe(3);
});
