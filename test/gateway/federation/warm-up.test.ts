import { expect, test } from '@jest/globals';
import { warmUpPlanner } from '../../../gateway/planning/joins/index.ts';
import { planningWork } from '../engine/hostile/planning-work.ts';

test('the warm-up plans, and lets other work run meanwhile', async () => {
  let turns = 0;
  let isOver = false;
  const turn = () => {
    turns++;
    if (!isOver) setImmediate(turn);
  };
  setImmediate(turn);
  const work = await planningWork(warmUpPlanner);
  isOver = true;
  expect(turns).toBeGreaterThan(5);
  // Functions that run some hundred times are compiled; what plans is some hundred functions.
  expect(work).toBeGreaterThan(100_000);
});
