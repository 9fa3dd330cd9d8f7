import { expect, test } from '@jest/globals';
import { HOSTILE_CASES } from './hostile/cases.ts';
import { runCases } from './hostile/run-cases.ts';

/** The most steps that planning may take, for engines that count them. */
const MOST_STEPS = 1_000_000;

test('an operation is planned, or refused with a code, whatever a caller sends', async () => {
  const names = HOSTILE_CASES.map(({ family, name }) => `${family}: ${name}`);
  const indexes = [...names.keys()];
  const outcomes = await runCases(indexes);
  const wrong = outcomes
    .filter(
      ({ outcome, code, steps = 0 }) =>
        !(outcome === 'planned' || (outcome === 'refused' && code !== undefined)) || steps > MOST_STEPS,
    )
    .map(({ index, ...outcome }) => ({ name: names[index], ...outcome }));
  expect(wrong).toEqual([]);
  expect(outcomes).toHaveLength(indexes.length);
}, 900_000);
