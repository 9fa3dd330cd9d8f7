import { beforeAll, expect, test } from '@jest/globals';
import { MOST_STEPS } from '../../../gateway/planning/joins/plan/plan-operation.ts';
import { HOSTILE_CASES } from './hostile/cases.ts';
import { isTooLong } from './hostile/hostile-case.ts';
import { runCases } from './hostile/run-cases.ts';
import type { Outcome } from './hostile/trial.ts';

/** How often functions, branches and loops may run for each step. A step is about the same for all operations. */
const WORK_PER_STEP = 25;
/** What is done beside. */
const WORK_BESIDE = 2_000;
/** How much may be done in one turn of the event loop. Most is writing a request, in one piece. */
const WORK_IN_SLICE = 30_000;

const named = ({ index, ...outcome }: Outcome) => {
  const { family, name } = HOSTILE_CASES[index] ?? {};
  return { name: `${family}: ${name}`, ...outcome };
};
let outcomes: readonly Outcome[] = [];
beforeAll(async () => {
  outcomes = await runCases([...HOSTILE_CASES.keys()], 'counted');
}, 900_000);

test('an operation is planned, or refused with a code, whatever a caller sends', () => {
  const wrong = outcomes.filter(
    ({ outcome, code }) => !(outcome === 'planned' || (outcome === 'refused' && code !== undefined)),
  );
  expect(wrong.map(named)).toEqual([]);
  expect(outcomes).toHaveLength(HOSTILE_CASES.length);
});

test('an operation is refused for its steps alone', () => {
  const isTooLarge = ({ steps = 0 }: Outcome) => steps > MOST_STEPS;
  const wrong = outcomes.filter((one) => one.outcome === 'planned' && isTooLarge(one));
  expect(wrong.map(named)).toEqual([]);
  expect(outcomes.filter(isTooLarge).length).toBeGreaterThan(10);
});

test('planning does no more than its steps say, and stops when they are used up', () => {
  const wrong = outcomes.filter(({ steps = 0, work }) => {
    return work === undefined || work > Math.min(steps, MOST_STEPS) * WORK_PER_STEP + WORK_BESIDE;
  });
  expect(wrong.map(named)).toEqual([]);
  // What counts nothing would find nothing wrong.
  expect(Math.max(...outcomes.map(({ work = 0 }) => work))).toBeGreaterThan(MOST_STEPS);
});

test('planning takes turns with other work, whatever a caller sends', () => {
  const parsed = outcomes.filter(({ index }) => !isTooLong(HOSTILE_CASES[index]?.text ?? ''));
  const wrong = parsed.filter(({ inSlice = 0 }) => inSlice === 0 || inSlice > WORK_IN_SLICE);
  expect(wrong.map(named)).toEqual([]);
  expect(outcomes.some(({ work = 0, inSlice = 0 }) => work > 4 * inSlice)).toBe(true);
});
