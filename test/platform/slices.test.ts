import { expect, test } from '@jest/globals';
import { atOnce, inSlices, type Sliced, takeTurns } from '../../platform/index.ts';

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

test('work that never yields is done at once, and fails at once', () => {
  expect(takeTurns(counting(0))).toBe(0);
  const failing = function* (isPossible: boolean): Sliced<void> {
    if (!isPossible) throw new Error('it cannot be done');
    yield;
  };
  expect(() => takeTurns(failing(false))).toThrow('it cannot be done');
});

test('of all work that takes turns, one slice runs in a turn of the event loop', async () => {
  let turn = 0;
  let isOver = false;
  const next = () => {
    turn++;
    if (!isOver) setImmediate(next);
  };
  const slices: { readonly turn: number; readonly of: string }[] = [];
  const work = (of: string, count: number) => takeTurns(counting(count, () => slices.push({ turn, of })));
  setImmediate(next);
  expect(await Promise.all([work('a', 3), work('b', 5), work('c', 2)])).toEqual([3, 5, 2]);
  isOver = true;
  expect(slices.map(({ of }) => of).join('')).toBe('abcabcabbb');
  const later = slices.slice(3).map((slice) => slice.turn);
  expect(new Set(later).size).toBe(later.length);
});

test('work that fails in a later turn does not keep other work from its turns', async () => {
  const failing = function* (): Sliced<void> {
    yield;
    throw new Error('it cannot be done');
  };
  const [failed, done] = await Promise.allSettled([takeTurns(failing()), takeTurns(counting(3))]);
  expect(failed).toMatchObject({ status: 'rejected' });
  expect(done).toEqual({ status: 'fulfilled', value: 3 });
});
