import { expect, test } from '@jest/globals';
import { atOnce, inSlices, type Sliced } from '../../platform/index.ts';

function* counting(to: number, each: () => void = () => {}): Sliced<number> {
  for (let number = 0; number < to; number++) {
    each();
    yield;
  }
  return to;
}

test('work that is done in slices lets others have their turn', async () => {
  let turns = 0;
  let isOver = false;
  const others = () => {
    turns += 1;
    if (!isOver) setImmediate(others);
  };
  setImmediate(others);
  const busy = () => {
    const until = performance.now() + 1;
    while (performance.now() < until);
  };
  await inSlices(counting(100, busy));
  isOver = true;
  expect(turns).toBeGreaterThan(1);
});

test('work gives the same at one go and in slices, and fails alike', async () => {
  expect(atOnce(counting(3))).toBe(3);
  expect(await inSlices(counting(3))).toBe(3);
  const failing = () =>
    counting(3, () => {
      throw new Error('it cannot be done');
    });
  expect(() => atOnce(failing())).toThrow('it cannot be done');
  await expect(inSlices(failing())).rejects.toThrow('it cannot be done');
});
